// SPDX-License-Identifier: BSD-3-Clause
// A long call of the library: without Python's lock, with progress and Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>

#include "gckn/error.h"
#include "gckn/run_options.h"
#include "unlocked.h"

namespace gckn::python {

namespace nb = nanobind;

// How a call runs; in Python a tuple (threads, progress or None, max_paths or None).
struct Run {
  int threads = 0;
  nb::object progress;  // called with stage, done, total; or None
  std::optional<std::uint64_t> max_paths;
};

inline Run run_from(const nb::tuple& run) {
  return {nb::cast<int>(run[0]), nb::borrow<nb::object>(run[1]), nb::cast<std::optional<std::uint64_t>>(run[2])};
}

// work(options) without the lock. What the progress callback raises, or a signal does, ends it and is raised. So does
// the end of Python.
template <typename Work>
auto run_unlocked(const nb::tuple& how, const Work& work) {
  const Run run = run_from(how);
  std::exception_ptr raised;
  std::atomic<bool> ended{false};
  RunOptions options;
  options.threads = run.threads;
  if (run.max_paths) options.max_paths = *run.max_paths;
  options.progress = [&](const Progress& at) {
    if (python_is_ending()) {
      ended = true;
      return false;
    }
    const nb::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!run.progress.is_none()) run.progress(nb::str(at.stage.data(), at.stage.size()), at.done, at.total);
    } catch (...) {
      raised = std::current_exception();
      return false;
    }
    return true;
  };
  const auto unlocked = [&] {
    const Unlocked here;
    return work(static_cast<const RunOptions&>(options));
  };
  const auto raise = [&] {
    if (ended) end_thread();
    if (raised) std::rethrow_exception(raised);
  };
  try {
    auto result = unlocked();
    raise();  // a training that was stopped returns what it has
    return result;
  } catch (const Cancelled&) {
    raise();
    throw;
  }
}

}  // namespace gckn::python
