// SPDX-License-Identifier: BSD-3-Clause
// Names of labels: words in files, tables of published sets.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gckn/graph_set.h"

namespace gckn {

// The names of these values, in their order; empty if the table names none of them. Throws InputError if two of them
// would have one name. what: "node labels".
std::vector<std::string> names_of_values(std::span<const std::int64_t> values, const LabelNames& names,
                                         std::string_view what);

// The names that a published set's own description gives its labels, by the name of the set; empty tables for others.
struct PublishedNames {
  LabelNames nodes, edges;
};
PublishedNames published_label_names(std::string_view set);

}  // namespace gckn
