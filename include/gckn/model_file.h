// SPDX-License-Identifier: BSD-3-Clause
// Networks and trained models on disk: safetensors layout, suffix .gckn; docs/formats.md has the fields.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "gckn/model.h"
#include "gckn/network.h"

namespace gckn {

// Written to a temporary file in the same folder, then renamed: a crash leaves the old file whole.
void save_network(const Network& network, const std::filesystem::path& path);

void save_model(const Model& model, const std::filesystem::path& path);

// What these files hold, for other places than a file: equal models have equal bytes.
std::string network_bytes(const Network& network);
std::string model_bytes(const Model& model);

// What a file says of itself, without its tensors.
struct ModelFileSummary {
  int format = 0;
  std::string gckn_version;  // that wrote it
  bool is_trained = false;   // a model; otherwise a network only
  std::uint64_t bytes = 0;
};
ModelFileSummary summarise_model_file(const std::filesystem::path& path);

// Whether a file begins like one of these; false if it cannot be read.
bool is_model_file(const std::filesystem::path& path);

// Throws InputError for a file that is truncated, inconsistent, hostile or of a newer format, before allocating more
// than the file's own size.
// load_network also takes the network out of a trained model; load_model refuses a file that holds a network only.
Network load_network(const std::filesystem::path& path);
Model load_model(const std::filesystem::path& path);
// The same of bytes; `name` stands in for the file's in errors.
Network network_from_bytes(std::string bytes, const std::string& name = "network");
Model model_from_bytes(std::string bytes, const std::string& name = "model");

}  // namespace gckn
