// SPDX-License-Identifier: BSD-3-Clause
// The functions of OpenBLAS that we call. It is a large library that starts threads when it is loaded, and most
// commands can do without: it is loaded when the first of them is needed (unless it was linked,
// GCKN_LATE_OPENBLAS=OFF).
#pragma once

#include <cstddef>

namespace gckn {

// LAPACK in Fortran's way: by columns, everything by address, the lengths of texts last.
struct OpenBlas {
  void (*dsyevd)(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
                 const int* lwork, int* iwork, const int* liwork, int* info, std::size_t jobz_length,
                 std::size_t uplo_length);
  void (*dsysv)(const char* uplo, const int* n, const int* nrhs, double* a, const int* lda, int* ipiv, double* b,
                const int* ldb, double* work, const int* lwork, int* info, std::size_t uplo_length);
  int (*get_num_threads)();
  void (*set_num_threads)(int);
};

// Throws std::runtime_error if it cannot be loaded.
const OpenBlas& openblas();

#ifdef GCKN_OPENBLAS_FILE
// Of the library in this file, or of this name where the system keeps its libraries.
OpenBlas load_openblas(const char* file);
#endif

}  // namespace gckn
