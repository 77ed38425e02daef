// SPDX-License-Identifier: BSD-3-Clause
// What a model file is, for gckn info.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "console.h"

namespace gckn::cli {

// Says it, and returns the same as JSON. Throws InputError if the file cannot be loaded.
nlohmann::ordered_json say_model(Console& console, const std::string& path);

}  // namespace gckn::cli
