// SPDX-License-Identifier: BSD-3-Clause
// A parallel loop whose error does not depend on timing: every body runs, and the error of the lowest index is thrown.
#pragma once

#include <cstddef>
#include <exception>
#include <vector>

#include "util/parallel.h"

namespace gckn {

template <typename Body>
void parallel_for_first_error(std::size_t count, const Body& body) {
  std::vector<std::exception_ptr> errors(count);
  parallel_for(count, [&](std::size_t i) {
    try {
      body(i);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace gckn
