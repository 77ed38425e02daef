// SPDX-License-Identifier: BSD-3-Clause
#include "util/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "gckn/error.h"
#if defined(__SANITIZE_THREAD__)
#include <mutex>
#endif

namespace gckn {

namespace {

thread_local oneapi::tbb::task_arena* current_arena = nullptr;

int threads_of(const RunOptions& options) {
  return options.threads > 0 ? options.threads : oneapi::tbb::info::default_concurrency();
}

#if defined(__SANITIZE_THREAD__)
// ThreadSanitizer cannot see the synchronisation inside oneTBB, which is not built with it, and would report every
// loop. Under it plain threads do the same work, so that what it reports are races between loop bodies. The counter is
// relaxed because anything stronger would order the bodies and hide their races.
thread_local int current_threads = 0;

void run_loop(std::size_t count, const std::function<void(std::size_t)>& body) {
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
    const auto threads = std::min(count, static_cast<std::size_t>(std::max(2, current_threads)));
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
  if (current_arena != nullptr) return;
  impl_ = std::make_unique<Impl>(threads_of(options));
  current_arena = &impl_->arena;
#if defined(__SANITIZE_THREAD__)
  current_threads = threads_of(options);
#endif
}

ThreadScope::~ThreadScope() {
  if (impl_) current_arena = nullptr;
}

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (count == 0) return;
  if (count == 1) return body(0);
#if defined(__SANITIZE_THREAD__)
  return run_loop(count, body);
#else
  const auto loop = [&] {
    oneapi::tbb::task_group_context context;
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const oneapi::tbb::blocked_range<std::size_t>& range) {
          for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
        },
        oneapi::tbb::simple_partitioner(), context);
    // A loop within a loop that another body has left by an exception is stopped half-way, and says nothing: what
    // follows must not go on with half a result. The outer loop throws the first exception, not this one.
    if (context.is_group_execution_cancelled()) throw Cancelled();
  };
  if (current_arena != nullptr) {
    current_arena->execute(loop);
  } else {
    loop();
  }
#endif
}

void parallel_for_first_error(std::size_t count, const std::function<void(std::size_t)>& body) {
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

void parallel_tiles(std::size_t count, std::size_t tile, const std::function<void(std::size_t, std::size_t)>& body) {
  parallel_tiles(count, tile, RunOptions(), "", body);
}

void parallel_tiles(std::size_t count, std::size_t tile, const RunOptions& options, std::string_view stage,
                    const std::function<void(std::size_t, std::size_t)>& body) {
  parallel_for((count + tile - 1) / tile, options, stage,
               [&](std::size_t i) { body(i * tile, std::min(count, (i + 1) * tile)); });
}

void parallel_for(std::size_t count, const RunOptions& options, std::string_view stage,
                  const std::function<void(std::size_t)>& body) {
  if (!options.progress) return parallel_for(count, body);
  // The calling thread takes part in the loop and reports whenever it has finished something.
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<std::size_t> done{0};
  report_progress(options, stage, 0, count);
  parallel_for(count, [&](std::size_t i) {
    body(i);
    const std::size_t now_done = ++done;
    if (std::this_thread::get_id() == caller) report_progress(options, stage, now_done, count);
  });
  report_progress(options, stage, count, count);
}

}  // namespace gckn
