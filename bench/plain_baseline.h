// SPDX-License-Identifier: BSD-3-Clause
// What the engine is compared with: the same network computed path by path, its anchors by k-means with dense
// products on 300,000 sampled paths, no bounds and no merging of equal paths.
#pragma once

#include <functional>
#include <string_view>

#include "gckn/network.h"

namespace gckn::bench {

Matrix plain_fit_and_embed(const GraphSet& graphs, const NetworkConfig& config,
                           const std::function<void(std::string_view)>& begin_stage);

}  // namespace gckn::bench
