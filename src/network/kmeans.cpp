// SPDX-License-Identifier: BSD-3-Clause
#include "network/kmeans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/vector_ops.h"
#include "network/kmeans_seeding.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kTile = 192;  // points per task

// The centroids laid out for products with many points at once.
template <typename Real>
class CentroidTables {
 public:
  CentroidTables(const PatternPoints<Real>& points, const BasicMatrix<Real>& centroids)
      : points_(points), q_(centroids.rows()) {
    for (std::size_t t = 0; t < points.vertices; ++t) {
      tables_.push_back(transpose(centroids, t * points.width, points.width));
      if (!points.one_hot) packed_.emplace_back(tables_.back().data(), points.width, q_, q_);
    }
    if (points.edge_width == 0) return;
    for (std::size_t t = 0; t + 1 < points.vertices; ++t) {
      edge_tables_.push_back(
          transpose(centroids, points.vertices * points.width + t * points.edge_width, points.edge_width));
    }
  }

  // s of `count` points with all centroids, count x q.
  void similarities(const std::uint32_t* ids, std::size_t count, Real* s) const {
    const std::size_t P = points_.vertices;
    std::vector<const Real*> rows(std::max(count, 2 * P));
    if (points_.one_hot || points_.edge_width > 0) {
      for (std::size_t i = 0; i < count; ++i) {
        std::size_t terms = 0;
        if (points_.one_hot) {
          for (std::size_t t = 0; t < P; ++t) rows[terms++] = tables_[t].row(points_.colours[ids[i] * P + t]);
        }
        for (std::size_t t = 0; t < edge_tables_.size(); ++t) {
          rows[terms++] = edge_tables_[t].row(points_.edges[ids[i] * (P - 1) + t]);
        }
        sum_rows(rows.data(), terms, q_, s + i * q_);
      }
    }
    if (points_.one_hot) return;
    for (std::size_t t = 0; t < P; ++t) {
      for (std::size_t i = 0; i < count; ++i) rows[i] = points_.rows[points_.colours[ids[i] * P + t]];
      multiply_rows(rows.data(), count, packed_[t], s, q_, t > 0 || points_.edge_width > 0);
    }
  }

 private:
  // Columns begin .. begin + width of the centroids as a (width + 1) x q table with a zero row at the end.
  BasicMatrix<Real> transpose(const BasicMatrix<Real>& centroids, std::size_t begin, std::size_t width) const {
    BasicMatrix<Real> table(width + 1, q_);
    for (std::size_t j = 0; j < q_; ++j) {
      for (std::size_t k = 0; k < width; ++k) table(k, j) = centroids(j, begin + k);
    }
    return table;
  }

  const PatternPoints<Real>& points_;
  std::size_t q_;
  std::vector<BasicMatrix<Real>> tables_;
  std::vector<PackedMatrix<Real>> packed_;
  std::vector<BasicMatrix<Real>> edge_tables_;
};

template <typename Real>
class Lloyd {
 public:
  Lloyd(const PatternPoints<Real>& points, BasicMatrix<Real> centroids, bool accelerate)
      : points_(points),
        q_(centroids.rows()),
        accelerate_(accelerate),
        centroids_(std::move(centroids)),
        sums_(q_, points.dimension()),
        weight_(q_, 0.0),
        members_(q_, 0),
        drift_(q_, 0.0),
        cluster_(points.size(), kNone),
        own_(points.size()),
        other_(points.size()) {}

