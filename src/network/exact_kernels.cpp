// SPDX-License-Identifier: BSD-3-Clause
// Exact kernels: every graph is a sparse histogram over distinct patterns (or WL colours), and a Gram matrix is
//   K = H H^T (Dirac, WL)   or   K = H G H^T (Gaussian; G the kernel between patterns).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gckn/error.h"
#include "gckn/kernels.h"
#include "linalg/vector_ops.h"
#include "network/compiled_set.h"
#include "network/encoding.h"
#include "pattern/patterns.h"
#include "util/counted.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::uint64_t kStep = 1 << 16;  // small things between two reports of progress

// Sparse non-negative rows: graphs x patterns.
struct Histograms {
  std::size_t columns = 0;
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> index;
  std::vector<double> count;

  // Appends a row; `entries` may repeat an index.
  void add_row(std::vector<std::pair<std::uint32_t, double>>& entries) {
    std::sort(entries.begin(), entries.end());
    for (const auto& [i, weight] : entries) {
      if (index.size() > begin.back() && index.back() == i) {
        count.back() += weight;
      } else {
        index.push_back(i);
        count.push_back(weight);
      }
    }
    begin.push_back(index.size());
    entries.clear();
  }
};

// K += H H^T.
void add_inner_products(const Histograms& h, const RunOptions& options, DoubleMatrix& k) {
  const std::size_t n = k.rows();
  // Several rows share a dense copy; few enough that a tile, after which progress is reported, takes no second.
  constexpr std::size_t kTileProducts = std::size_t{1} << 27;
  const std::size_t rows = std::clamp<std::size_t>(kTileProducts / (h.index.size() + 1), 1, 16);
  parallel_tiles(n, rows, options, "comparing graphs", [&](std::size_t first, std::size_t last) {
    std::vector<double> dense(h.columns);
    for (std::size_t g = first; g < last; ++g) {
      for (std::uint64_t e = h.begin[g]; e < h.begin[g + 1]; ++e) dense[h.index[e]] = h.count[e];
      for (std::size_t other = 0; other < n; ++other) {
        double sum = 0;
        for (std::uint64_t e = h.begin[other]; e < h.begin[other + 1]; ++e) sum += dense[h.index[e]] * h.count[e];
        k(g, other) += sum;
      }
      for (std::uint64_t e = h.begin[g]; e < h.begin[g + 1]; ++e) dense[h.index[e]] = 0;
    }
  });
}

// Counts of the patterns of one output length in every graph, each times the norm of its start.
Histograms pattern_histograms(const Patterns& patterns, std::size_t output,
                              const std::vector<double>& norm_of_pattern) {
  const SparseRows<double>& paths = patterns.histograms[output].paths;
  Histograms h{paths.columns, paths.begin, paths.index, paths.weight};
  for (std::size_t e = 0; !norm_of_pattern.empty() && e < h.count.size(); ++e)
    h.count[e] *= norm_of_pattern[h.index[e]];
  return h;
}

struct Compiled {
  ColourFeatures<double> features;
  Patterns patterns;
  std::size_t edge_width = 0;
};

