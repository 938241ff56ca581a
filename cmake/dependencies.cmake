# Libraries from the system. Those that ship no CMake package are found here and given a target.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt 9 REQUIRED)
find_package(Threads REQUIRED)
find_package(muparser REQUIRED)
find_package(tomlplusplus 3 REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)

# OpenBLAS, not the reference BLAS: dense Cholesky is 14 times, supernodal Cholesky 3 times slower with the latter.
find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread)
find_library(CHOLMOD_LIBRARY cholmod)
find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
find_path(GMSH_INCLUDE_DIR gmshc.h)
find_library(GMSH_LIBRARY gmsh)
foreach(required OPENBLAS_LIBRARY CHOLMOD_LIBRARY CHOLMOD_INCLUDE_DIR RANDOM123_INCLUDE_DIR GMSH_INCLUDE_DIR GMSH_LIBRARY)
  if(NOT ${required})
    message(FATAL_ERROR "${required} was not found: run ./scripts/setup, which installs the Debian packages varimesh needs.")
  endif()
endforeach()

add_library(varimesh_cholmod INTERFACE)
target_include_directories(varimesh_cholmod SYSTEM INTERFACE ${CHOLMOD_INCLUDE_DIR})
target_link_libraries(varimesh_cholmod INTERFACE ${CHOLMOD_LIBRARY} ${OPENBLAS_LIBRARY} gomp)
