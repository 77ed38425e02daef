// SPDX-License-Identifier: BSD-3-Clause
// Graphs as a network's input: a colour for every node, a feature vector for every colour, a label for every arc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/matrix.h"
#include "gckn/network.h"

namespace gckn {

// A vector shorter than this is not blown up to unit length.
inline constexpr double kTinyNorm = 1e-4;

// The feature vectors of the colours of one block, split into direction and length: unit = x / max(norm, kTinyNorm).
template <typename Real>
struct ColourFeatures {
  std::size_t width = 0;   // d
  bool one_hot = false;    // colour c is the unit vector e_c; colours >= width are orthogonal to all of them
  BasicMatrix<Real> unit;  // colours x d; empty if one_hot
  std::vector<Real> norm;  // by colour; empty if all are 1

  [[nodiscard]] Real norm_of(std::size_t colour) const { return norm.empty() ? Real{1} : norm[colour]; }
};

struct EncodedGraphs {
  std::uint32_t num_colours = 0;
  std::vector<std::uint32_t> colour_of_node;
  std::vector<std::uint32_t> arc_label;  // empty where edge labels are not used; the number of known ones if unknown
};

// Learns what there is to learn about the input: known labels, means and scales. is_training: by graph; empty means
// all. The encoding knows all labels of the set (a label that no training graph has occurs in no anchor, so it is
// orthogonal to all of them), but attributes are scaled as the training graphs ask for. Throws InputError if the graphs
// do not have the features asked for.
InputEncoding fit_encoding(const GraphSet& graphs, const NetworkConfig& config, std::span<const char> is_training = {});

// Throws InputError if the graphs lack what the encoding needs.
template <typename Real>
EncodedGraphs encode(const GraphSet& graphs, const InputEncoding& encoding, ColourFeatures<Real>& features);

// Splits rows into direction and length.
template <typename Real>
ColourFeatures<Real> split_norms(BasicMatrix<Real> rows);

}  // namespace gckn
