# What `cmake --install` puts where, and the Debian package made of it.
include(GNUInstallDirs)
# installing and packaging build nothing, least of all the tests: scripts/package names what it needs
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
include(CMakePackageConfigHelpers)

# --- programs, library, headers ----------------------------------------------------------------------------------
install(TARGETS ttsim ttperf tt-smi ttsim-opt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ttsim_library tt_backend EXPORT ttsimTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY api/include/ttsim api/include/tt_backend DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ttsim)
install(EXPORT ttsimTargets NAMESPACE ttsim:: DESTINATION ${package_dir})
configure_package_config_file(cmake/ttsimConfig.cmake.in ${CMAKE_BINARY_DIR}/ttsimConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/ttsimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/ttsimConfig.cmake ${CMAKE_BINARY_DIR}/ttsimConfigVersion.cmake
  DESTINATION ${package_dir})

# --- data, documents ---------------------------------------------------------------------------------------------
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/ttsim)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/ttsim)
# the page of ttsim report, where scripts/web has built it
install(FILES build/web/report.html DESTINATION ${CMAKE_INSTALL_DATADIR}/ttsim OPTIONAL)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES cmake/copyright THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# --- man pages and completion, made by the tools from their own command lines ------------------------------------
set(manual ${CMAKE_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/made
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
  COMMAND ttsim --make-manual ${manual}
  COMMAND ttperf --make-manual ${manual}
  COMMAND tt-smi --make-manual ${manual}
  COMMAND ttsim-opt --make-manual ${manual}
  COMMAND ${CMAKE_COMMAND} -E touch ${manual}/made
  DEPENDS ttsim ttperf tt-smi ttsim-opt VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/made)
install(DIRECTORY ${manual}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY ${manual}/completion/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)

# --- Debian package (scripts/package) ----------------------------------------------------------------------------
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ttsim)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "ttsim maintainers <ttsim@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Simulator and compiler for Tenstorrent Tensix chips")
set(CPACK_PACKAGE_DESCRIPTION
  "Runs Buda netlists on a SystemC model of Grayskull and Wormhole chips with the chips' own number formats, checks every output and reports cycles; compiles ONNX models to such netlists. With a C++ library.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
