// SPDX-License-Identifier: BSD-3-Clause
// The anchors of a layer, learnt from the patterns of all its input blocks: k-means on the distinct patterns with
// their multiplicities as weights, or on a sample of paths where patterns are not interned or too many.
#pragma once

#include <span>
#include <vector>

#include "gckn/network.h"
#include "network/forward_pass.h"

namespace gckn {

template <typename Real>
struct LearntLayer {
  BasicLayer<Real> layer;
  AnchorReport report;
};

// Of the layer that the pass is at. is_training: by graph, empty means all; only their patterns count. Throws
// InputError if they have no pattern of the full length to learn from.
template <typename Real>
LearntLayer<Real> learn_anchors(const ForwardPass<Real>& pass, const LayerConfig& config, const InputEncoding& encoding,
                                const FitOptions& fit, std::uint64_t seed, std::span<const char> is_training);

}  // namespace gckn
