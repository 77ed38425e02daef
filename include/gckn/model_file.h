// SPDX-License-Identifier: BSD-3-Clause
// Networks on disk: safetensors layout, suffix .gckn; docs/formats.md has the fields.
#pragma once

#include <filesystem>

#include "gckn/network.h"

namespace gckn {

// Written to a temporary file in the same folder, then renamed: a crash leaves the old file whole.
void save_network(const Network& network, const std::filesystem::path& path);

// Throws InputError for a file that is truncated, inconsistent, hostile or of a newer format, before allocating more
// than the file's own size.
Network load_network(const std::filesystem::path& path);

}  // namespace gckn
