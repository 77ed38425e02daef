// SPDX-License-Identifier: BSD-3-Clause
// Exact kernels: every graph is a sparse histogram over distinct patterns (or WL colours), and a Gram matrix is
//   K = H H^T (Dirac, WL)   or   K = H G H^T (Gaussian; G the kernel between patterns).
// Optimal assignments (network/assignment.h) are of the first kind, with ones in place of counts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "gckn/error.h"
#include "gckn/kernels.h"
#include "linalg/moments.h"
#include "linalg/sparse_gram.h"
#include "linalg/sparse_rows.h"
#include "linalg/vector_ops.h"
#include "network/assignment.h"
#include "network/compiled_set.h"
#include "network/encoding.h"
#include "network/wl_refinement.h"
#include "pattern/patterns.h"
#include "util/counted.h"
#include "util/huge_pages.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::uint64_t kStep = 1 << 16;  // small things between two reports of progress
constexpr std::size_t kRowTile = 64;      // rows of the matrix per task

bool is_dirac(const KernelOptions& options) {
  return options.kernel == ExactKernel::path || options.kernel == ExactKernel::walk;
}

struct Compiled {
  ColourFeatures<double> features;
  Patterns patterns;  // with histograms, which are all that is needed of them
  std::size_t edge_width = 0;
};

Compiled compile(const GraphSet& graphs, const KernelOptions& kernel, LayerKind kind, const RunOptions& options) {
  report_progress(options, "encoding", 0, 1);
  NetworkConfig config;
  config.features = kernel.features;
  config.edge_labels = kernel.edge_labels ? EdgeLabels::used : EdgeLabels::unused;
  const InputEncoding encoding = fit_encoding(graphs, config);
  const EncodedSet set = encode(graphs, {0, graphs.num_graphs()}, encoding);
  if (is_dirac(kernel) && !set.input.one_hot) {
    throw InputError("a Dirac kernel needs labels or degrees, not attributes");
  }
  const LayerConfig layer{.kind = kind, .path_length = kernel.path_length, .all_lengths = kernel.summed};
  const CompileRequest request = compile_request(layer, {.by_histogram = true}, encoding);
  Compiled compiled;
  compiled.features = input_features<double>(set.input, encoding);
  compiled.edge_width = request.edge_labels ? encoding.edge_labels.size() : 0;
  RunOptions shared = options;
  shared.evaluator = Evaluator::shared;
  compiled.patterns = compile_patterns(*set.graph, set.colours, request, shared);
  if (!compiled.patterns.direct_graphs.empty()) {
    throw InputError(fmt::format("{} has too many {}s of {} for an exact kernel", graphs.name(), to_string(kind),
                                 counted(static_cast<std::uint64_t>(kernel.path_length), "edge")));
  }
  return compiled;
}

void add_dirac(const GraphSet& graphs, const KernelOptions& kernel, LayerKind kind, const RunOptions& options,
               DoubleMatrix& k) {
  Compiled compiled = compile(graphs, kernel, kind, options);
  for (std::size_t i = 0; i < compiled.patterns.lengths.size(); ++i) {
    add_inner_products(compiled.patterns.histograms[i].paths, 1.0, options, k);
    compiled.patterns.histograms[i] = {};  // not needed any more, and large
  }
  mirror_upper_triangle(k);
}

// Gaussian kernel values of pattern p with all patterns of full length.
class PatternKernel {
 public:
  PatternKernel(const Compiled& compiled, double sigma, const RunOptions& options)
      : compiled_(compiled),
        vertices_(static_cast<std::size_t>(compiled.patterns.vertices)),
        edges_(compiled.edge_width > 0),
        alpha_(1.0 / (sigma * sigma)) {
    const std::size_t n = compiled.patterns.levels.back().size();
    colours_.resize(n * vertices_);
    edge_labels_.resize(edges_ ? n * (vertices_ - 1) : 0);
    for (std::uint32_t p = 0; p < n; ++p) {
      if (p % kStep == 0) report_progress(options, "listing patterns", p, n);
      read_pattern(compiled.patterns, p, {colours_.data() + p * vertices_, vertices_},
                   edges_ ? std::span<std::uint32_t>{edge_labels_.data() + p * (vertices_ - 1), vertices_ - 1}
                          : std::span<std::uint32_t>{});
    }
  }

