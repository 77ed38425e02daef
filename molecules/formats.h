// SPDX-License-Identifier: BSD-3-Clause
// Which files hold molecules, by their names.
#pragma once

#include <optional>
#include <string>

namespace gckn {

enum class MoleculeFormat { csv, smi, sdf };

// By the suffix, but for .gz and .zip.
std::optional<MoleculeFormat> molecule_format(const std::string& name);

// A name without what only says how the file is packed.
std::string unpacked_name(std::string name);

}  // namespace gckn
