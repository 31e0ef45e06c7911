# One INTERFACE target carries the warnings of our own code; libraries below /usr/include stay silent.
add_library(tt_warnings INTERFACE)
target_compile_options(tt_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Wold-style-cast -Wimplicit-fallthrough -Wswitch-enum
  # g++ 12 sees uninitialised members in moved variants where there are none
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-restrict>)

# What most sources include, parsed once for each kind of target: reading headers is most of what a build does.
set(TT_PRECOMPILED <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <span>
  <string> <string_view> <vector> <fmt/format.h>)

# tt_precompiled(TARGET OF HEADERS...): what TARGET precompiles; the first target of a kind OF makes the headers, the
# others take them from it, which asks for the same flags.
function(tt_precompiled TARGET OF)
  get_property(first GLOBAL PROPERTY TT_PRECOMPILED_${OF})
  if(first)
    target_precompile_headers(${TARGET} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY TT_PRECOMPILED_${OF} ${TARGET})
    target_precompile_headers(${TARGET} PRIVATE ${ARGN})
  endif()
endfunction()

# Where CMAKE_UNITY_BUILD is on, the sources of one folder are compiled up to eight at a time: they share what headers
# cost, and the code of templates. Their local names must differ then.
function(tt_unity_groups TARGET)
  foreach(source ${ARGN})
    get_filename_component(room "${source}" DIRECTORY)
    string(MAKE_C_IDENTIFIER "in_${room}" room)
    math(EXPR group "0${${room}} / 8")
    math(EXPR ${room} "0${${room}} + 1")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP "${room}_${group}")
  endforeach()
  set_property(TARGET ${TARGET} PROPERTY UNITY_BUILD_MODE GROUP)
endfunction()

# tt_library(NAME sim SOURCES a.cpp b.cpp USES ttsim::base SystemC::systemc)
function(tt_library)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;USES" ${ARGN})
  add_library(ttsim_${ARG_NAME} STATIC ${ARG_SOURCES})
  add_library(ttsim::${ARG_NAME} ALIAS ttsim_${ARG_NAME})
  target_include_directories(ttsim_${ARG_NAME} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(ttsim_${ARG_NAME} PUBLIC ${ARG_USES} PRIVATE tt_warnings)
  tt_unity_groups(ttsim_${ARG_NAME} ${ARG_SOURCES})
  tt_precompiled(ttsim_${ARG_NAME} library ${TT_PRECOMPILED})
endfunction()

# Sources with flags of their own cannot take headers that were compiled without them.
function(tt_source_flags)
  cmake_parse_arguments(ARG "" "" "SOURCES;FLAGS" ${ARGN})
  set_property(SOURCE ${ARG_SOURCES} APPEND PROPERTY COMPILE_OPTIONS ${ARG_FLAGS})
  set_property(SOURCE ${ARG_SOURCES} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
endfunction()