  [[nodiscard]] std::size_t size() const { return compiled_.patterns.levels.back().size(); }
  [[nodiscard]] std::uint32_t start(std::size_t p) const { return colours_[p * vertices_]; }

  void row(std::size_t p, std::vector<double>& values) const {
    const std::size_t num_colours = compiled_.patterns.levels[0].size();
    std::vector<double> similarity(num_colours);  // of the colour at one position with every colour
    values.assign(size(), 0.0);
    for (std::size_t t = 0; t < vertices_; ++t) {
      const std::uint32_t own = colours_[p * vertices_ + t];
      for (std::uint32_t c = 0; c < num_colours; ++c) {
        const ColourFeatures<double>& features = compiled_.features;
        similarity[c] = features.one_hot ? (c == own ? 1.0 : 0.0)
                                         : dot(features.unit.row(own), features.unit.row(c), features.width);
      }
      for (std::size_t r = 0; r < values.size(); ++r) values[r] += similarity[colours_[r * vertices_ + t]];
    }
    const std::size_t steps = edges_ ? vertices_ - 1 : 0;
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t r = 0; r < values.size(); ++r) {
        values[r] += edge_labels_[r * steps + t] == edge_labels_[p * steps + t] ? 1.0 : 0.0;
      }
    }
    exponential(values.data(), values.size(), alpha_ / static_cast<double>(vertices_ + steps), -alpha_);
  }

 private:
  const Compiled& compiled_;
  const std::size_t vertices_;
  const bool edges_;
  const double alpha_;
  std::vector<std::uint32_t> colours_;      // patterns x P
  std::vector<std::uint32_t> edge_labels_;  // patterns x (P - 1)
};

// K = (K + K') / 2. Not the upper triangle twice: that would depend on which of two graphs comes first.
void symmetrise(DoubleMatrix& k) {
  parallel_tiles(k.rows(), kRowTile, [&](std::size_t first, std::size_t last) {
    for (std::size_t begin = first; begin < k.cols(); begin += kRowTile) {
      const std::size_t end = std::min(begin + kRowTile, k.cols());
      for (std::size_t i = first; i < last; ++i) {
        for (std::size_t j = std::max(begin, i + 1); j < end; ++j) k(i, j) = 0.5 * (k(i, j) + k(j, i));
      }
    }
  });
  mirror_upper_triangle(k);
}

void add_gaussian(const GraphSet& graphs, const KernelOptions& kernel, LayerKind kind, const RunOptions& options,
                  DoubleMatrix& k) {
  Compiled compiled = compile(graphs, kernel, kind, options);
  const PatternKernel gram(compiled, kernel.sigma, options);
  std::vector<double> norm_of_pattern(gram.size());
  for (std::size_t p = 0; p < gram.size(); ++p) norm_of_pattern[p] = compiled.features.norm_of(gram.start(p));
  SparseRows<double> h = std::move(compiled.patterns.histograms[0].paths);
  for (std::size_t e = 0; e < h.entries(); ++e) h.weight[e] *= norm_of_pattern[h.index[e]];
  const std::size_t n = k.rows();

  // A tile of patterns at a time: their kernel rows summed over each graph, then spread to the graphs they occur in.
  constexpr std::size_t kTile = 256;
  DoubleMatrix to_graph(kTile, n);
  std::vector<std::uint64_t> next(h.begin.begin(), h.begin.end() - 1);  // by graph: the first entry of the tile
  for (std::size_t begin = 0; begin < gram.size(); begin += kTile) {
    const std::size_t end = std::min(begin + kTile, gram.size());
    RunOptions of_all = options;
    if (options.progress) {
      of_all.progress = [&](const Progress&) { return options.progress({"comparing patterns", begin, gram.size()}); };
    }
    parallel_for(end - begin, of_all, "comparing patterns", [&](std::size_t i) {
      std::vector<double> values;
      gram.row(begin + i, values);
      for (std::size_t g = 0; g < n; ++g) {
        double sum = 0;
        for (std::uint64_t e = h.begin[g]; e < h.begin[g + 1]; ++e) sum += h.weight[e] * values[h.index[e]];
        to_graph(i, g) = sum;
      }
    });
    parallel_for(n, of_all, "comparing patterns", [&](std::size_t g) {
      for (; next[g] < h.begin[g + 1] && h.index[next[g]] < end; ++next[g]) {
        add_scaled(k.row(g), to_graph.row(h.index[next[g]] - begin), h.weight[next[g]], n);
      }
    });
  }
  symmetrise(k);
}

