# One INTERFACE target carries the warnings of our own code; libraries below /usr/include stay silent.
add_library(tt_warnings INTERFACE)
target_compile_options(tt_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Wold-style-cast -Wimplicit-fallthrough -Wswitch-enum
  # g++ 12 sees uninitialised members in moved variants where there are none
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-restrict>)

# tt_library(NAME sim SOURCES a.cpp b.cpp USES tt::base SystemC::systemc)
function(tt_library)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;USES" ${ARGN})
  add_library(tt_${ARG_NAME} STATIC ${ARG_SOURCES})
  add_library(tt::${ARG_NAME} ALIAS tt_${ARG_NAME})
  target_include_directories(tt_${ARG_NAME} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(tt_${ARG_NAME} PUBLIC ${ARG_USES} PRIVATE tt_warnings)
endfunction()
