// SPDX-License-Identifier: BSD-3-Clause
// Graphs as a network's input: a colour for every node, a feature vector for every colour, a label for every arc.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gckn/error.h"
#include "gckn/graph_set.h"
#include "gckn/matrix.h"
#include "gckn/network.h"
#include "graph/graph_range.h"

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

// What the colours of the input stand for.
struct InputColours {
  std::uint32_t count = 0;
  bool one_hot = false;             // labels or degrees, numbered as the encoding lists them; the last one is unknown
  std::vector<std::uint64_t> hash;  // by colour, of its contents: the same in any set
  // By colour, where the input has attributes: the values as they are in the file, the label that goes with them (if
  // there are labels), and a node that has both.
  DoubleMatrix attributes;
  std::vector<std::uint32_t> label;
  std::vector<std::uint32_t> node;
  // For messages: the number of the first graph, and the first node of every graph.
  std::size_t first_graph = 0;
  std::shared_ptr<const std::vector<std::uint32_t>> graph_begin;
};

// Some consecutive graphs as a network's input; nodes and arcs are counted from the first of them.
struct EncodedNodes {
  InputColours colours;
  std::vector<std::uint32_t> colour_of_node;
  std::vector<std::uint32_t> arc_label;  // empty where edge labels are not used; the number of known ones if unknown
};

// Learns what there is to learn about the input: known labels, means and scales. is_training: by graph, empty means
// all; the encoding knows all labels of the set (a label that no training graph has occurs in no anchor, so it is
// orthogonal to all of them), but attributes are scaled as the training graphs ask for. Throws InputError if the graphs
// do not have the features asked for. The order of the graphs changes no bit of it.
InputEncoding fit_encoding(const GraphSet& graphs, const NetworkConfig& config, std::span<const char> is_training = {});

// Throws InputError if the graphs lack what the encoding needs. Means and scales have no part in it.
EncodedNodes encode_nodes(const GraphSet& graphs, GraphRange range, const InputEncoding& encoding);

// Attributes that the encoding's scale blows up beyond what a number can hold. The message names graph and node.
class AttributesTooLarge : public InputError {
 public:
  AttributesTooLarge(std::size_t graph, std::string of_node)
      : InputError(fmt::format("graph {}: {}", graph, of_node)), of_node_(std::move(of_node)) {}
  // The message without the graph.
  [[nodiscard]] const std::string& of_node() const { return of_node_; }

 private:
  std::string of_node_;
};

// The vectors of the colours. May throw AttributesTooLarge.
template <typename Real>
ColourFeatures<Real> input_features(const InputColours& colours, const InputEncoding& encoding);

// Splits rows into direction and length.
template <typename Real>
ColourFeatures<Real> split_norms(BasicMatrix<Real> rows);

}  // namespace gckn
