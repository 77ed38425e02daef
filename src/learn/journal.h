// SPDX-License-Identifier: BSD-3-Clause
// The results of a search, written as they come, one JSON object per line. The first line says what experiment it is;
// every other is a unit: one network (or baseline) on one fold of a nested search, or on all folds.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "io/journal_file.h"
#include "learn/evaluate.h"

namespace gckn {

class Journal {
 public:
  // Has no file: remembers the units of this run.
  Journal() = default;

  // Opens `path` for an experiment described by `header`. resume: goes on with the units of an existing file, which
  // must have the same header; a last line that was cut off is dropped. Throws InputError if the file exists and is not
  // to be resumed, is not a regular file or no journal, has a line that is none of a journal, belongs to another
  // experiment, is in use by another run, or cannot be written.
  Journal(const std::filesystem::path& path, const nlohmann::ordered_json& header, bool resume);

  // The result of a unit, or null. A journal is input as any other: throws InputError naming file and line unless the
  // result is one that this experiment can have, with predictions for these folds. They may be missing (see record())
  // unless they are wanted.
  [[nodiscard]] const Evaluation* find(const std::string& unit, const Experiment& experiment,
                                       const std::vector<Fold>& prediction, bool wants_predictions = false) const;

  // Remembers a unit and appends it to the file. Predictions are large: with_predictions only for those that may be
  // wanted again. Threads may call it at the same time.
  void record(const std::string& unit, const Evaluation& result, bool with_predictions);

 private:
  struct Unit {
    Evaluation evaluation;
    std::size_t line = 0;  // of the file; 0: of this run
  };
  mutable std::mutex mutex_;
  std::map<std::string, Unit> units_;
  std::optional<JournalFile> file_;
};

}  // namespace gckn