void add_wl_subtree(const GraphSet& graphs, const KernelOptions& kernel, const RunOptions& options, DoubleMatrix& k) {
  NetworkConfig config;
  config.features = kernel.features;
  config.edge_labels = kernel.edge_labels ? EdgeLabels::used : EdgeLabels::unused;
  report_progress(options, "encoding", 0, 1);
  const EncodedNodes encoded = encode_nodes(graphs, {0, graphs.num_graphs()}, fit_encoding(graphs, config));
  if (!encoded.colours.one_hot) throw InputError("the WL kernel needs labels or degrees, not attributes");
  // Several rounds at a time, as many as have no more than so many nodes together.
  constexpr std::size_t kMostNodes = std::size_t{1} << 23;
  const std::size_t most_rounds = std::max<std::size_t>(1, kMostNodes / std::max<std::size_t>(1, graphs.num_nodes()));
  const auto add_rounds = [&](std::span<const NodeColours> rounds, double factor) {
    add_inner_products(colour_histograms(graphs, rounds, options), factor, options, k);
  };
  const int last_round = kernel.path_length;
  std::vector<NodeColours> rounds{first_colours(encoded.colour_of_node, encoded.colours.count)};
  int round = 0;
  for (; round < last_round; ++round) {
    report_progress(options, "WL rounds", static_cast<std::uint64_t>(round), static_cast<std::uint64_t>(last_round));
    NodeColours refined = refine(graphs, rounds.back(), encoded.arc_label, options);
    if (refined.count == rounds.back().count) break;
    if (rounds.size() == most_rounds) {
      add_rounds(rounds, 1.0);
      rounds.clear();
    }
    rounds.push_back(std::move(refined));
  }
  add_rounds(rounds, 1.0);
  // Where nothing is left to refine, all further rounds are as the last one.
  if (round < last_round) add_rounds({&rounds.back(), 1}, static_cast<double>(last_round - round));
  mirror_upper_triangle(k);
}

bool is_assignment(const KernelOptions& kernel) {
  return kernel.kernel == ExactKernel::path_oa || kernel.kernel == ExactKernel::wl_oa;
}

// What the states of nodes are made of, as the set that is compared with has it.
InputEncoding state_encoding(const GraphSet& graphs, const KernelOptions& kernel) {
  NetworkConfig config;
  config.features = kernel.features;
  config.edge_labels = kernel.edge_labels ? EdgeLabels::used : EdgeLabels::unused;
  return fit_encoding(graphs, config);
}

StateCounts states_of(const GraphSet& graphs, const InputEncoding& encoding, const KernelOptions& kernel,
                      const RunOptions& options) {
  const StateKind kind = kernel.kernel == ExactKernel::path_oa ? StateKind::path : StateKind::wl;
  const GraphRange all{0, graphs.num_graphs()};
  return count_states(node_states(kind, graphs, all, encoding, kernel.path_length, options), graphs, all);
}

void add_assignment(const GraphSet& graphs, const KernelOptions& kernel, const RunOptions& options, DoubleMatrix& k) {
  report_progress(options, "encoding", 0, 1);
  const StateCounts counts = states_of(graphs, state_encoding(graphs, kernel), kernel, options);
  add_inner_products(AssignmentColumns(counts).rows(counts, false), 1.0, options, k);
  mirror_upper_triangle(k);
}

