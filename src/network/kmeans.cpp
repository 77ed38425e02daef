// SPDX-License-Identifier: BSD-3-Clause
#include "network/kmeans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "linalg/product.h"
#include "linalg/vector_ops.h"
#include "network/kmeans_seeding.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kTile = 192;  // points per task

// Some centroids laid out for products with many points at once.
template <typename Real>
class CentroidTables {
 public:
  CentroidTables(const PatternPoints<Real>& points, const BasicMatrix<Real>& centroids,
                 const std::vector<std::uint32_t>& chosen)
      : points_(points), count_(chosen.size()) {
    const std::size_t vertex_columns = points.vertices * points.width;
    BasicMatrix<Real> columns(points.dimension() + 1, count_);  // and a zero row
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t k = 0; k < points.dimension(); ++k) columns(k, i) = centroids(chosen[i], k);
    }
    if (!points.one_hot) packed_.pack(columns.data(), vertex_columns, count_, count_);
    table_ = std::move(columns);
  }

  [[nodiscard]] std::size_t size() const { return count_; }

  // s of `count` points with these centroids, count x size().
  void similarities(const std::uint32_t* ids, std::size_t count, Real* s) const {
    const std::size_t P = points_.vertices;
    const bool edges = points_.edge_width > 0;
    std::vector<const Real*> rows;
    if (points_.one_hot || edges) {  // sums of table rows
      for (std::size_t i = 0; i < count; ++i) {
        rows.clear();
        for (std::size_t t = 0; points_.one_hot && t < P; ++t) {
          const std::uint32_t colour = points_.colours[ids[i] * P + t];
          rows.push_back(table_.row(colour < points_.width ? t * points_.width + colour : points_.dimension()));
        }
        for (std::size_t t = 0; edges && t + 1 < P; ++t) {
          rows.push_back(table_.row(P * points_.width + t * points_.edge_width + points_.edges[ids[i] * (P - 1) + t]));
        }
        sum_rows(rows.data(), rows.size(), count_, s + i * count_);
      }
    }
    if (points_.one_hot) return;
    rows.clear();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t t = 0; t < P; ++t) rows.push_back(points_.rows[points_.colours[ids[i] * P + t]]);
    }
    multiply_rows(rows.data(), count, packed_, s, count_, edges, P);
  }

 private:
  const PatternPoints<Real>& points_;
  std::size_t count_;
  BasicMatrix<Real> table_;    // (dimension + 1) x size
  PackedMatrix<Real> packed_;  // P * d x size
};

