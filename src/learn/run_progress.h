// SPDX-License-Identifier: BSD-3-Clause
// Progress and cancellation of a computation of many parts on several threads: one bar for all of it, and an end soon
// after the caller asks for it, whatever is going on.
//
// The parts say what they expect to cost, then what they have done; only ratios of costs matter. What is reported is
// the share of the whole, kSteps at its end, and never less than before.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "gckn/run_options.h"

namespace gckn {

class RunProgress {
 public:
  static constexpr std::uint64_t kSteps = 10'000;

  // `options` must outlive this.
  explicit RunProgress(const RunOptions& options);
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  // Runs `work` on a thread of its own, if progress is wanted, while this one calls options.progress several times a
  // second: it need not wait for a long step of the work to hear of a cancellation. Throws what `work` throws, and
  // Cancelled once the callback has returned false, unless the work has a result then (keep_result).
  void run(const std::function<void()>& work);

  // What follows is for the work within, from any of its threads.

  void begin(std::string stage);
  void expect(double cost) { expected_ = expected_ + cost; }
  void advance(double cost);
  // For what was expected to come to this, but was left out or went faster.
  void advance_to(double done);
  [[nodiscard]] double done() const { return done_; }

  // Calls `function` from the thread that called run(), soon.
  void tell(std::function<void()> function);

  // From now on the work ends with a result when it hears of a cancellation: run() does not throw Cancelled.
  void keep_result() { result_kept_ = true; }

  // For calls within, from any thread: their own progress is not shown, but they hear of a cancellation.
  [[nodiscard]] const RunOptions& within() const { return within_; }
  // The same for one call of a given cost, which is advanced as the call reports its steps.
  [[nodiscard]] RunOptions within(double cost);

 private:
  [[nodiscard]] std::uint64_t steps() const;
  void ask(std::uint64_t steps);
  void call_told();

  const RunOptions& options_;
  RunOptions within_;
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> result_kept_{false};
  std::mutex mutex_;  // of the next two
  std::string stage_ = "preparing";
  std::vector<std::function<void()>> told_;
  std::atomic<double> expected_{0};
  std::atomic<double> done_{0};
  std::uint64_t reported_ = 0;
};

}  // namespace gckn