// Zeros, written by all threads: most of the time goes into getting the memory.
DoubleMatrix zero_matrix(std::size_t rows, std::size_t columns, const RunOptions& options) {
  auto k = DoubleMatrix::uninitialised(rows, columns);
  prefer_huge_pages(k.data(), k.size() * sizeof(double));
  parallel_tiles(rows, kRowTile, options, "preparing the matrix", [&](std::size_t first, std::size_t last) {
    std::fill(k.row(first), k.row(first) + (last - first) * columns, 0.0);
  });
  return k;
}

void require_path_length(const KernelOptions& kernel) {
  if (kernel.path_length < 0 || kernel.path_length > kLongestPath) {
    throw UsageError(fmt::format("path length {} is not between 0 and {}", kernel.path_length, kLongestPath));
  }
}

}  // namespace

DoubleMatrix kernel_matrix(const GraphSet& graphs, const KernelOptions& kernel, const RunOptions& options) {
  const bool gaussian = kernel.kernel == ExactKernel::gaussian_path || kernel.kernel == ExactKernel::gaussian_walk;
  require_path_length(kernel);
  if (kernel.summed && !is_dirac(kernel))
    throw UsageError("only the path and walk kernels are summed over lengths on request");
  if (gaussian && !(kernel.sigma >= kSmallestSigma && kernel.sigma <= kLargestSigma)) {
    throw UsageError(fmt::format("sigma {} is not between {} and {}", kernel.sigma, kSmallestSigma, kLargestSigma));
  }
  const ThreadScope threads(options);
  DoubleMatrix k = zero_matrix(graphs.num_graphs(), graphs.num_graphs(), options);
  switch (kernel.kernel) {
    case ExactKernel::path:
      add_dirac(graphs, kernel, LayerKind::path, options, k);
      break;
    case ExactKernel::walk:
      add_dirac(graphs, kernel, LayerKind::walk, options, k);
      break;
    case ExactKernel::wl_subtree:
      add_wl_subtree(graphs, kernel, options, k);
      break;
    case ExactKernel::path_oa:
    case ExactKernel::wl_oa:
      add_assignment(graphs, kernel, options, k);
      break;
    case ExactKernel::gaussian_path:
      add_gaussian(graphs, kernel, LayerKind::path, options, k);
      break;
    case ExactKernel::gaussian_walk:
      add_gaussian(graphs, kernel, LayerKind::walk, options, k);
      break;
  }
  if (!kernel.normalised) return k;
  std::vector<double> size(k.rows());
  for (std::size_t i = 0; i < size.size(); ++i) size[i] = k(i, i);
  normalise_kernel(size, size, options, k);
  return k;
}

DoubleMatrix kernel_matrix(const GraphSet& graphs, const GraphSet& others, const KernelOptions& kernel,
                           const RunOptions& options) {
  if (!is_assignment(kernel))
    throw UsageError("only the kernels path-oa and wl-oa compare graphs with those of another set");
  require_path_length(kernel);
  // Of their own accord others without labels have degrees, and those of labelled graphs are not meant.
  if (kernel.features == Features::automatic && graphs.has_node_labels() && !others.has_node_labels()) {
    throw InputError(
        fmt::format("{} has no node labels, and {} has: they cannot be compared", others.name(), graphs.name()));
  }
  const ThreadScope threads(options);
  const InputEncoding encoding = state_encoding(others, kernel);
  const StateCounts of_graphs = states_of(graphs, encoding, kernel, options);
  const StateCounts of_others = states_of(others, encoding, kernel, options);
  const AssignmentColumns columns(of_others);
  DoubleMatrix k = zero_matrix(graphs.num_graphs(), others.num_graphs(), options);
  add_inner_products(columns.rows(of_graphs, false), columns.rows(of_others, false), options, k);
  if (!kernel.normalised) return k;
  // OA(g, g) is the number of all states of all nodes.
  const auto sizes = [&](const GraphSet& set) {
    std::vector<double> size;
    for (std::size_t g = 0; g < set.num_graphs(); ++g) {
      size.push_back((kernel.path_length + 1.0) * (set.graph_begin(g + 1) - set.graph_begin(g)));
    }
    return size;
  };
  normalise_kernel(sizes(graphs), sizes(others), options, k);
  return k;
}

}  // namespace gckn
