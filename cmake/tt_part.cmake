# tt_part(NAME systemc SOURCES a.cpp USES SystemC::systemc): the target ttsim_systemc_part, for the libraries that use the part
# (base/part.hpp). Programs load its module libttsim_systemc.so on first use, whose libraries would delay the start of
# every command; shared libraries link it.
function(tt_part)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;USES" ${ARGN})
  add_library(ttsim_${ARG_NAME}_linked STATIC ${ARG_SOURCES})
  target_include_directories(ttsim_${ARG_NAME}_linked PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(ttsim_${ARG_NAME}_linked PRIVATE ${ARG_USES} tt_warnings)

  add_library(ttsim_${ARG_NAME} MODULE $<TARGET_OBJECTS:ttsim_${ARG_NAME}_linked>)
  set_target_properties(ttsim_${ARG_NAME} PROPERTIES LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/ttsim)
  target_link_libraries(ttsim_${ARG_NAME} PRIVATE ${ARG_USES})

  add_library(ttsim_${ARG_NAME}_part INTERFACE)
  set(program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
  target_link_libraries(ttsim_${ARG_NAME}_part INTERFACE $<$<NOT:${program}>:ttsim_${ARG_NAME}_linked>)
  # a weak reference does not take a member from a static library
  target_link_options(ttsim_${ARG_NAME}_part INTERFACE $<$<NOT:${program}>:LINKER:-u,ttsim_${ARG_NAME}>)
  add_dependencies(ttsim_${ARG_NAME}_part ttsim_${ARG_NAME})
  set_property(GLOBAL APPEND PROPERTY TT_PARTS ttsim_${ARG_NAME})
endfunction()
