# SPDX-License-Identifier: BSD-3-Clause
# Finds OpenBLAS with the LAPACK that it carries: the target OpenBLAS::OpenBLAS. Asked for by name, and without LAPACKE: its
# number of threads is set at run time (openblas_set_num_threads), and LAPACKE brings a second LAPACK and BLAS with it,
# which nobody calls and every start of a program has to load.
find_library(OPENBLAS_LIBRARY openblas)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBLAS REQUIRED_VARS OPENBLAS_LIBRARY)
if(OpenBLAS_FOUND AND NOT TARGET OpenBLAS::OpenBLAS)
  add_library(OpenBLAS::OpenBLAS INTERFACE IMPORTED)
  set_target_properties(OpenBLAS::OpenBLAS PROPERTIES INTERFACE_LINK_LIBRARIES "${OPENBLAS_LIBRARY}")
endif()
mark_as_advanced(OPENBLAS_LIBRARY)
