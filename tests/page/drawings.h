// SPDX-License-Identifier: BSD-3-Clause
// Made-up molecules for the page of explanations: rings side by side with groups on them, drawn as gckn draws graphs.
// Not chemistry, but with pictures of the size and look of real ones.
#pragma once

#include <cstdint>
#include <string>

namespace gckn {

struct MadeUpMolecule {
  std::string smiles;
  std::string picture;  // SVG of about 6 KB
};

// `rings` (1 to 3) with `groups` (1 to 4), the first of them group number `group` (0 to 5), which is the motif together
// with the rings if `rings_in_motif`. The rest comes from `seed`.
MadeUpMolecule make_up_molecule(int rings, int groups, int group, bool rings_in_motif, std::uint64_t seed);

// The names of the groups.
const char* group_name(int group);

}  // namespace gckn
