// SPDX-License-Identifier: BSD-3-Clause
#include "network/anchors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

#include "gckn/error.h"
#include "network/kmeans.h"
#include "network/kmeans_seeding.h"
#include "pattern/path_walker.h"
#include "util/counted.h"
#include "util/parallel.h"
#include "util/random.h"

namespace gckn {
namespace {

constexpr std::size_t kHeldOut = 50'000;      // paths that check a sample
constexpr double kHeldOutTolerance = 0.005;   // of the mean similarity
constexpr std::size_t kSamplePerAnchor = 64;  // at the least
constexpr double kRoughTolerance = 1e-4;      // at which iterations stop to see whether a sample is large enough

// Merges equal points, adding their weights, in lexicographic order.
template <typename Real>
void merge_equal(PatternPoints<Real>& points) {
  const std::size_t P = points.vertices;
  const bool edges = points.edge_width > 0;
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    for (std::size_t t = 0; t < P; ++t) {
      const std::uint32_t x = points.colours[a * P + t];
      const std::uint32_t y = points.colours[b * P + t];
      if (x != y) return x < y ? -1 : 1;
    }
    for (std::size_t t = 0; edges && t + 1 < P; ++t) {
      const std::uint32_t x = points.edges[a * (P - 1) + t];
      const std::uint32_t y = points.edges[b * (P - 1) + t];
      if (x != y) return x < y ? -1 : 1;
    }
    return 0;
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int result = compare(a, b);
    return result != 0 ? result < 0 : a < b;
  });
  PatternPoints<Real> merged = points;
  merged.colours.clear();
  merged.edges.clear();
  merged.weights.clear();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t p = order[i];
    if (i > 0 && compare(order[i - 1], p) == 0) {
      merged.weights.back() += points.weights[p];
      continue;
    }
    for (std::size_t t = 0; t < P; ++t) merged.colours.push_back(points.colours[p * P + t]);
    for (std::size_t t = 0; edges && t + 1 < P; ++t) merged.edges.push_back(points.edges[p * (P - 1) + t]);
    merged.weights.push_back(points.weights[p]);
  }
  points = std::move(merged);
}

// Gathers the points of all input blocks of a layer.
template <typename Real>
class PointCollector {
 public:
  PointCollector(const ForwardPass<Real>& pass, const LayerConfig& config, std::size_t edge_width,
                 std::span<const char> is_training)
      : pass_(pass),
        patterns_(pass.patterns()),
        kind_(config.kind),
        vertices_(static_cast<std::size_t>(config.path_length) + 1),
        is_training_(is_training) {
    empty_.vertices = vertices_;
    empty_.width = pass.blocks()[0].features.width;
    empty_.edge_width = edge_width;
    empty_.one_hot = pass.blocks()[0].features.one_hot;
    for (const auto& block : pass.blocks()) {
      first_colour_.push_back(static_cast<std::uint32_t>(empty_.rows.size()));
      for (std::uint32_t c = 0; !empty_.one_hot && c < block.colours.count; ++c) {
        empty_.rows.push_back(block.features.unit.row(c));
      }
    }
    shared_ = empty_;
    for (std::size_t b = 0; b < patterns_.size(); ++b) {
      add_shared(b);
      if (patterns_[b].direct_graphs.empty()) continue;
      eligible_.emplace(b, eligible_classes(b));
      samplers_.emplace(b, std::make_unique<PathSampler>(pass.class_graph(), kind_, static_cast<int>(vertices_),
                                                         eligible_[b], pass.layer_options()));
      unshared_paths_ += samplers_[b]->total();
    }
  }

  // Distinct patterns where they are interned, paths where they are not.
  [[nodiscard]] std::size_t num_shared() const { return shared_.size(); }
  [[nodiscard]] double num_unshared() const { return unshared_paths_; }

  // Whether there are any that a zero vector at the start keeps out or does not.
  [[nodiscard]] bool has_paths() const {
    std::vector<char> all(pass_.class_graph().num_classes());
    for (std::size_t g = 0; g < pass_.class_graph().num_graphs(); ++g) {
      if (!is_training_.empty() && is_training_[g] == 0) continue;
      std::fill(all.begin() + pass_.class_graph().graph_begin[g], all.begin() + pass_.class_graph().graph_begin[g + 1],
                1);
    }
    return PathSampler(pass_.class_graph(), kind_, static_cast<int>(vertices_), all, pass_.layer_options()).total() > 0;
  }

