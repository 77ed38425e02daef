// SPDX-License-Identifier: BSD-3-Clause
#include "learn/run_progress.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "gckn/error.h"
#include "util/parallel.h"

namespace gckn {

RunProgress::RunProgress(const RunOptions& options) : options_(options), within_(options) {
  if (!options.progress) return;
  within_.progress = [this](const Progress&) { return !cancelled_.load(std::memory_order_relaxed); };
}

void RunProgress::run(const std::function<void()>& work) {
  if (!options_.progress) return work();
  const auto watch = [&](std::uint64_t steps) {
    call_told();
    ask(steps);
    if (cancelled_) throw Cancelled();
  };
  bool has_result = false;
  std::exception_ptr error;  // of the work, should it fail after it has heard of the cancellation
  const auto watched = [&] {
    try {
      work();
      has_result = true;
    } catch (...) {
      error = std::current_exception();
      throw;
    }
  };
  try {
    run_watched(
        watched, [&] { watch(steps()); }, cancelled_);
    watch(kSteps);
  } catch (const Cancelled&) {
    call_told();
    if (!result_kept_) throw;
    if (!has_result) std::rethrow_exception(error);
  }
}

void RunProgress::begin(std::string stage) {
  const std::lock_guard lock(mutex_);
  stage_ = std::move(stage);
}

void RunProgress::tell(std::function<void()> function) {
  if (!options_.progress) return function();
  const std::lock_guard lock(mutex_);
  told_.push_back(std::move(function));
}

void RunProgress::call_told() {
  std::vector<std::function<void()>> functions;
  {
    const std::lock_guard lock(mutex_);
    functions.swap(told_);
  }
  for (const std::function<void()>& function : functions) function();
}

void RunProgress::advance(double cost) {
  double before = done_;
  while (!done_.compare_exchange_weak(before, before + cost)) {
  }
}

void RunProgress::advance_to(double done) {
  double before = done_;
  while (before < done && !done_.compare_exchange_weak(before, done)) {
  }
}

RunOptions RunProgress::within(double cost) {
  RunOptions options = within_;
  if (!options.progress) return options;
  const auto advanced = std::make_shared<std::atomic<double>>(0.0);  // share of the call
  options.progress = [this, cost, advanced](const Progress& progress) {
    if (progress.total > 0) {
      const double share = std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(progress.total));
      double before = *advanced;
      while (before < share) {
        if (advanced->compare_exchange_weak(before, share)) {
          advance(cost * (share - before));
          break;
        }
      }
    }
    return !cancelled_.load(std::memory_order_relaxed);
  };
  return options;
}

// Before the end there is always something left.
std::uint64_t RunProgress::steps() const {
  const double expected = expected_;
  const double share = expected > 0 ? std::clamp(done_ / expected, 0.0, 1.0) : 0.0;
  return std::min(static_cast<std::uint64_t>(share * static_cast<double>(kSteps)), kSteps - 1);
}

void RunProgress::ask(std::uint64_t steps) {
  reported_ = std::max(reported_, steps);
  std::string stage;
  {
    const std::lock_guard lock(mutex_);
    stage = stage_;
  }
  if (!cancelled_ && !options_.progress({stage, reported_, kSteps, true})) cancelled_ = true;
}

}  // namespace gckn
