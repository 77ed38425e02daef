// SPDX-License-Identifier: BSD-3-Clause
// Progress and cancellation of a computation of many parts that run on several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "gckn/run_options.h"

namespace gckn {

class RunProgress {
 public:
  // Belongs to the thread that makes it: only from there is options.progress called. `options` must outlive this.
  explicit RunProgress(const RunOptions& options);
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  // A new stage, with nothing of its `total` steps done.
  void begin(const char* stage, std::uint64_t total);

  // From any thread.
  void advance(std::uint64_t steps = 1) { done_ += steps; }
  void set_done(std::uint64_t done) { done_ = done; }

  // Tells the caller where we are; does nothing on other threads. Throws Cancelled if the caller says so.
  void report();

  // For what runs within, on any thread: its own progress is not shown, for it would only flicker, but it hears of a
  // cancellation.
  [[nodiscard]] const RunOptions& within() const { return within_; }

 private:
  const RunOptions& options_;
  RunOptions within_;
  const std::thread::id caller_;
  std::atomic<bool> cancelled_{false};
  const char* stage_ = "";
  std::atomic<std::uint64_t> done_{0};
  std::uint64_t total_ = 0;
};

}  // namespace gckn
