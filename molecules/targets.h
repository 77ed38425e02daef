// SPDX-License-Identifier: BSD-3-Clause
// From columns of text to targets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gckn/graph_set.h"
#include "records.h"

namespace gckn {

// One column of whole numbers or words gives classes, of other numbers numbers; several columns give numbers. records:
// those that became graphs. known: what a model says they are. Throws InputError naming row and column for a word where
// others are numbers.
Targets targets_of_records(const std::string& file, const std::vector<std::string>& columns,
                           const std::vector<const MoleculeRecord*>& records,
                           const std::optional<MoleculeColumns::Known>& known);

}  // namespace gckn
