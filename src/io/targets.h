// SPDX-License-Identifier: BSD-3-Clause
// From what a file says of its graphs to Targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gckn/graph_set.h"

namespace gckn {

// graphs x columns numbers. One column of whole numbers gives classes, anything else numbers.
Targets targets_of_numbers(std::vector<double> numbers, std::size_t columns);

// One class name per graph, or none. Names that are all whole numbers are ordered as numbers, others by bytes.
Targets targets_of_classes(const std::vector<std::optional<std::string>>& names);
Targets targets_of_classes(const std::vector<std::optional<std::int64_t>>& numbers);

}  // namespace gckn
