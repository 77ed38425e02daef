// SPDX-License-Identifier: BSD-3-Clause
// What a file holds, as far as its first bytes tell: for errors about one file where another belongs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace gckn {

// The first bytes of a file, enough to tell what it holds; none if it cannot be read.
std::string read_head(const std::filesystem::path& path, std::size_t bytes = 256);

// Whether a file begins like a model: the length of a header, which is a JSON object.
bool begins_like_a_model(std::string_view head);

// "a gckn model", "a zip file", "a NumPy array", "JSON lines", "text"; empty if it cannot be told.
std::string_view looks_like(std::string_view head);

}  // namespace gckn