  // Assigns all points to their best centroids. Returns the weighted mean similarity to them.
  double assign() {
    const std::vector<std::uint32_t> ids = first_ ? all_points() : doubtful_points();
    const CentroidTables<Real> tables(points_, centroids_);
    std::vector<std::uint32_t> before(ids.size());
    parallel_tiles(ids.size(), kTile, [&](std::size_t begin, std::size_t end) {
      auto s = BasicMatrix<Real>::uninitialised(end - begin, q_);
      tables.similarities(ids.data() + begin, end - begin, s.data());
      for (std::size_t i = begin; i < end; ++i) {
        const BestTwo<Real> best = best_two(s.row(i - begin), q_);
        before[i] = cluster_[ids[i]];
        cluster_[ids[i]] = best.index;
        own_[ids[i]] = best.best;
        other_[ids[i]] = best.second;
      }
    });
    std::vector<Move> moves;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (before[i] != cluster_[ids[i]]) moves.push_back({ids[i], before[i], cluster_[ids[i]]});
    }
    carry_out(moves);
    fill_empty_clusters();
    first_ = false;
    return objective();
  }

  // Moves every centroid to the normalised mean of its points.
  void update() {
    parallel_for(q_, [&](std::size_t j) { drift_[j] = recentre(j); });
  }

  BasicMatrix<Real> take_centroids() { return std::move(centroids_); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Move {
    std::uint32_t point, from, to;
  };

  std::vector<std::uint32_t> all_points() const {
    std::vector<std::uint32_t> ids(points_.size());
    std::iota(ids.begin(), ids.end(), 0U);
    return ids;
  }

  // Hamerly's test: a centroid that moved by delta changes a similarity by at most |x| delta, |x|^2 <= positions.
  // Points whose own centroid is still surely the best are skipped.
  std::vector<std::uint32_t> doubtful_points() {
    if (!accelerate_) return all_points();
    const auto reach = static_cast<Real>(std::sqrt(static_cast<double>(points_.positions())));
    std::size_t fastest = 0;
    for (std::size_t j = 1; j < q_; ++j) {
      if (drift_[j] > drift_[fastest]) fastest = j;
    }
    double second = 0;
    for (std::size_t j = 0; j < q_; ++j) {
      if (j != fastest) second = std::max(second, drift_[j]);
    }
    // Bounds are compared with a margin for the rounding of similarities.
    const Real margin = static_cast<Real>(points_.positions()) * 64 * std::numeric_limits<Real>::epsilon();
    std::vector<std::vector<std::uint32_t>> found((points_.size() + kBoundTile - 1) / kBoundTile);
    parallel_tiles(points_.size(), kBoundTile, [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint32_t>& list = found[begin / kBoundTile];
      for (std::size_t p = begin; p < end; ++p) {
        const std::uint32_t j = cluster_[p];
        own_[p] -= reach * static_cast<Real>(drift_[j]);
        other_[p] += reach * static_cast<Real>(j == fastest ? second : drift_[fastest]);
        if (own_[p] > other_[p] + margin) continue;
        own_[p] = own_similarity(p);
        if (own_[p] > other_[p] + margin) continue;
        list.push_back(static_cast<std::uint32_t>(p));
      }
    });
    std::vector<std::uint32_t> ids;
    for (const auto& list : found) ids.insert(ids.end(), list.begin(), list.end());
    return ids;
  }

  // s of a point with the centroid it is assigned to.
  Real own_similarity(std::size_t p) const {
    const std::size_t P = points_.vertices;
    const Real* centroid = centroids_.row(cluster_[p]);
    Real s = 0;
    for (std::size_t t = 0; t < P; ++t, centroid += points_.width) {
      const std::uint32_t colour = points_.colours[p * P + t];
      if (!points_.one_hot) {
        s += dot(points_.rows[colour], centroid, points_.width);
      } else if (colour < points_.width) {
        s += centroid[colour];
      }
    }
    for (std::size_t t = 0; points_.edge_width > 0 && t + 1 < P; ++t, centroid += points_.edge_width) {
      s += centroid[points_.edges[p * (P - 1) + t]];
    }
    return s;
  }

  // Adds weight times the point's vectors to a cluster's sum.
  void accumulate(std::size_t p, double weight, double* sum) const {
    const std::size_t P = points_.vertices;
    for (std::size_t t = 0; t < P; ++t, sum += points_.width) {
      const std::uint32_t colour = points_.colours[p * P + t];
      if (!points_.one_hot) {
        const Real* row = points_.rows[colour];
        for (std::size_t k = 0; k < points_.width; ++k) sum[k] += weight * static_cast<double>(row[k]);
      } else if (colour < points_.width) {
        sum[colour] += weight;
      }
    }
    for (std::size_t t = 0; points_.edge_width > 0 && t + 1 < P; ++t, sum += points_.edge_width) {
      sum[points_.edges[p * (P - 1) + t]] += weight;
    }
  }

  // Updates the clusters' sums and weights, each cluster by one task and in the order of points.
  void carry_out(const std::vector<Move>& moves) {
    std::vector<std::vector<std::pair<std::uint32_t, bool>>> by_cluster(q_);  // point, arrives
    for (const Move& move : moves) {
      if (move.from != kNone) by_cluster[move.from].emplace_back(move.point, false);
      by_cluster[move.to].emplace_back(move.point, true);
    }
    parallel_for(q_, [&](std::size_t j) {
      for (const auto& [point, arrives] : by_cluster[j]) {
        const double weight = arrives ? points_.weights[point] : -points_.weights[point];
        weight_[j] += weight;
        members_[j] += arrives ? 1 : -1;
        accumulate(point, weight, sums_.row(j));
      }
      if (members_[j] == 0) {  // no rounding is left behind
        std::fill_n(sums_.row(j), sums_.cols(), 0.0);
        weight_[j] = 0;
      }
    });
  }

  // An empty cluster takes the point that is least similar to its centroid (but not a cluster's only point).
  void fill_empty_clusters() {
    if (std::find(members_.begin(), members_.end(), 0) == members_.end()) return;
    std::vector<Real> similarity(points_.size());
    parallel_tiles(points_.size(), kBoundTile, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) similarity[p] = own_similarity(p);
    });
    for (std::uint32_t j = 0; j < q_; ++j) {
      if (members_[j] != 0) continue;
      std::uint32_t worst = kNone;
      for (std::uint32_t p = 0; p < points_.size(); ++p) {
        if (members_[cluster_[p]] > 1 && (worst == kNone || similarity[p] < similarity[worst])) worst = p;
      }
      if (worst == kNone) return;
      const Move move{worst, cluster_[worst], j};
      cluster_[worst] = j;
      similarity[worst] = std::numeric_limits<Real>::infinity();  // taken
      own_[worst] = -std::numeric_limits<Real>::infinity();       // looked at again next time
      carry_out({move});
    }
  }

  // sum_p w_p s(p, its centroid) = sum_j <sum of its points, c_j>, over the total weight and the positions.
  [[nodiscard]] double objective() const {
    double total = 0;
    double weight = 0;
    for (std::size_t j = 0; j < q_; ++j) {
      double s = 0;
      for (std::size_t k = 0; k < sums_.cols(); ++k) s += sums_(j, k) * static_cast<double>(centroids_(j, k));
      total += s;
      weight += weight_[j];
    }
    return total / (weight * static_cast<double>(points_.positions()));
  }

  // Returns how far the centroid moved.
  double recentre(std::size_t j) {
    constexpr double kShortest = 1e-4;
    if (weight_[j] == 0) return 0;
    double moved = 0;
    const auto position = [&](std::size_t begin, std::size_t width) {
      double square = 0;
      for (std::size_t k = begin; k < begin + width; ++k) square += sums_(j, k) * sums_(j, k);
      const double norm = std::sqrt(square);
      const double factor = norm < kShortest * weight_[j] ? 0.0 : 1.0 / norm;
      for (std::size_t k = begin; k < begin + width; ++k) {
        const auto value = static_cast<Real>(sums_(j, k) * factor);
        const double step = static_cast<double>(value) - static_cast<double>(centroids_(j, k));
        moved += step * step;
        centroids_(j, k) = value;
      }
    };
    const std::size_t P = points_.vertices;
    for (std::size_t t = 0; t < P; ++t) position(t * points_.width, points_.width);
    for (std::size_t t = 0; points_.edge_width > 0 && t + 1 < P; ++t) {
      position(P * points_.width + t * points_.edge_width, points_.edge_width);
    }
    return std::sqrt(moved) * (1 + 1e-6);
  }

  static constexpr std::size_t kBoundTile = 4096;

  const PatternPoints<Real>& points_;
  const std::size_t q_;
  const bool accelerate_;
  bool first_ = true;
  BasicMatrix<Real> centroids_;        // q x dimension
  DoubleMatrix sums_;                  // q x dimension: weighted sums of the points
  std::vector<double> weight_;         // by cluster
  std::vector<std::int64_t> members_;  // by cluster
  std::vector<double> drift_;          // by cluster: how far it moved last
  std::vector<std::uint32_t> cluster_;
  std::vector<Real> own_;    // by point: at most the similarity to its centroid
  std::vector<Real> other_;  // by point: at least the similarity to every other centroid
};

}  // namespace

