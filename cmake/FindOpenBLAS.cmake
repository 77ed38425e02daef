# SPDX-License-Identifier: BSD-3-Clause
# Finds OpenBLAS with the LAPACK that it carries: the target OpenBLAS::OpenBLAS. Asked for by name, and without LAPACKE: its
# number of threads is set at run time (openblas_set_num_threads), and LAPACKE brings a second LAPACK and BLAS with it,
# which nobody calls and every start of a program has to load.
# OPENBLAS_FILE is what a program asks the system for when it loads OpenBLAS itself: the name with the version of its
# interface, or a path where the system would not find it by name.
find_library(OPENBLAS_LIBRARY openblas)
if(OPENBLAS_LIBRARY)
  get_filename_component(OPENBLAS_FOLDER ${OPENBLAS_LIBRARY} DIRECTORY)
  set(OPENBLAS_FILE libopenblas${CMAKE_SHARED_LIBRARY_SUFFIX}.0)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux OR NOT OPENBLAS_FOLDER IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    set(OPENBLAS_FILE ${OPENBLAS_LIBRARY})
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBLAS REQUIRED_VARS OPENBLAS_LIBRARY)
if(OpenBLAS_FOUND AND NOT TARGET OpenBLAS::OpenBLAS)
  add_library(OpenBLAS::OpenBLAS INTERFACE IMPORTED)
  set_target_properties(OpenBLAS::OpenBLAS PROPERTIES INTERFACE_LINK_LIBRARIES "${OPENBLAS_LIBRARY}")
endif()
mark_as_advanced(OPENBLAS_LIBRARY)
