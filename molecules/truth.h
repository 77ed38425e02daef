// SPDX-License-Identifier: BSD-3-Clause
// From a column of text to the atoms that matter: "5 6 7|12 13 14".
#pragma once

#include <string>
#include <string_view>

#include "convert.h"
#include "gckn/graph_set.h"

namespace gckn {

// Adds the alternatives of the text to `truth`, as atoms of the molecule. An alternative of which an atom was left out
// with a fragment is left out, too. Returns what is wrong with the text, or "". Threads may call it side by side.
std::string parse_truth(std::string_view text, const ConvertedMolecule& molecule, NodeTruth& truth);

}  // namespace gckn