template <typename Real>
void write_point(const PatternPoints<Real>& points, std::size_t point, Real* out) {
  const std::size_t P = points.vertices;
  std::fill_n(out, points.dimension(), Real{0});
  for (std::size_t t = 0; t < P; ++t, out += points.width) {
    const std::uint32_t colour = points.colours[point * P + t];
    if (!points.one_hot) {
      std::copy_n(points.rows[colour], points.width, out);
    } else if (colour < points.width) {
      out[colour] = 1;
    }
  }
  for (std::size_t t = 0; points.edge_width > 0 && t + 1 < P; ++t, out += points.edge_width) {
    out[points.edges[point * (P - 1) + t]] = 1;
  }
}

template <typename Real>
double mean_similarity(const PatternPoints<Real>& points, const BasicMatrix<Real>& centroids) {
  const std::size_t q = centroids.rows();
  const CentroidTables<Real> tables(points, centroids);
  std::vector<double> partial((points.size() + kTile - 1) / kTile);
  parallel_tiles(points.size(), kTile, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> ids(end - begin);
    std::iota(ids.begin(), ids.end(), static_cast<std::uint32_t>(begin));
    auto s = BasicMatrix<Real>::uninitialised(end - begin, q);
    tables.similarities(ids.data(), ids.size(), s.data());
    for (std::size_t p = begin; p < end; ++p) {
      partial[begin / kTile] += points.weights[p] * static_cast<double>(best_two(s.row(p - begin), q).best);
    }
  });
  const double weight = std::accumulate(points.weights.begin(), points.weights.end(), 0.0);
  return std::accumulate(partial.begin(), partial.end(), 0.0) / (weight * static_cast<double>(points.positions()));
}

