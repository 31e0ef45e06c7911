# Warnings for the project's own sources; headers below /usr/include give none.
add_library(tt_warnings INTERFACE)
target_compile_options(tt_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Wold-style-cast -Wimplicit-fallthrough -Wswitch-enum
  # g++ 12 reports false positives: uninitialized members of moved variants
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-restrict>)

# Headers of most sources, precompiled once for each kind of target, since parsing headers dominates build time.
set(TT_PRECOMPILED <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <span>
  <string> <string_view> <vector> <base/extern_templates.hpp>)

# tt_precompiled(TARGET KIND HEADERS...): precompiles HEADERS for TARGET. The first target of a KIND builds them, the
# others reuse them, so all need the same flags, optimization included: GCC 12 crashes when it reads at -O2 or -O3 what was
# precompiled at -O1.
function(tt_precompiled TARGET KIND)
  get_property(first GLOBAL PROPERTY TT_PRECOMPILED_${KIND})
  if(first)
    target_precompile_headers(${TARGET} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY TT_PRECOMPILED_${KIND} ${TARGET})
    target_precompile_headers(${TARGET} PRIVATE ${ARGN})
  endif()
endfunction()

# With CMAKE_UNITY_BUILD, up to eight sources of a folder are compiled as one: they share parsed headers and template
# instances. Their file-local names must therefore differ. With ACROSS_FOLDERS, up to twelve of the whole target are, in
# the order of its list: libraries of many small folders then have a third less machine code of templates. Not for hot
# code, of which GCC inlines less then.
function(tt_unity_groups TARGET)
  cmake_parse_arguments(ARG "ACROSS_FOLDERS" "" "" ${ARGN})
  foreach(source ${ARG_UNPARSED_ARGUMENTS})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE place)
    cmake_path(RELATIVE_PATH place)  # so that ccache finds the objects of another checkout
    cmake_path(GET place PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    set(most 8)
    if(ARG_ACROSS_FOLDERS)
      set(folder across_folders)
      set(most 12)
    endif()
    math(EXPR group "0${${folder}} / ${most}")
    math(EXPR ${folder} "0${${folder}} + 1")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP "${folder}_${group}")
  endforeach()
  set_property(TARGET ${TARGET} PROPERTY UNITY_BUILD_MODE GROUP)
endfunction()

# Headers that scripts/generate-options makes of the schemas of options, at configure time and when any changes.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB TT_OPTION_SURFACES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scripts/option_surfaces/*.py)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/compiler/options/compile_options.toml ${PROJECT_SOURCE_DIR}/sim/options/run_options.toml
  ${PROJECT_SOURCE_DIR}/scripts/generate-options ${TT_OPTION_SURFACES})
execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/generate-options
  ${PROJECT_BINARY_DIR} COMMAND_ERROR_IS_FATAL ANY)
# Likewise the constants of ops, by scripts/generate-ops.
set(TT_OP_TABLE ${PROJECT_SOURCE_DIR}/compiler/ops/ops.toml)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${TT_OP_TABLE} ${PROJECT_SOURCE_DIR}/scripts/generate-ops)
execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/generate-ops ${TT_OP_TABLE}
  ${PROJECT_BINARY_DIR} COMMAND_ERROR_IS_FATAL ANY)

# Writes generated/HEADER: `constexpr const TYPE* TABLE[]` of the constants that the SOURCES define. In their lines PATTERN
# matches a definition; its first group is the name. A changed source configures the build again.
function(tt_list_definitions)
  cmake_parse_arguments(ARG "" "HEADER;PATTERN;TYPE;NAMESPACE;INCLUDE;TABLE" "SOURCES" ${ARGN})
  set(declarations "")
  set(table "")
  foreach(source IN LISTS ARG_SOURCES)
    file(STRINGS ${source} lines REGEX "^[a-z ]*const[a-z]* ${ARG_PATTERN}")
    foreach(line IN LISTS lines)
      string(REGEX MATCH "${ARG_PATTERN}" matched "${line}")
      string(APPEND declarations "extern const ${ARG_TYPE} ${CMAKE_MATCH_1};\n")
      string(APPEND table "    &${CMAKE_MATCH_1},\n")
    endforeach()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARG_SOURCES})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${ARG_HEADER} CONTENT
    "// Made by tt_list_definitions() of cmake/tt_library.cmake.\n#pragma once\n\n#include \"${ARG_INCLUDE}\"\n\nnamespace ${ARG_NAMESPACE} {\n\n${declarations}\ninline constexpr const ${ARG_TYPE}* ${ARG_TABLE}[]{\n${table}};\n\n}  // namespace ${ARG_NAMESPACE}\n")
endfunction()

# tt_static_in_programs(RESULT NAME SHARED): what to link for the library NAME. Programs link its static form, if there is
# one: they start sooner, without looking up its symbols. It is not position-independent, so shared libraries link SHARED.
function(tt_static_in_programs RESULT NAME SHARED)
  find_library(${RESULT}_STATIC NAMES lib${NAME}.a)
  mark_as_advanced(${RESULT}_STATIC)
  if(${RESULT}_STATIC)
    set(program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
    set(${RESULT} $<IF:${program},${${RESULT}_STATIC},${SHARED}> PARENT_SCOPE)
  else()
    set(${RESULT} ${SHARED} PARENT_SCOPE)
  endif()
endfunction()

# tt_library(NAME sim SOURCES a.cpp b.cpp USES ttsim::base SystemC::systemc). ACROSS_FOLDERS: see tt_unity_groups.
# OPTIMIZE -O1 is for code that runs briefly: it builds faster.
function(tt_library)
  cmake_parse_arguments(ARG "ACROSS_FOLDERS" "NAME;OPTIMIZE" "SOURCES;USES" ${ARGN})
  add_library(ttsim_${ARG_NAME} STATIC ${ARG_SOURCES})
  add_library(ttsim::${ARG_NAME} ALIAS ttsim_${ARG_NAME})
  target_include_directories(ttsim_${ARG_NAME} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(ttsim_${ARG_NAME} PUBLIC ${ARG_USES} PRIVATE tt_warnings)
  set(across "")
  if(ARG_ACROSS_FOLDERS)
    set(across ACROSS_FOLDERS)
  endif()
  tt_unity_groups(ttsim_${ARG_NAME} ${across} ${ARG_SOURCES})
  target_compile_options(ttsim_${ARG_NAME} PRIVATE ${ARG_OPTIMIZE})
  tt_precompiled(ttsim_${ARG_NAME} library${ARG_OPTIMIZE} ${TT_PRECOMPILED})
endfunction()

# Adds flags to sources, which are then compiled without the precompiled header: it was made with other flags.
function(tt_source_flags)
  cmake_parse_arguments(ARG "" "" "SOURCES;FLAGS" ${ARGN})
  set_property(SOURCE ${ARG_SOURCES} APPEND PROPERTY COMPILE_OPTIONS ${ARG_FLAGS})
  set_property(SOURCE ${ARG_SOURCES} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
endfunction()
