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
  path_oa,        // optimal assignment of nodes by the paths of 0..k edges that start at them, counted by lengths
  wl_oa,          // the same by Weisfeiler-Lehman colours of rounds 0..h
  gaussian_path,  // K_1: Gaussian similarity between all pairs of paths
  gaussian_walk,
};

struct KernelOptions {
  ExactKernel kernel = ExactKernel::path;
  int path_length = 3;      // edges of the paths; rounds h for wl_subtree and wl_oa
  bool summed = false;      // path and walk: sum over lengths 0..path_length instead of the one length
  double sigma = 0.6;       // Gaussian kernels only
  bool normalised = false;  // K(g, h) / sqrt(K(g, g) K(h, h)), 0 where a graph has no pattern
  Features features = Features::automatic;
  bool edge_labels = false;  // read edge labels along paths and walks
};

// graphs x graphs, symmetric, with the same bits in any order of the graphs (but for the rounding of the means and
// scales of attributes). Throws InputError for attributes with a Dirac or WL kernel, LimitError for too many paths.
DoubleMatrix kernel_matrix(const GraphSet& graphs, const KernelOptions& kernel, const RunOptions& options = {});

// graphs x others, of path_oa and wl_oa. What the labels are called decides which are equal, where both sets have
// names. Throws UsageError for another kernel, InputError if one set has labels and the other has none.
DoubleMatrix kernel_matrix(const GraphSet& graphs, const GraphSet& others, const KernelOptions& kernel,
                           const RunOptions& options = {});

}  // namespace gckn