template <typename Real>
KMeansResult<Real> spherical_kmeans(const PatternPoints<Real>& points, std::size_t q, const FitOptions& fit,
                                    std::uint64_t seed, const RunOptions& options) {
  KMeansResult<Real> result;
  report_progress(options, "finding anchors", 0, static_cast<std::uint64_t>(fit.max_iterations) + 1);
  Lloyd<Real> lloyd(points, seed_centroids(points, q, fit.seeding_points, seed), fit.accelerate);
  double before = 0;
  while (result.iterations < fit.max_iterations) {
    result.similarity = lloyd.assign();
    ++result.iterations;
    report_progress(options, "finding anchors", static_cast<std::uint64_t>(result.iterations) + 1,
                    static_cast<std::uint64_t>(fit.max_iterations) + 1);
    result.converged = result.iterations > 1 &&
                       std::abs(result.similarity - before) <= fit.tolerance * std::abs(result.similarity);
    if (result.converged) break;
    before = result.similarity;
    lloyd.update();
  }
  result.centroids = lloyd.take_centroids();
  return result;
}

#define GCKN_INSTANTIATE(Real)                                                                                   \
  template void write_point(const PatternPoints<Real>&, std::size_t, Real*);                                     \
  template double mean_similarity(const PatternPoints<Real>&, const BasicMatrix<Real>&);                         \
  template KMeansResult<Real> spherical_kmeans(const PatternPoints<Real>&, std::size_t, const FitOptions&,       \
                                               std::uint64_t, const RunOptions&);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
