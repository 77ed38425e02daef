// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/openblas.h"

#ifdef GCKN_OPENBLAS_FILE

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

namespace gckn {
namespace {

[[noreturn]] void throw_not_loaded(const char* file) {
  const char* reason = dlerror();
  throw std::runtime_error(fmt::format("cannot load OpenBLAS, {}: {}", file, reason == nullptr ? "no reason" : reason));
}

template <typename Function>
void find(void* library, const char* file, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) throw_not_loaded(file);
}

}  // namespace

OpenBlas load_openblas(const char* file) {
  // Never closed: it has threads of its own.
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw_not_loaded(file);
  OpenBlas functions{};
  find(library, file, "dsyevd_", functions.dsyevd);
  find(library, file, "dsysv_", functions.dsysv);
  find(library, file, "openblas_get_num_threads", functions.get_num_threads);
  find(library, file, "openblas_set_num_threads", functions.set_num_threads);
  return functions;
}

const OpenBlas& openblas() {
  static const OpenBlas functions = load_openblas(GCKN_OPENBLAS_FILE);
  return functions;
}

}  // namespace gckn

#else

extern "C" {
void dsyevd_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*, const int*,
             int*, std::size_t, std::size_t);
void dsysv_(const char*, const int*, const int*, double*, const int*, int*, double*, const int*, double*, const int*,
            int*, std::size_t);
int openblas_get_num_threads();
void openblas_set_num_threads(int);
}

namespace gckn {

const OpenBlas& openblas() {
  static constexpr OpenBlas kFunctions{dsyevd_, dsysv_, openblas_get_num_threads, openblas_set_num_threads};
  return kFunctions;
}

}  // namespace gckn

#endif