Compiled compile(const GraphSet& graphs, const KernelOptions& kernel, LayerKind kind, const RunOptions& options) {
  report_progress(options, "encoding", 0, 1);
  NetworkConfig config;
  config.features = kernel.features;
  config.edge_labels = kernel.edge_labels;
  const InputEncoding encoding = fit_encoding(graphs, config);
  const EncodedSet set = encode(graphs, {0, graphs.num_graphs()}, encoding);
  const LayerConfig layer{.kind = kind, .path_length = kernel.path_length, .all_lengths = kernel.summed};
  CompileRequest request = compile_request(layer, {.by_histogram = true}, encoding);
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
  const Compiled compiled = compile(graphs, kernel, kind, options);
  if (!compiled.features.one_hot) throw InputError("a Dirac kernel needs labels or degrees, not attributes");
  for (std::size_t i = 0; i < compiled.patterns.lengths.size(); ++i) {
    add_inner_products(pattern_histograms(compiled.patterns, i, {}), options, k);
  }
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

void add_gaussian(const GraphSet& graphs, const KernelOptions& kernel, LayerKind kind, const RunOptions& options,
                  DoubleMatrix& k) {
  const Compiled compiled = compile(graphs, kernel, kind, options);
  const PatternKernel gram(compiled, kernel.sigma, options);
  std::vector<double> norm_of_pattern(gram.size());
  for (std::size_t p = 0; p < gram.size(); ++p) norm_of_pattern[p] = compiled.features.norm_of(gram.start(p));
  const Histograms h = pattern_histograms(compiled.patterns, 0, norm_of_pattern);
  const std::size_t n = k.rows();

  // Where each pattern occurs: (graph, weight).
  std::vector<std::vector<std::pair<std::uint32_t, double>>> occurrences(gram.size());
  for (std::uint32_t g = 0; g < n; ++g) {
    for (std::uint64_t e = h.begin[g]; e < h.begin[g + 1]; ++e) occurrences[h.index[e]].emplace_back(g, h.count[e]);
  }
  // A tile of patterns at a time: their kernel rows summed over each graph, then spread to the graphs they occur in.
  constexpr std::size_t kTile = 256;
  DoubleMatrix to_graph(kTile, n);
  for (std::size_t begin = 0; begin < gram.size(); begin += kTile) {
    const std::size_t end = std::min(begin + kTile, gram.size());
    RunOptions of_all = options;
    if (options.progress) {
      of_all.progress = [&](const Progress& tile) {
        return options.progress({tile.stage, begin + tile.done, gram.size()});
      };
    }
    parallel_for(end - begin, of_all, "comparing patterns", [&](std::size_t i) {
      std::vector<double> values;
      gram.row(begin + i, values);
      for (std::size_t g = 0; g < n; ++g) {
        double sum = 0;
        for (std::uint64_t e = h.begin[g]; e < h.begin[g + 1]; ++e) sum += h.count[e] * values[h.index[e]];
        to_graph(i, g) = sum;
      }
    });
    parallel_tiles(n, 64, [&](std::size_t first, std::size_t last) {
      for (std::size_t p = begin; p < end; ++p) {
        for (const auto& [g, count] : occurrences[p]) {
          if (g >= first && g < last) add_scaled(k.row(g), to_graph.row(p - begin), count, n);
        }
      }
    });
  }
  for (std::size_t i = 0; i < n; ++i) {  // symmetric to the last bit
    for (std::size_t j = 0; j < i; ++j) k(i, j) = k(j, i) = 0.5 * (k(i, j) + k(j, i));
  }
}

// One WL round: a node's new colour names its colour and the multiset of its neighbours' (with edge labels if given).
std::vector<std::uint32_t> refine(const GraphSet& graphs, const std::vector<std::uint32_t>& colour,
                                  const std::vector<std::uint32_t>& arc_label, const RunOptions& options) {
  const std::size_t n = graphs.num_nodes();
  // Signatures in one flat array: colour, then sorted (edge label, colour) pairs.
  std::vector<std::uint64_t> begin(n + 1);
  for (std::size_t u = 0; u < n; ++u) begin[u + 1] = begin[u] + 1 + graphs.degree(u);
  std::vector<std::uint64_t> signature(begin[n]);
  parallel_tiles(n, 4096, [&](std::size_t first, std::size_t last) {
    for (std::size_t u = first; u < last; ++u) {
      std::uint64_t* out = signature.data() + begin[u];
      *out++ = colour[u];
      for (std::uint64_t a = graphs.arc_begin(u); a < graphs.arc_begin(u + 1); ++a) {
        const std::uint64_t label = arc_label.empty() ? 0 : arc_label[a];
        *out++ = label << 32 | colour[graphs.arcs()[a]];
      }
      std::sort(signature.data() + begin[u] + 1, out);
    }
  });
  const auto view = [&](std::uint32_t u) {
    return std::span<const std::uint64_t>(signature.data() + begin[u], signature.data() + begin[u + 1]);
  };
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  // Sorting millions of nodes takes long; it can be cancelled between any two comparisons.
  const auto expected = static_cast<std::uint64_t>(static_cast<double>(n) * std::log2(static_cast<double>(n) + 1.0));
  std::uint64_t comparisons = 0;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (comparisons++ % kStep == 0) {
      report_progress(options, "sorting neighbourhoods", std::min(comparisons, expected), expected);
    }
    return std::ranges::lexicographical_compare(view(a), view(b));
  });
  std::vector<std::uint32_t> refined(n);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && !std::ranges::equal(view(order[i - 1]), view(order[i]))) ++next;
    refined[order[i]] = next;
  }
  return refined;
}

