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

# libsodium by vcpkg's CMake package or by pkg-config; its archive where there is one, so that what
# is built needs no libsodium to run.
find_package(unofficial-sodium CONFIG QUIET)
add_library(contrail_sodium INTERFACE)
if(unofficial-sodium_FOUND)
  target_link_libraries(contrail_sodium INTERFACE unofficial-sodium::sodium)
else()
  find_path(CONTRAIL_SODIUM_INCLUDE sodium.h REQUIRED)
  find_library(CONTRAIL_SODIUM_LIBRARY NAMES libsodium.a sodium REQUIRED)
  target_include_directories(contrail_sodium SYSTEM INTERFACE ${CONTRAIL_SODIUM_INCLUDE})
  target_link_libraries(contrail_sodium INTERFACE ${CONTRAIL_SODIUM_LIBRARY})
endif()

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
