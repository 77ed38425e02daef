// SPDX-License-Identifier: BSD-3-Clause
// From what a file says of its graphs to Targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gckn/graph_set.h"
#include "io/decimal.h"

namespace gckn {

// graphs x columns numbers. One column of whole numbers gives classes, anything else numbers. fail(graph, message) must
// throw: it is called for a whole number that could not be told from another one, being too large for what it is kept
// as (64 bits of a class, a double among several columns).
Targets targets_of_numbers(const std::vector<WrittenNumber>& numbers, std::size_t columns,
                           const std::function<void(std::size_t, const std::string&)>& fail);

// One class name per graph, or none. Names that are all whole numbers are ordered as numbers, others by bytes.
Targets targets_of_classes(const std::vector<std::optional<std::string>>& names);
Targets targets_of_classes(const std::vector<std::optional<std::int64_t>>& numbers);

// Whether a double holds this whole number, and no other one is taken for it.
bool fits_double(std::int64_t value);

}  // namespace gckn
