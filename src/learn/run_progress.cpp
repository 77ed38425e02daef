// SPDX-License-Identifier: BSD-3-Clause
#include "learn/run_progress.h"

#include "util/parallel.h"

namespace gckn {

RunProgress::RunProgress(const RunOptions& options)
    : options_(options), within_(options), caller_(std::this_thread::get_id()) {
  if (!options.progress) return;
  within_.progress = [this](const Progress&) {
    if (std::this_thread::get_id() == caller_ && !options_.progress({stage_, done_.load(), total_})) {
      cancelled_ = true;
    }
    return !cancelled_;
  };
}

void RunProgress::begin(const char* stage, std::uint64_t total) {
  stage_ = stage;
  done_ = 0;
  total_ = total;
}

void RunProgress::report() {
  if (std::this_thread::get_id() == caller_) report_progress(options_, stage_, done_.load(), total_);
}

}  // namespace gckn
