# SPDX-License-Identifier: BSD-3-Clause
# Finds LAPACKE over OpenBLAS: the target LAPACKE::LAPACKE. OpenBLAS itself is asked for by name because its
# number of threads is set at run time (openblas_set_num_threads).
find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES lapacke)
find_library(LAPACKE_LIBRARY lapacke)
find_library(OPENBLAS_LIBRARY openblas)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LAPACKE REQUIRED_VARS LAPACKE_LIBRARY OPENBLAS_LIBRARY LAPACKE_INCLUDE_DIR)
if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
  add_library(LAPACKE::LAPACKE INTERFACE IMPORTED)
  set_target_properties(LAPACKE::LAPACKE PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LAPACKE_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${LAPACKE_LIBRARY};${OPENBLAS_LIBRARY}")
endif()
mark_as_advanced(LAPACKE_INCLUDE_DIR LAPACKE_LIBRARY OPENBLAS_LIBRARY)
