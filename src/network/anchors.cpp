// SPDX-License-Identifier: BSD-3-Clause
#include "network/anchors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "gckn/error.h"
#include "network/kmeans.h"
#include "network/kmeans_seeding.h"
#include "pattern/path_walker.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kHeldOut = 50'000;       // paths that check a sample
constexpr double kHeldOutTolerance = 0.005;    // of the mean similarity

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
  PointCollector(const ForwardPass<Real>& pass, const std::vector<Patterns>& patterns, const LayerConfig& config,
                 std::size_t edge_width)
      : pass_(pass), patterns_(patterns), vertices_(static_cast<std::size_t>(config.path_length) + 1) {
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
    for (std::size_t b = 0; b < patterns.size(); ++b) {
      if (patterns[b].shared) {
        add_shared(b);
      } else {
        eligible_.emplace(b, eligible_classes(b));
        samplers_.emplace(b, std::make_unique<PathSampler>(pass.class_graph(), config.kind,
                                                           static_cast<int>(vertices_)));
        const double paths = samplers_[b]->total(eligible_[b]);
        unshared_paths_ += paths;
      }
    }
  }

  [[nodiscard]] const PatternPoints<Real>& shared_points() const { return shared_; }
  [[nodiscard]] double unshared_paths() const { return unshared_paths_; }

  // Points of the blocks without interned patterns: a sample of about `count` paths, or all if there are no more.
  PatternPoints<Real> unshared_points(std::size_t count, std::uint64_t seed) {
    PatternPoints<Real> points = empty_;
    for (const auto& [b, sampler] : samplers_) {
      const double paths = sampler->total(eligible_[b]);
      if (paths == 0) continue;
      if (unshared_paths_ <= static_cast<double>(count)) {
        std::vector<double> weights;
        const PathSampler::Sample sample = sampler->all(eligible_[b], weights);
        append(b, sample, weights, points);
        continue;
      }
      const auto share = static_cast<std::size_t>(std::ceil(static_cast<double>(count) * paths / unshared_paths_));
      const PathSampler::Sample sample = sampler->sample(share, seed + b, eligible_[b]);
      append(b, sample, std::vector<double>(share, paths / static_cast<double>(share)), points);
    }
    merge_equal(points);
    return points;
  }

 private:
  // Patterns whose start vector is zero stay out.
  [[nodiscard]] bool starts_with_something(std::size_t b, std::uint32_t colour) const {
    return pass_.blocks()[b].features.norm_of(colour) > 0;
  }

  std::vector<char> eligible_classes(std::size_t b) const {
    const std::vector<std::uint32_t>& colour = *pass_.blocks()[b].colours.of_class;
    std::vector<char> eligible(colour.size());
    for (std::size_t c = 0; c < colour.size(); ++c) eligible[c] = starts_with_something(b, colour[c]) ? 1 : 0;
    return eligible;
  }

  void add_shared(std::size_t b) {
    const std::vector<std::uint64_t> totals = pattern_totals(patterns_[b], pass_.class_graph());
    std::vector<std::uint32_t> colours(vertices_);
    std::vector<std::uint32_t> edges(empty_.edge_width > 0 ? vertices_ - 1 : 0);
    for (std::uint32_t p = 0; p < totals.size(); ++p) {
      if (totals[p] == 0) continue;
      read_pattern(patterns_[b], p, colours, edges);
      if (!starts_with_something(b, colours[0])) continue;
      for (const std::uint32_t colour : colours) shared_.colours.push_back(first_colour_[b] + colour);
      shared_.edges.insert(shared_.edges.end(), edges.begin(), edges.end());
      shared_.weights.push_back(static_cast<double>(totals[p]));
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
  const std::vector<Patterns>& patterns_;
  const std::size_t vertices_;
  PatternPoints<Real> empty_;
  std::vector<std::uint32_t> first_colour_;  // by block: its first row in the points' list of colours
  PatternPoints<Real> shared_;
  std::map<std::size_t, std::vector<char>> eligible_;
  std::map<std::size_t, std::unique_ptr<PathSampler>> samplers_;
  double unshared_paths_ = 0;
};

template <typename Real>
PatternPoints<Real> join(PatternPoints<Real> a, const PatternPoints<Real>& b) {
  a.colours.insert(a.colours.end(), b.colours.begin(), b.colours.end());
  a.edges.insert(a.edges.end(), b.edges.begin(), b.edges.end());
  a.weights.insert(a.weights.end(), b.weights.begin(), b.weights.end());
  return a;
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

}  // namespace

template <typename Real>
LearntLayer<Real> learn_anchors(const ForwardPass<Real>& pass, const std::vector<Patterns>& patterns,
                                const LayerConfig& config, const InputEncoding& encoding, const FitOptions& fit,
                                std::uint64_t seed) {
  LearntLayer<Real> learnt;
  AnchorReport& report = learnt.report;
  learnt.layer.config = config;
  learnt.layer.input_width = pass.blocks()[0].features.width;
  learnt.layer.edge_width = encoding.uses_edge_labels && config.path_length > 0 ? encoding.edge_labels.size() : 0;
  report_progress(pass.layer_options(), "finding anchors", 0, 1);

  PointCollector<Real> collector(pass, patterns, config, learnt.layer.edge_width);
  const PatternPoints<Real>& shared = collector.shared_points();
  report.patterns = shared.size() + static_cast<std::uint64_t>(collector.unshared_paths());
  const auto q = static_cast<std::size_t>(config.filters);
  // As many points as asked for, but never fewer than a few dozen per anchor.
  std::uint64_t sample_size = std::max<std::uint64_t>(fit.sample_points, 64 * q);
  const bool shared_sampled = shared.size() > fit.max_points;
  while (true) {
    PatternPoints<Real> points = shared_sampled ? draw_points(shared, fit.max_points, seed + 11) : shared;
    if (shared_sampled) {  // drawn points weigh 1; keep the balance with the other blocks
      const double total = std::accumulate(shared.weights.begin(), shared.weights.end(), 0.0);
      for (double& weight : points.weights) weight *= total / static_cast<double>(fit.max_points);
    }
    const bool unshared_sampled = collector.unshared_paths() > static_cast<double>(sample_size);
    if (collector.unshared_paths() > 0) points = join(std::move(points), collector.unshared_points(sample_size, seed + 23));
    report.points = points.size();
    report.sampled = shared_sampled || unshared_sampled;
    if (points.size() == 0) {
      throw InputError(fmt::format("the graphs have no {} of {} edges to learn from: shorten --path-length",
                                   config.kind == LayerKind::path ? "path" : "walk", config.path_length));
    }
    if (points.size() <= q && !report.sampled) {
      BasicMatrix<Real> anchors(points.size(), points.dimension());
      for (std::size_t p = 0; p < points.size(); ++p) write_point(points, p, anchors.row(p));
      set_anchors(anchors, learnt.layer);
      report.exact = report.converged = true;
      report.similarity = 1.0;
      return learnt;
    }
    const KMeansResult<Real> result =
        spherical_kmeans(points, std::min(q, points.size()), fit, seed, pass.layer_options());
    report.iterations = result.iterations;
    report.converged = result.converged;
    report.similarity = result.similarity;
    set_anchors(result.centroids, learnt.layer);
    if (!report.sampled) return learnt;

    PatternPoints<Real> held_out = shared_sampled ? draw_points(shared, kHeldOut, seed + 37) : collector.shared_points();
    if (unshared_sampled) held_out = collector.unshared_points(kHeldOut, seed + 41);
    report.held_out_similarity = mean_similarity(held_out, result.centroids);
    const double on_sample = unshared_sampled ? mean_similarity(collector.unshared_points(sample_size, seed + 23),
                                                                result.centroids)
                                              : report.similarity;
    const bool representative = report.held_out_similarity >= (1.0 - kHeldOutTolerance) * on_sample;
    if (representative || !unshared_sampled) return learnt;
    sample_size *= 2;
  }
}

template LearntLayer<float> learn_anchors(const ForwardPass<float>&, const std::vector<Patterns>&, const LayerConfig&,
                                          const InputEncoding&, const FitOptions&, std::uint64_t);
template LearntLayer<double> learn_anchors(const ForwardPass<double>&, const std::vector<Patterns>&,
                                           const LayerConfig&, const InputEncoding&, const FitOptions&,
                                           std::uint64_t);

}  // namespace gckn
