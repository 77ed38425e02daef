// SPDX-License-Identifier: BSD-3-Clause
// JSON from files that may be hostile: limited nesting, no key twice in one object.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace gckn {

// Parses one JSON value. Throws InputError with a message without the file's name ("not JSON: ...", "the key \"a\"
// appears twice"), for the caller to complete. The result takes at most about ten times the memory of the text.
nlohmann::json parse_strict_json(std::string_view text, int max_depth);

// A value as it can stand in an error message: JSON text, cut short where it is long.
std::string json_excerpt(const nlohmann::json& value);

}  // namespace gckn
