# How contrail declares its own targets. Every rule that holds for all of them stands here once.
include_guard(GLOBAL)

# Clones of the project share compiler-cache entries: paths are stripped from objects and hashes.
find_program(CONTRAIL_CCACHE ccache)
if(CONTRAIL_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CONTRAIL_CCACHE})
endif()

# Language level, warnings, sanitizers and path mapping of one own target.
function(contrail_own_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    $<$<BOOL:${CONTRAIL_WARNINGS_AS_ERRORS}>:-Werror>
    -ffile-prefix-map=${PROJECT_BINARY_DIR}/include/=
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  if(CONTRAIL_SANITIZER STREQUAL "address-undefined")
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  elseif(CONTRAIL_SANITIZER STREQUAL "thread")
    target_compile_options(${target} PRIVATE -fsanitize=thread $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
    target_link_options(${target} PUBLIC -fsanitize=thread)
  endif()
  if(CONTRAIL_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# contrail_library(NAME SOURCES... [PUBLIC libs...] [PRIVATE libs...])
#
# The static library contrail_NAME (alias contrail::NAME) of the calling folder. Its headers are
# included as <contrail/NAME/...>; each library has an include directory of its own, so a header
# of a library that was not linked is not found: layering faults do not compile.
function(contrail_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  set(target contrail_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(contrail::${name} ALIAS ${target})
  contrail_own_target(${target})
  set(root ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${root}/contrail)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/contrail/${name} SYMBOLIC)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${root}>)
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

# contrail_executable(NAME SOURCES... LINK libs...)
function(contrail_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  contrail_own_target(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()

# contrail_test(NAME SOURCES... LINK libs... [TIMEOUT seconds] [LABEL label])
#
# One GoogleTest executable; ctest runs its tests one by one. LABEL e2e is for tests that start
# processes or open sockets: they run alone, after all others.
function(contrail_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT;LABEL" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  contrail_executable(${name} SOURCES ${ARG_SOURCES} LINK ${ARG_LINK} GTest::gmock GTest::gtest_main)
  set(properties TIMEOUT ${ARG_TIMEOUT})
  if(ARG_LABEL)
    list(APPEND properties LABELS ${ARG_LABEL})
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()
