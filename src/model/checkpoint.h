// SPDX-License-Identifier: BSD-3-Clause
// The state of an end-to-end training on disk, to go on from: safetensors layout, as models have, with a checksum.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "gckn/supervised.h"
#include "learn/supervised_training.h"

namespace gckn {

// The epoch that is best on the validation part.
struct BestEpoch {
  int epoch = 0;
  double score = 0;  // more is better
  double loss = 0;   // of the validation part
  TrainedParameters parameters;
};

struct TrainingCheckpoint {
  TrainingState state;
  std::vector<EpochRecord> history;
  std::optional<BestEpoch> best;  // if there is a validation part
};

// header: everything that the training follows from, but for the number of epochs.
void save_checkpoint(const TrainingCheckpoint& checkpoint, const nlohmann::ordered_json& header,
                     const std::filesystem::path& path);

// shape: a state of the training that is to go on. Throws InputError if the file is no checkpoint, is damaged, or is of
// another training: the message says what differs.
TrainingCheckpoint load_checkpoint(const std::filesystem::path& path, const nlohmann::ordered_json& header,
                                   const TrainingState& shape);

}  // namespace gckn