  // About `shared` of the interned patterns, drawn by weight, and `unshared` of the other paths; all of either kind if
  // there are no more. Weights add up to the number of paths whatever is drawn.
  PatternPoints<Real> points(std::size_t shared, std::size_t unshared, std::uint64_t seed) {
    PatternPoints<Real> result = shared_;
    if (shared_.size() > shared) {
      result = draw_points(shared_, shared, seeds::of_drawn_patterns(seed));
      const double total = std::accumulate(shared_.weights.begin(), shared_.weights.end(), 0.0);
      for (double& weight : result.weights) weight *= total / static_cast<double>(shared);
    }
    if (unshared_paths_ == 0) return result;
    const PatternPoints<Real> others = unshared_points(unshared, seed);
    result.colours.insert(result.colours.end(), others.colours.begin(), others.colours.end());
    result.edges.insert(result.edges.end(), others.edges.begin(), others.edges.end());
    result.weights.insert(result.weights.end(), others.weights.begin(), others.weights.end());
    return result;
  }

 private:
  // Points of the blocks without interned patterns.
  PatternPoints<Real> unshared_points(std::size_t count, std::uint64_t seed) {
    PatternPoints<Real> points = empty_;
    for (const auto& [b, sampler] : samplers_) {
      const double paths = sampler->total();
      if (paths == 0) continue;
      if (unshared_paths_ <= static_cast<double>(count)) {
        std::vector<double> weights;
        const PathSampler::Sample sample = sampler->all(weights);
        append(b, sample, weights, points);
        continue;
      }
      const auto share = static_cast<std::size_t>(std::ceil(static_cast<double>(count) * paths / unshared_paths_));
      const PathSampler::Sample sample = sampler->sample(share, seeds::of_drawn_paths(seed, b));
      append(b, sample, std::vector<double>(share, paths / static_cast<double>(share)), points);
    }
    // Attributes hardly repeat; a sample of them is not worth sorting.
    if (points.one_hot || unshared_paths_ <= static_cast<double>(count)) merge_equal(points);
    return points;
  }

  // Patterns whose start vector is zero stay out.
  [[nodiscard]] bool starts_with_something(std::size_t b, std::uint32_t colour) const {
    return pass_.blocks()[b].features.norm_of(colour) > 0;
  }

  // The classes of direct graphs that paths are drawn from.
  std::vector<char> eligible_classes(std::size_t b) const {
    const ClassGraph& graph = pass_.class_graph();
    const std::vector<std::uint32_t>& colour = *pass_.blocks()[b].colours.of_class;
    std::vector<char> eligible(colour.size());
    for (const std::uint32_t g : patterns_[b].direct_graphs) {
      if (!is_training_.empty() && is_training_[g] == 0) continue;
      for (std::uint32_t c = graph.graph_begin[g]; c < graph.graph_begin[g + 1]; ++c) {
        eligible[c] = starts_with_something(b, colour[c]) ? 1 : 0;
      }
    }
    return eligible;
  }

  void add_shared(std::size_t b) {
    const std::vector<double> totals = pattern_totals(patterns_[b], pass_.class_graph(), is_training_);
    std::vector<std::uint32_t> colours(vertices_);
    std::vector<std::uint32_t> edges(empty_.edge_width > 0 ? vertices_ - 1 : 0);
    for (std::uint32_t p = 0; p < totals.size(); ++p) {
      if (totals[p] == 0) continue;
      read_pattern(patterns_[b], p, colours, edges);
      if (!starts_with_something(b, colours[0])) continue;
      for (const std::uint32_t colour : colours) shared_.colours.push_back(first_colour_[b] + colour);
      shared_.edges.insert(shared_.edges.end(), edges.begin(), edges.end());
      shared_.weights.push_back(totals[p]);
    }
  }

  void append(std::size_t b, const PathSampler::Sample& sample, const std::vector<double>& weights,
              PatternPoints<Real>& points) const {
    const std::vector<std::uint32_t>& colour = *pass_.blocks()[b].colours.of_class;
    for (const std::uint32_t c : sample.classes) points.colours.push_back(first_colour_[b] + colour[c]);
    if (points.edge_width > 0) {
      for (const std::uint64_t a : sample.arcs) points.edges.push_back(pass_.class_graph().arc_label[a]);
    }
    points.weights.insert(points.weights.end(), weights.begin(), weights.end());
  }