std::vector<std::uint32_t> numbers_below(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

template <typename Real>
class Lloyd {
 public:
  Lloyd(const PatternPoints<Real>& points, BasicMatrix<Real> centroids, bool accelerate)
      : points_(points),
        q_(centroids.rows()),
        accelerate_(accelerate),
        reach_(static_cast<Real>(std::sqrt(static_cast<double>(points.positions())))),
        margin_(static_cast<Real>(points.positions()) * 64 * std::numeric_limits<Real>::epsilon()),
        centroids_(std::move(centroids)),
        sums_(q_, points.dimension()),
        weight_(q_, 0.0),
        members_(q_, 0),
        cluster_(points.size(), kNone),
        group_size_(std::max<std::size_t>(1, (points.size() * q_ + kMostBounds - 1) / kMostBounds)),
        num_groups_((q_ + group_size_ - 1) / group_size_),
        moved_(q_, 0),
        group_moved_(num_groups_, 0),
        own_(points.size()),
        other_(points.size()),
        bounds_(BasicMatrix<Real>::uninitialised(accelerate ? points.size() : 0, num_groups_)) {
    if (!accelerate || points.one_hot || points.vertices == 1) return;
    if (points.size() * points.dimension() > kMostElements) return;
    whole_ = BasicMatrix<Real>::uninitialised(points.size(), points.dimension());
    parallel_tiles(points.size(), kBoundTile, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) write_point(points, p, whole_.row(p));
    });
  }

  // Assigns all points to their best centroids. Returns the weighted mean similarity to them.
  double assign() {
    const std::vector<std::uint32_t> ids = first_ || !accelerate_ ? numbers_below(points_.size()) : doubtful_points();
    const CentroidTables<Real> tables(points_, centroids_, numbers_below(q_));
    std::vector<std::uint32_t> before(ids.size());
    parallel_tiles(ids.size(), kTile, [&](std::size_t begin, std::size_t end) {
      auto s = BasicMatrix<Real>::uninitialised(end - begin, q_);
      tables.similarities(ids.data() + begin, end - begin, s.data());
      for (std::size_t i = begin; i < end; ++i) {
        const BestTwo<Real> best = best_two(s.row(i - begin), q_);
        before[i] = cluster_[ids[i]];
        cluster_[ids[i]] = best.index;
        keep_bounds(ids[i], best, s.row(i - begin));
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
    std::vector<double> step(q_);
    parallel_for(q_, [&](std::size_t j) { step[j] = recentre(j); });
    double most = 0;
    for (std::size_t g = 0; g < num_groups_; ++g) {
      double most_of_group = 0;
      for (std::size_t j = g * group_size_; j < std::min(q_, (g + 1) * group_size_); ++j) {
        moved_[j] += reach_ * static_cast<Real>(step[j]);
        most_of_group = std::max(most_of_group, step[j]);
      }
      group_moved_[g] += reach_ * static_cast<Real>(most_of_group);
      most = std::max(most, most_of_group);
    }
    moved_most_ += reach_ * static_cast<Real>(most);
  }

  BasicMatrix<Real> take_centroids() { return std::move(centroids_); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Move {
    std::uint32_t point, from, to;
  };

  // Finds the points that may have a new best centroid. A centroid that moved by delta changes a similarity by at most
  // |x| delta, |x|^2 <= positions; so what was computed once bounds what is now, by all that the centroid moved since.
  // 1. One bound for all the others: the point keeps its centroid if own > other + the most that any has moved.
  // 2. One bound for every group of centroids.
  // 3. The similarity to the point's own centroid is computed, and those to centroids that are still in question.
  std::vector<std::uint32_t> doubtful_points() {
    std::vector<std::vector<std::uint32_t>> found((points_.size() + kBoundTile - 1) / kBoundTile);
    parallel_tiles(points_.size(), kBoundTile, [&](std::size_t begin, std::size_t end) {
      BoundScratch scratch{std::vector<std::uint32_t>(num_groups_), std::vector<Real>(points_.dimension())};
      for (std::size_t p = begin; p < end; ++p) {
        const Real own = own_[p] - moved_[cluster_[p]];
        if (own > other_[p] + moved_most_ + margin_) continue;
        Real* bounds = bounds_.row(p);
        const Real other = largest_sum(bounds, group_moved_.data(), num_groups_);
        if (own > other + margin_) {
          other_[p] = other - moved_most_;
        } else if (is_doubtful(p, other, bounds, scratch)) {
          found[begin / kBoundTile].push_back(static_cast<std::uint32_t>(p));
        }
      }
    });
    std::vector<std::uint32_t> doubtful;
    for (const auto& list : found) doubtful.insert(doubtful.end(), list.begin(), list.end());
    return doubtful;
  }

  struct BoundScratch {
    std::vector<std::uint32_t> groups;
    std::vector<Real> point;
  };

  // The third sieve, for a point whose bounds do not tell.
  bool is_doubtful(std::size_t p, Real other, Real* bounds, BoundScratch& scratch) {
    const Real* point = points_.one_hot ? nullptr : whole_point(p, scratch.point.data());
    const auto similarity_to = [&](std::size_t j) {
      return points_.one_hot ? similarity(p, j) : dot(point, centroids_.row(j), points_.dimension());
    };
    const Real own = similarity_to(cluster_[p]);
    own_[p] = own + moved_[cluster_[p]];
    if (own <= other + margin_) {
      const std::size_t found =
          sums_above(bounds, group_moved_.data(), num_groups_, own - margin_, scratch.groups.data());
      // Products of many points at once are some eight times faster than similarities one by one.
      if (8 * found * group_size_ > q_) return true;
      for (const std::uint32_t g : std::span(scratch.groups.data(), found)) {
        Real best = -std::numeric_limits<Real>::infinity();
        for (std::size_t j = g * group_size_; j < std::min(q_, (g + 1) * group_size_); ++j) {
          if (j != cluster_[p]) best = std::max(best, similarity_to(j));
        }
        if (own <= best + margin_) return true;
        bounds[g] = best - group_moved_[g];
      }
      other = largest_sum(bounds, group_moved_.data(), num_groups_);
    }
    other_[p] = other - moved_most_;
    return false;
  }

  // The vectors of a point one after the other, where they lie so or in `scratch`.
  const Real* whole_point(std::size_t p, Real* scratch) const {
    if (points_.vertices == 1) return points_.rows[points_.colours[p]];
    if (!whole_.empty()) return whole_.row(p);
    write_point(points_, p, scratch);
    return scratch;
  }

  // Takes what was computed for a point: its similarities with all centroids, of which that to its own is erased.
  void keep_bounds(std::size_t p, const BestTwo<Real>& best, Real* s) {
    own_[p] = best.best + moved_[best.index];
    other_[p] = best.second - moved_most_;
    if (!accelerate_) return;
    s[best.index] = -std::numeric_limits<Real>::infinity();
    for (std::size_t g = 0; g < num_groups_; ++g) {
      const Real* from = s + g * group_size_;
      const Real* to = s + std::min(q_, (g + 1) * group_size_);
      bounds_(p, g) = *std::max_element(from, to) - group_moved_[g];
    }
  }

  // s of a point with a centroid.
  Real similarity(std::size_t p, std::size_t j) const {
    const std::size_t P = points_.vertices;
    const Real* centroid = centroids_.row(j);
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
      for (std::size_t p = begin; p < end; ++p) similarity[p] = this->similarity(p, cluster_[p]);
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
      if (accelerate_) std::fill_n(bounds_.row(worst), num_groups_, std::numeric_limits<Real>::infinity());
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

  static constexpr std::size_t kBoundTile = 1024;
  static constexpr std::size_t kMostBounds = std::size_t{1} << 23;
  static constexpr std::size_t kMostElements = std::size_t{1} << 23;

  const PatternPoints<Real>& points_;
  const std::size_t q_;
  const bool accelerate_;
  const Real reach_;   // the most that a point's vectors can be long
  const Real margin_;  // bounds are compared with a margin for the rounding of similarities
  bool first_ = true;
  BasicMatrix<Real> centroids_;        // q x dimension
  DoubleMatrix sums_;                  // q x dimension: weighted sums of the points
  std::vector<double> weight_;         // by cluster
  std::vector<std::int64_t> members_;  // by cluster
  std::vector<std::uint32_t> cluster_;
  BasicMatrix<Real> whole_;  // points x dimension, where they are gathered from several rows and not too many

  // Bounds of similarities. Each is kept as it was when all centroids were where they began: what has been moved since
  // is taken from it (or added) where it is used, so that it need not be written when centroids move.
  const std::size_t group_size_;  // of centroids that share a bound: one, unless there are very many points
  const std::size_t num_groups_;
  std::vector<Real> moved_;        // by cluster: how far it has moved in all, times the reach
  std::vector<Real> group_moved_;  // by group: the most of its clusters each time
  Real moved_most_ = 0;            // the most of all clusters each time
  std::vector<Real> own_;          // by point: at most the similarity to its centroid
  std::vector<Real> other_;        // by point: at least the similarity to every other centroid
  BasicMatrix<Real> bounds_;       // by point and group: at least the similarity to its centroids but the point's own
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
  const CentroidTables<Real> tables(points, centroids, numbers_below(q));
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
                                    std::uint64_t seed, const RunOptions& options, BasicMatrix<Real> start) {
  KMeansResult<Real> result;
  report_progress(options, "finding anchors", 0, static_cast<std::uint64_t>(fit.max_iterations) + 1);
  if (start.empty()) start = seed_centroids(points, q, fit.seeding_points, seed, options);
  Lloyd<Real> lloyd(points, std::move(start), fit.accelerate);
  double before = 0;
  while (result.iterations < fit.max_iterations) {
    result.similarity = lloyd.assign();
    ++result.iterations;
    report_progress(options, "finding anchors", static_cast<std::uint64_t>(result.iterations) + 1,
                    static_cast<std::uint64_t>(fit.max_iterations) + 1);
    result.converged =
        result.iterations > 1 && std::abs(result.similarity - before) <= fit.tolerance * std::abs(result.similarity);
    if (result.converged) break;
    before = result.similarity;
    lloyd.update();
  }
  result.centroids = lloyd.take_centroids();
  return result;
}

#define GCKN_INSTANTIATE(Real)                                                                             \
  template void write_point(const PatternPoints<Real>&, std::size_t, Real*);                               \
  template double mean_similarity(const PatternPoints<Real>&, const BasicMatrix<Real>&);                   \
  template KMeansResult<Real> spherical_kmeans(const PatternPoints<Real>&, std::size_t, const FitOptions&, \
                                               std::uint64_t, const RunOptions&, BasicMatrix<Real>);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
