// SPDX-License-Identifier: BSD-3-Clause
// Parallel loops whose results do not depend on the number of threads: work is cut into tiles by the problem alone,
// every tile writes its own place, and reductions go over tiles in order.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "gckn/error.h"
#include "gckn/run_options.h"
#include "util/function_ref.h"

namespace gckn {

// Limits the threads used by the parallel loops of the calling thread while it lives. One per public call.
class ThreadScope {
 public:
  explicit ThreadScope(const RunOptions& options);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Threads that the loops of the calling thread use.
int num_threads();

// While it lives, loops of the calling thread run on it alone. For work that goes on side by side anyway and whose
// loops are short: no thread then waits in one of them, or takes up another long piece of work meanwhile.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const bool before_;
};

// Calls body(i) for i in [0, count), in any order, on the threads of the innermost ThreadScope.
void parallel_for(std::size_t count, FunctionRef<void(std::size_t)> body);

// Calls body(begin, end) for the tiles of `tile` consecutive indices that cover [0, count).
void parallel_tiles(std::size_t count, std::size_t tile, FunctionRef<void(std::size_t, std::size_t)> body);

// Calls every body, whatever the others throw, then throws the exception of the lowest index: an error that does not
// depend on timing.
void parallel_for_first_error(std::size_t count, FunctionRef<void(std::size_t)> body);

// As the first two, but reporting progress from the calling thread; in tiles, if it is tiles that are gone through. The
// calling thread watches while others work, several times a second, so that a body which takes long can be cancelled,
// too: it has to call check_cancelled() now and then. A loop within a loop does not watch, and takes part in the work.
void parallel_for(std::size_t count, const RunOptions& options, std::string_view stage,
                  FunctionRef<void(std::size_t)> body);
void parallel_tiles(std::size_t count, std::size_t tile, const RunOptions& options, std::string_view stage,
                    FunctionRef<void(std::size_t, std::size_t)> body);

// Runs `work` on another thread, in the same ThreadScope, and calls `watch` several times a second until it has ended,
// and once when it has: whoever watches need not wait for a long step of the work. Throws what either throws; if it is
// `watch`, `stop` is set and the work waited for.
void run_watched(FunctionRef<void()> work, FunctionRef<void()> watch, std::atomic<bool>& stop);

// Throws Cancelled if the progress callback of a loop that the calling thread works for has said so. Cheap, but not
// free: for every few thousand steps.
void check_cancelled();

// Reports progress; throws Cancelled if the callback says so.
inline void report_progress(const RunOptions& options, std::string_view stage, std::uint64_t done,
                            std::uint64_t total) {
  if (options.progress && !options.progress({stage, done, total})) throw Cancelled();
}

// The same options, with progress whose stages begin with `prefix`: "layer 1: ".
RunOptions with_prefix(const RunOptions& options, std::string prefix);

// The same options for step `done` of the `total` that a stage has: whatever the step has to report, the stage has got
// as far as that. So a step that takes long can be cancelled in its midst, and the bar does not jump to and fro.
RunOptions for_step(const RunOptions& options, std::string stage, std::uint64_t done, std::uint64_t total);

}  // namespace gckn