  const ForwardPass<Real>& pass_;
  const LayerPatterns& patterns_;
  const LayerKind kind_;
  const std::size_t vertices_;
  const std::span<const char> is_training_;  // by graph; empty if all are
  PatternPoints<Real> empty_;
  std::vector<std::uint32_t> first_colour_;  // by block: its first row in the points' list of colours
  PatternPoints<Real> shared_;
  std::map<std::size_t, std::vector<char>> eligible_;
  std::map<std::size_t, std::unique_ptr<PathSampler>> samplers_;
  double unshared_paths_ = 0;
};

// The first of each group of points with the same vector, if there are at most `most` groups; nothing otherwise. In
// the layers after the first, different patterns may have one vector: states that count the same paths twice as often,
// or any states of two blocks over a single anchor. Takes time for about `most` points, since it gives up beyond.
template <typename Real>
std::vector<std::size_t> few_distinct(const PatternPoints<Real>& points, std::size_t most) {
  std::unordered_map<std::string_view, std::uint32_t> id_of_row;
  std::vector<std::uint32_t> id_of_colour(points.rows.size(), std::numeric_limits<std::uint32_t>::max());
  const auto id = [&](std::uint32_t colour) {
    if (points.one_hot) return colour;
    std::uint32_t& known = id_of_colour[colour];
    if (known == std::numeric_limits<std::uint32_t>::max()) {
      const std::string_view bytes(reinterpret_cast<const char*>(points.rows[colour]), points.width * sizeof(Real));
      known = id_of_row.try_emplace(bytes, colour).first->second;
    }
    return known;
  };
  const std::size_t P = points.vertices;
  std::set<std::vector<std::uint32_t>> seen;
  std::vector<std::size_t> distinct;
  std::vector<std::uint32_t> vector;
  for (std::size_t p = 0; p < points.size() && distinct.size() <= most; ++p) {
    vector.clear();
    for (std::size_t t = 0; t < P; ++t) vector.push_back(id(points.colours[p * P + t]));
    for (std::size_t t = 0; points.edge_width > 0 && t + 1 < P; ++t) vector.push_back(points.edges[p * (P - 1) + t]);
    if (seen.insert(vector).second) distinct.push_back(p);
  }
  if (distinct.size() > most) distinct.clear();
  return distinct;
}

// q x dimension centroids as the layer's anchors, P x q x d and (P - 1) x q x e.
template <typename Real>
void set_anchors(const BasicMatrix<Real>& centroids, BasicLayer<Real>& layer) {
  const auto vertices = static_cast<std::size_t>(layer.config.path_length) + 1;
  const std::size_t q = centroids.rows();
  layer.config.filters = static_cast<int>(q);
  const auto spread = [&](std::size_t first_column, std::size_t positions, std::size_t width, std::vector<Real>& out) {
    out.resize(positions * q * width);
    for (std::size_t t = 0; t < positions; ++t) {
      for (std::size_t j = 0; j < q; ++j) {
        std::copy_n(centroids.row(j) + first_column + t * width, width, out.data() + (t * q + j) * width);
      }
    }
  };
  spread(0, vertices, layer.input_width, layer.anchors);
  spread(vertices * layer.input_width, vertices - 1, layer.edge_width, layer.edge_anchors);
}

// Says why there is no pattern: there are no nodes, no paths of that length, or no vectors to tell them by.
template <typename Real>
[[noreturn]] void throw_nothing_to_learn_from(const ForwardPass<Real>& pass, const LayerConfig& config,
                                              const PointCollector<Real>& collector) {
  if (pass.class_graph().num_classes() == 0) throw InputError("there is nothing to learn from: no graph has a node");
  const std::string paths =
      fmt::format("{} of {}", to_string(config.kind), counted(static_cast<std::uint64_t>(config.path_length), "edge"));
  if (!collector.has_paths()) {
    throw UnsuitableNetwork(fmt::format("the graphs have no {} to learn from: choose a shorter path length", paths));
  }
  const std::string nodes =
      config.path_length == 0 ? "every node" : fmt::format("every node that a {} starts at", paths);
  if (pass.layer() == 0) {
    throw InputError(
        fmt::format("there is nothing to learn from: the attributes of {} are zero once they are standardised", nodes));
  }
  throw InputError(fmt::format("there is nothing to learn from: layer {} gives {} a zero vector (is sigma too small?)",
                               pass.layer(), nodes));
}

}  // namespace

