# The pages of reports and documents, web/dist/*.html, which the library carries in itself (io/page_templates.cpp). They are made by npm
# in the source tree, once for all build directories. Included by src/CMakeLists.txt.
find_program(NODE_EXECUTABLE node)
find_program(NPM_EXECUTABLE npm)
if(NODE_EXECUTABLE)
  execute_process(COMMAND ${NODE_EXECUTABLE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "^v" "" node_version "${node_version}")
endif()
if(NOT NODE_EXECUTABLE OR NOT NPM_EXECUTABLE OR node_version VERSION_LESS 18)
  message(FATAL_ERROR "The report page is built with npm and node 18 or newer; npm: ${NPM_EXECUTABLE}, node: ${NODE_EXECUTABLE} "
    "${node_version}. Run ./scripts/setup, or install the Debian packages nodejs and npm, or Node.js from https://nodejs.org.")
endif()

set(web_dir ${PROJECT_SOURCE_DIR}/web)
set(report_page ${web_dir}/dist/report.html)
set(document_page ${web_dir}/dist/document.html)
file(GLOB_RECURSE report_sources CONFIGURE_DEPENDS ${web_dir}/src/*)
list(APPEND report_sources ${web_dir}/report.html ${web_dir}/document.html ${web_dir}/package.json ${web_dir}/package-lock.json ${web_dir}/vite.config.ts
  ${web_dir}/build.mjs)
add_custom_command(OUTPUT ${report_page} ${document_page}
  COMMAND ${CMAKE_COMMAND} -Dweb_dir=${web_dir} -Dnpm=${NPM_EXECUTABLE} -P ${PROJECT_SOURCE_DIR}/cmake/build_report.cmake
  DEPENDS ${report_sources} ${PROJECT_SOURCE_DIR}/cmake/build_report.cmake
  COMMENT "Building the report pages" VERBATIM)
set_source_files_properties(varimesh/io/page_templates.cpp PROPERTIES OBJECT_DEPENDS "${report_page};${document_page}"
  COMPILE_DEFINITIONS "VARIMESH_REPORT_PAGE=\"${report_page}\";VARIMESH_DOCUMENT_PAGE=\"${document_page}\"")
