// SPDX-License-Identifier: BSD-3-Clause
// Without Python's lock, and what becomes of that when Python ends.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

namespace gckn::python {

// Whether Python is about to end: calls that run are to come to their end, too.
bool python_is_ending();

// Ends this thread of Python, without a word.
[[noreturn]] void end_thread();

// Without the lock to the end of the block. Python waits for such blocks before it ends: a thread that asked for the
// lock later would be torn out of C++, which aborts the process.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  std::optional<nanobind::gil_scoped_release> released_;
};

}  // namespace gckn::python