template <typename Real>
LearntLayer<Real> learn_anchors(const ForwardPass<Real>& pass, const LayerConfig& config, const InputEncoding& encoding,
                                const FitOptions& fit, std::uint64_t seed, std::span<const char> is_training) {
  LearntLayer<Real> learnt;
  AnchorReport& report = learnt.report;
  learnt.layer.config = config;
  learnt.layer.input_width = pass.blocks()[0].features.width;
  learnt.layer.edge_width = encoding.uses_edge_labels && config.path_length > 0 ? encoding.edge_labels.size() : 0;
  report_progress(pass.layer_options(), "finding anchors", 0, 1);

  PointCollector<Real> collector(pass, config, learnt.layer.edge_width, is_training);
  // There may be more paths than a whole number can count.
  constexpr double kMostCounted = 1e18;
  report.patterns =
      collector.num_shared() + static_cast<std::uint64_t>(std::min(collector.num_unshared(), kMostCounted));
  if (report.patterns == 0) throw_nothing_to_learn_from(pass, config, collector);
  const auto q = static_cast<std::size_t>(config.filters);
  // Never fewer than a few dozen points per anchor.
  std::size_t unshared = std::max<std::size_t>(fit.sample_points, kSamplePerAnchor * q);
  const bool has_attributes = !encoding.mean.empty();
  std::size_t shared = has_attributes ? unshared : fit.max_points;
  const auto kmeans = [&](const PatternPoints<Real>& points, const FitOptions& with, BasicMatrix<Real> start) {
    KMeansResult<Real> result = spherical_kmeans(points, q, with, seed, pass.layer_options(), std::move(start));
    report.iterations = result.iterations;
    report.converged = result.converged;
    report.similarity = result.similarity;
    return std::move(result.centroids);
  };
  FitOptions rough = fit;
  rough.tolerance = std::max(fit.tolerance, kRoughTolerance);
  PatternPoints<Real> held_out;
  BasicMatrix<Real> anchors;
  // How many times as many points it would take for anchors as good as those of all paths.
  const auto lacking = [&] {
    if (held_out.size() == 0) held_out = collector.points(kHeldOut, kHeldOut, seeds::of_held_out(seed));
    report.held_out_similarity = mean_similarity(held_out, anchors);
    // A sample flatters its own anchors by about as much as other paths fall short of what all paths would give. Both
    // shrink as the sample grows, in proportion.
    const double of_all = 0.5 * (report.similarity + report.held_out_similarity);
    const double short_by = of_all - report.held_out_similarity;
    const double allowed = kHeldOutTolerance * of_all;
    if (short_by <= allowed) return 1.0;
    return allowed > 0 ? short_by / allowed : std::numeric_limits<double>::infinity();  // centroids like no path at all
  };
  const auto enlarge = [&](double times) {
    const std::size_t factor = times > 4 ? 8 : times > 2 ? 4 : 2;
    shared *= factor;
    unshared *= factor;
  };
  while (true) {
    const PatternPoints<Real> points = collector.points(shared, unshared, seed);
    report.points = points.size();
    report.sampled = collector.num_shared() > shared || collector.num_unshared() > static_cast<double>(unshared);
    if (!report.sampled) report.patterns = points.size();  // distinct, now that they have been merged
    if (const std::vector<std::size_t> all = few_distinct(points, q); !all.empty()) {
      anchors = BasicMatrix<Real>(all.size(), points.dimension());
      for (std::size_t i = 0; i < all.size(); ++i) write_point(points, all[i], anchors.row(i));
      report.exact = !report.sampled;
      report.converged = true;
      report.similarity = 1.0;
      break;
    }
    if (report.sampled && anchors.empty()) {  // most of the way is made where it is cheap
      anchors = kmeans(points, rough, std::move(anchors));
      if (const double times = lacking(); times > 1.0) {
        enlarge(times);
        continue;
      }
    }
    anchors = kmeans(points, fit, std::move(anchors));
    if (!report.sampled) break;
    const double times = lacking();
    if (times <= 1.0) break;
    enlarge(times);
  }
  set_anchors(anchors, learnt.layer);
  return learnt;
}

#define GCKN_INSTANTIATE(Real)                                                                                 \
  template LearntLayer<Real> learn_anchors(const ForwardPass<Real>&, const LayerConfig&, const InputEncoding&, \
                                           const FitOptions&, std::uint64_t, std::span<const char>);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
