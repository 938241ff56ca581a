# varimesh_unite(TARGET): compiles the target's sources many at a time, neighbours in a folder together: what headers hold is
# read, instantiated and optimised once for all of them. In return what is in anonymous namespaces must have different names
# throughout a folder.
function(varimesh_unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
endfunction()

# varimesh_unite_across(TARGET): compiles the target's sources several at a time, which saves reading headers as often. A folder is a
# namespace, and what is in the anonymous namespaces of its files may have the same name: so unit k has the k-th file of each
# folder.
function(varimesh_unite_across target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(source_dir ${target} SOURCE_DIR)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER count_${folder} count)
    if(NOT DEFINED ${count})
      set(${count} 0)
    endif()
    set_source_files_properties(${source} DIRECTORY ${source_dir} PROPERTIES UNITY_GROUP unit_${${count}})
    math(EXPR ${count} "${${count}} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
