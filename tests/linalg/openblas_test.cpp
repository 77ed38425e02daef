// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/openblas.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace gckn {
namespace {

TEST(OpenBlas, HasThreads) {
  EXPECT_GE(openblas().get_num_threads(), 1);
  EXPECT_EQ(&openblas(), &openblas()) << "it is loaded once";
}

#ifdef GCKN_OPENBLAS_FILE
TEST(OpenBlas, SaysWhyItCannotBeLoaded) {
  for (const char* file : {"libopenblas-missing.so.0", "libm.so.6"}) {  // no such file, and one without LAPACK
    try {
      (void)load_openblas(file);
      ADD_FAILURE() << file;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(std::string("cannot load OpenBLAS, ") + file), std::string::npos)
          << error.what();
    }
  }
}
#endif

}  // namespace
}  // namespace gckn
