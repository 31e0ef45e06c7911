# Links the packages of SOURCE into TARGET: ttsim file by file, since the extension is in the same folder; others as a
# folder.
file(MAKE_DIRECTORY ${TARGET}/ttsim)
file(GLOB ENTRIES RELATIVE ${SOURCE}/ttsim ${SOURCE}/ttsim/*)
foreach(ENTRY ${ENTRIES})
  if(NOT ENTRY STREQUAL "__pycache__" AND NOT ENTRY MATCHES "\\.so$")
    file(REMOVE ${TARGET}/ttsim/${ENTRY})
    file(CREATE_LINK ${SOURCE}/ttsim/${ENTRY} ${TARGET}/ttsim/${ENTRY} SYMBOLIC)
  endif()
endforeach()
if(EXISTS ${SOURCE}/pybuda)
  file(REMOVE ${TARGET}/pybuda)
  file(CREATE_LINK ${SOURCE}/pybuda ${TARGET}/pybuda SYMBOLIC)
endif()