void add_wl_subtree(const GraphSet& graphs, const KernelOptions& kernel, const RunOptions& options, DoubleMatrix& k) {
  NetworkConfig config;
  config.features = kernel.features;
  config.edge_labels = kernel.edge_labels;
  report_progress(options, "encoding", 0, 1);
  const EncodedNodes encoded = encode_nodes(graphs, {0, graphs.num_graphs()}, fit_encoding(graphs, config));
  if (!encoded.colours.one_hot) throw InputError("the WL kernel needs labels or degrees, not attributes");
  std::vector<std::uint32_t> colour = encoded.colour_of_node;
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (int round = 0; round <= kernel.path_length; ++round) {
    report_progress(options, "WL rounds", static_cast<std::uint64_t>(round),
                    static_cast<std::uint64_t>(kernel.path_length) + 1);
    if (round > 0) colour = refine(graphs, colour, encoded.arc_label, options);
    Histograms h;
    h.columns = colour.empty() ? 0 : *std::max_element(colour.begin(), colour.end()) + std::size_t{1};
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      for (std::uint32_t u = graphs.graph_begin(g); u < graphs.graph_begin(g + 1); ++u)
        entries.emplace_back(colour[u], 1.0);
      h.add_row(entries);
    }
    add_inner_products(h, options, k);
  }
}

void normalise(DoubleMatrix& k) {
  std::vector<double> root(k.rows());
  for (std::size_t i = 0; i < k.rows(); ++i) root[i] = std::sqrt(k(i, i));
  for (std::size_t i = 0; i < k.rows(); ++i) {
    for (std::size_t j = 0; j < k.cols(); ++j) {
      const double scale = root[i] * root[j];
      k(i, j) = scale > 0 ? k(i, j) / scale : 0.0;
    }
  }
}

}  // namespace

DoubleMatrix kernel_matrix(const GraphSet& graphs, const KernelOptions& kernel, const RunOptions& options) {
  const bool dirac = kernel.kernel == ExactKernel::path || kernel.kernel == ExactKernel::walk;
  const bool gaussian = kernel.kernel == ExactKernel::gaussian_path || kernel.kernel == ExactKernel::gaussian_walk;
  if (kernel.path_length < 0 || kernel.path_length > kLongestPath) {
    throw UsageError(fmt::format("path length {} is not between 0 and {}", kernel.path_length, kLongestPath));
  }
  if (kernel.summed && !dirac) throw UsageError("only the path and walk kernels are summed over lengths on request");
  if (gaussian && !(kernel.sigma >= kSmallestSigma && kernel.sigma <= kLargestSigma)) {
    throw UsageError(fmt::format("sigma {} is not between {} and {}", kernel.sigma, kSmallestSigma, kLargestSigma));
  }
  const ThreadScope threads(options);
  DoubleMatrix k(graphs.num_graphs(), graphs.num_graphs());
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
    case ExactKernel::gaussian_path:
      add_gaussian(graphs, kernel, LayerKind::path, options, k);
      break;
    case ExactKernel::gaussian_walk:
      add_gaussian(graphs, kernel, LayerKind::walk, options, k);
      break;
  }
  if (kernel.normalised) normalise(k);
  return k;
}

}  // namespace gckn
