// SPDX-License-Identifier: BSD-3-Clause
#include "util/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "gckn/error.h"

namespace gckn {

namespace {

// The innermost ThreadScope of this thread.
struct Scope {
  oneapi::tbb::task_arena* arena = nullptr;
  int threads = 0;
};
thread_local Scope current_scope;

// Of the loop that this thread works for: whether it is to stop. Null outside of loops that can be stopped.
thread_local const std::atomic<bool>* current_stop = nullptr;
thread_local bool in_loop = false;
thread_local bool on_one_thread = false;

// This thread works for a loop while this lives.
class LoopMember {
 public:
  explicit LoopMember(const std::atomic<bool>* stop)
      : stop_before_(std::exchange(current_stop, stop)), in_loop_before_(std::exchange(in_loop, true)) {}
  ~LoopMember() {
    current_stop = stop_before_;
    in_loop = in_loop_before_;
  }
  LoopMember(const LoopMember&) = delete;
  LoopMember& operator=(const LoopMember&) = delete;

 private:
  const std::atomic<bool>* const stop_before_;
  const bool in_loop_before_;
};

int threads_of(const RunOptions& options) {
  return options.threads > 0 ? options.threads : oneapi::tbb::info::default_concurrency();
}

#if defined(__SANITIZE_THREAD__)
// ThreadSanitizer cannot see the synchronisation inside oneTBB, which is not built with it, and would report every
// loop. Under it plain threads do the same work, so that what it reports are races between loop bodies. The counter is
// relaxed because anything stronger would order the bodies and hide their races.
void run_loop(std::size_t count, FunctionRef<void(std::size_t)> body) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const auto work = [&] {
    for (std::size_t i = 0; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        next.store(count, std::memory_order_relaxed);  // the other threads stop, too
      }
    }
  };
  {
    const auto threads = std::min(count, static_cast<std::size_t>(std::max(2, current_scope.threads)));
    std::vector<std::jthread> helpers;
    for (std::size_t t = 1; t < threads; ++t) helpers.emplace_back(work);
    work();
  }
  if (error) std::rethrow_exception(error);
}
#endif

}  // namespace

struct ThreadScope::Impl {
  // More threads than cores are allowed (tests use them); TBB has to be told.
  oneapi::tbb::global_control allowance;
  oneapi::tbb::task_arena arena;

  explicit Impl(int threads)
      : allowance(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena(threads) {}
};

ThreadScope::ThreadScope(const RunOptions& options) {
  // Nested scopes change nothing: the outermost public call decides.
  if (current_scope.arena != nullptr) return;
  impl_ = std::make_unique<Impl>(threads_of(options));
  current_scope = {&impl_->arena, threads_of(options)};
}

ThreadScope::~ThreadScope() {
  if (impl_) current_scope = {};
}

int num_threads() {
  if (on_one_thread) return 1;
  return current_scope.threads > 0 ? current_scope.threads : oneapi::tbb::info::default_concurrency();
}

OneThread::OneThread() : before_(std::exchange(on_one_thread, true)) {}
OneThread::~OneThread() {
  on_one_thread = before_;
}

void check_cancelled() {
  if (current_stop != nullptr && current_stop->load(std::memory_order_relaxed)) throw Cancelled();
}

void parallel_for(std::size_t count, FunctionRef<void(std::size_t)> body) {
  if (count == 0) return;
  const std::atomic<bool>* const stop = current_stop;
  if (count == 1 || on_one_thread) {
    const LoopMember member(stop);
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
#if defined(__SANITIZE_THREAD__)
  return run_loop(count, [&](std::size_t i) {
    const LoopMember member(stop);
    body(i);
  });
#else
  const auto loop = [&] {
    oneapi::tbb::task_group_context context;
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const oneapi::tbb::blocked_range<std::size_t>& range) {
          const LoopMember member(stop);
          for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
        },
        oneapi::tbb::simple_partitioner(), context);
    // A loop within a loop that another body has left by an exception is stopped half-way, and says nothing: what
    // follows must not go on with half a result. The outer loop throws the first exception, not this one.
    if (context.is_group_execution_cancelled()) throw Cancelled();
  };
  if (current_scope.arena != nullptr) {
    current_scope.arena->execute(loop);
  } else {
    loop();
  }
#endif
}

void parallel_for_first_error(std::size_t count, FunctionRef<void(std::size_t)> body) {
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

void parallel_tiles(std::size_t count, std::size_t tile, FunctionRef<void(std::size_t, std::size_t)> body) {
  parallel_tiles(count, tile, RunOptions(), "", body);
}

void parallel_tiles(std::size_t count, std::size_t tile, const RunOptions& options, std::string_view stage,
                    FunctionRef<void(std::size_t, std::size_t)> body) {
  parallel_for((count + tile - 1) / tile, options, stage,
               [&](std::size_t i) { body(i * tile, std::min(count, (i + 1) * tile)); });
}

void run_watched(FunctionRef<void()> work, FunctionRef<void()> watch, std::atomic<bool>& stop) {
  constexpr auto kInterval = std::chrono::milliseconds(50);
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;
  std::exception_ptr error;
  std::exception_ptr stopped;
  {
    const std::jthread worker([&, scope = current_scope] {
      current_scope = scope;
      try {
        work();
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      has_ended = true;
      ended.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, kInterval, [&] { return has_ended; })) {
      if (stopped) continue;
      lock.unlock();
      try {
        watch();
      } catch (...) {
        stopped = std::current_exception();
        stop = true;
      }
      lock.lock();
    }
  }
  if (stopped) std::rethrow_exception(stopped);
  if (error) std::rethrow_exception(error);
  watch();
}

void parallel_for(std::size_t count, const RunOptions& options, std::string_view stage,
                  FunctionRef<void(std::size_t)> body) {
  if (!options.progress) return parallel_for(count, body);
  std::atomic<std::size_t> done{0};
  const auto report = [&] { report_progress(options, stage, done.load(), count); };
  report();
  if (in_loop) {
    const std::thread::id caller = std::this_thread::get_id();
    parallel_for(count, [&](std::size_t i) {
      check_cancelled();
      body(i);
      ++done;
      if (std::this_thread::get_id() == caller) report();
    });
    return report();
  }
  std::atomic<bool> stop{false};
  const auto work = [&] {
    const LoopMember member(&stop);
    parallel_for(count, [&](std::size_t i) {
      check_cancelled();
      body(i);
      ++done;
    });
  };
  run_watched(work, report, stop);
}

RunOptions with_prefix(const RunOptions& options, std::string prefix) {
  RunOptions prefixed = options;
  if (!options.progress) return prefixed;
  prefixed.progress = [inner = options.progress, prefix = std::move(prefix)](const Progress& progress) {
    const std::string stage = prefix + std::string(progress.stage);
    return inner({stage, progress.done, progress.total, progress.is_whole});
  };
  return prefixed;
}

RunOptions for_step(const RunOptions& options, std::string stage, std::uint64_t done, std::uint64_t total) {
  RunOptions step = options;
  if (!options.progress) return step;
  step.progress = [inner = options.progress, stage = std::move(stage), done, total](const Progress&) {
    return inner({stage, done, total});
  };
  return step;
}

}  // namespace gckn
