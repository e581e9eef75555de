# Third-party packages, by the names Debian 12 and vcpkg give them. Nothing is vendored or downloaded.
include_guard(GLOBAL)

find_package(Threads REQUIRED)
find_package(glm CONFIG REQUIRED)
find_package(FlatBuffers CONFIG REQUIRED)

# Standalone Asio is header-only and ships no CMake package on Debian.
find_path(CONTRAIL_ASIO_INCLUDE asio.hpp REQUIRED)
add_library(contrail_asio INTERFACE)
target_include_directories(contrail_asio SYSTEM INTERFACE ${CONTRAIL_ASIO_INCLUDE})
target_compile_definitions(contrail_asio INTERFACE ASIO_STANDALONE)
target_link_libraries(contrail_asio INTERFACE Threads::Threads)

# Highway's headers only: the kernels choose their instruction set themselves, without its library.
find_path(CONTRAIL_HIGHWAY_INCLUDE hwy/highway.h REQUIRED)
add_library(contrail_highway INTERFACE)
target_include_directories(contrail_highway SYSTEM INTERFACE ${CONTRAIL_HIGHWAY_INCLUDE})

if(CONTRAIL_SERVER)
  find_package(spdlog CONFIG REQUIRED)
  find_package(CLI11 CONFIG REQUIRED)
  find_package(tomlplusplus CONFIG REQUIRED)
  find_package(nlohmann_json CONFIG REQUIRED)
endif()
if(CONTRAIL_TESTS)
  find_package(GTest CONFIG REQUIRED)
  include(GoogleTest)
endif()
