// SPDX-License-Identifier: BSD-3-Clause
// Exact graph kernels as Gram matrices, for comparison and for small sets.
#pragma once

#include "gckn/graph_set.h"
#include "gckn/matrix.h"
#include "gckn/network.h"
#include "gckn/run_options.h"

namespace gckn {

enum class ExactKernel {
  path,           // pairs of paths with equal label sequences
  walk,           // the same for walks
  wl_subtree,     // Weisfeiler-Lehman, summed over rounds 0..h
  gaussian_path,  // K_1: Gaussian similarity between all pairs of paths
  gaussian_walk,
};

struct KernelOptions {
  ExactKernel kernel = ExactKernel::path;
  int path_length = 3;      // edges of the paths; rounds h for wl_subtree
  bool summed = false;      // path and walk: sum over lengths 0..path_length instead of the one length
  double sigma = 0.6;       // Gaussian kernels only
  bool normalised = false;  // K(g, h) / sqrt(K(g, g) K(h, h)), 0 where a graph has no pattern
  Features features = Features::automatic;
  bool edge_labels = false;  // read edge labels along paths and walks
};

// graphs x graphs, symmetric, with the same bits in any order of the graphs (but for the rounding of the means and
// scales of attributes). Throws InputError for attributes with a Dirac or WL kernel, LimitError for too many paths.
DoubleMatrix kernel_matrix(const GraphSet& graphs, const KernelOptions& kernel, const RunOptions& options = {});

}  // namespace gckn
