// SPDX-License-Identifier: BSD-3-Clause
// What is done with the output of a layer, and where its matrix A is applied. Everything that compiles, evaluates or
// pools follows this plan.
//
// A commutes with sums, so with linear pooling it could go wherever there are the fewest rows. But the place decides
// the last bits of a result, so it is chosen by the network alone, never by counts of a graph set: a graph has the same
// vector in any company.
#pragma once

#include <cstddef>

#include "gckn/network.h"

namespace gckn {

enum class TransformAt { patterns, states, graphs };

struct LayerPlan {
  bool feeds_layer = false;    // rows of states are the features of the next layer (or wanted as such)
  bool pooled = false;         // they are pooled over graphs
  bool by_histogram = false;   // graphs add up patterns, and states are not needed
  int most_labels_length = 0;  // patterns of up to this many vertices are few: A goes to them if pooling is linear
  bool transforms_graphs = false;
  bool is_gmp = false;  // generalised max pooling over paths, which works on A kappa

  [[nodiscard]] TransformAt transform_at(int length) const {
    if (is_gmp) return TransformAt::patterns;
    if (transforms_graphs) return TransformAt::graphs;
    return length > 1 && length <= most_labels_length ? TransformAt::patterns : TransformAt::states;
  }
};

// What is asked of a network.
enum class Wanted {
  graph_vectors,
  node_rows,  // the rows by node of the layer that is planned, which is the last one
  masks,      // graph vectors in which every path has a weight of its own, so that states are needed everywhere
};

// Of layer j.
LayerPlan plan_layer(const NetworkConfig& config, std::size_t j, const InputEncoding& encoding,
                     Wanted wanted = Wanted::graph_vectors);

}  // namespace gckn
