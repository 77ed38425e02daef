// SPDX-License-Identifier: BSD-3-Clause
// The JSON configuration that model files carry and --config reads; docs/formats.md lists the keys.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "gckn/network.h"

namespace gckn {

// Written into every file; files with a higher number are refused.
inline constexpr int kModelFormat = 2;

// A configuration as read. `input` holds the fitted values, which only model files have.
struct ParsedConfig {
  NetworkConfig config;
  InputEncoding input;
  bool has_format = false;
  int format = kModelFormat;
};

// Throws UsageError naming the key and the value that is wrong, or the key that is not known.
ParsedConfig parse_config_json(std::string_view text);

// The parts that configurations and model files share: layers, global pooling, concatenation.
nlohmann::ordered_json layer_to_json(const LayerConfig& layer, Compare compare = Compare::vectors);

}  // namespace gckn
