// SPDX-License-Identifier: BSD-3-Clause
#include "network/kmeans_seeding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/product.h"
#include "util/parallel.h"
#include "util/random.h"

namespace gckn {
namespace {

// Similarities of a few points (the candidates) with all points.
template <typename Real>
class CandidateSimilarities {
 public:
  explicit CandidateSimilarities(const PatternPoints<Real>& points) : points_(points) {
    if (points.one_hot) return;
    // Points as columns, so that the few candidates are the rows of the product.
    const std::size_t P = points.vertices;
    BasicMatrix<Real> columns(points.width, kTile);
    for (std::size_t begin = 0; begin < points.size(); begin += kTile) {
      const std::size_t count = std::min(kTile, points.size() - begin);
      for (std::size_t t = 0; t < P; ++t) {
        for (std::size_t i = 0; i < count; ++i) {
          const Real* row = points.rows[points.colours[(begin + i) * P + t]];
          for (std::size_t k = 0; k < points.width; ++k) columns(k, i) = row[k];
        }
        packed_.emplace_back(columns.data(), points.width, count, kTile);
      }
    }
  }

  // s, candidates x points.
  void compute(const std::vector<std::uint32_t>& candidates, BasicMatrix<Real>& s) const {
    const std::size_t P = points_.vertices;
    parallel_tiles(points_.size(), kTile, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const std::uint32_t c = candidates[i];
        for (std::size_t p = begin; p < end; ++p) {
          std::size_t equal = 0;
          for (std::size_t t = 0; points_.one_hot && t < P; ++t) {
            const std::uint32_t colour = points_.colours[c * P + t];
            equal += colour < points_.width && colour == points_.colours[p * P + t] ? 1 : 0;
          }
          for (std::size_t t = 0; points_.edge_width > 0 && t + 1 < P; ++t) {
            equal += points_.edges[c * (P - 1) + t] == points_.edges[p * (P - 1) + t] ? 1 : 0;
          }
          s(i, p) = static_cast<Real>(equal);
        }
      }
      if (points_.one_hot) return;
      std::vector<const Real*> rows(candidates.size());
      for (std::size_t t = 0; t < P; ++t) {
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = points_.rows[points_.colours[candidates[i] * P + t]];
        multiply_rows(rows.data(), rows.size(), packed_[begin / kTile * P + t], s.data() + begin, s.cols(), true);
      }
    });
  }

 private:
  static constexpr std::size_t kTile = 512;  // points per task

  const PatternPoints<Real>& points_;
  std::vector<PackedMatrix<Real>> packed_;  // by tile of points and position: d x points
};

// Draws an index with probability proportional to mass; the first one if all is zero.
std::uint32_t draw(const std::vector<double>& mass, double total, Random& random) {
  const double place = random.uniform() * total;
  double sum = 0;
  std::uint32_t last = 0;
  for (std::uint32_t p = 0; p < mass.size(); ++p) {
    if (mass[p] <= 0) continue;
    sum += mass[p];
    last = p;
    if (place < sum) return p;
  }
  return last;
}

}  // namespace

template <typename Real>
PatternPoints<Real> draw_points(const PatternPoints<Real>& points, std::size_t count, std::uint64_t seed) {
  PatternPoints<Real> drawn;
  drawn.vertices = points.vertices;
  drawn.width = points.width;
  drawn.edge_width = points.edge_width;
  drawn.one_hot = points.one_hot;
  drawn.rows = points.rows;
  const double total = std::accumulate(points.weights.begin(), points.weights.end(), 0.0);
  const double stratum = total / static_cast<double>(count);
  Random random(seed);
  std::size_t p = 0;
  std::size_t last_drawn = points.size();
  double before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double place = (static_cast<double>(i) + random.uniform()) * stratum;
    while (p + 1 < points.size() && before + points.weights[p] <= place) before += points.weights[p++];
    if (p == last_drawn) {
      drawn.weights.back() += 1.0;
      continue;
    }
    last_drawn = p;
    drawn.weights.push_back(1.0);
    const auto copy = [&](const std::vector<std::uint32_t>& from, std::size_t each, std::vector<std::uint32_t>& to) {
      to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(p * each),
                from.begin() + static_cast<std::ptrdiff_t>((p + 1) * each));
    };
    copy(points.colours, points.vertices, drawn.colours);
    if (points.edge_width > 0) copy(points.edges, points.vertices - 1, drawn.edges);
  }
  return drawn;
}

template <typename Real>
BasicMatrix<Real> seed_centroids(const PatternPoints<Real>& all, std::size_t q, std::size_t sample_size,
                                 std::uint64_t seed, const RunOptions& options) {
  // Sixteen points per centroid at least, so that a large q has something to choose from.
  sample_size = std::max(sample_size, 16 * q);
  PatternPoints<Real> sample;
  if (all.size() > sample_size) sample = draw_points(all, sample_size, seeds::of_seeding_sample(seed));
  // Heavy repetition can leave fewer distinct points than centroids.
  const PatternPoints<Real>& points = sample.size() >= q ? sample : all;

  const std::size_t n = points.size();
  const auto num_candidates = 2 + static_cast<std::size_t>(std::log(static_cast<double>(q)));
  const CandidateSimilarities<Real> similarities(points);
  const auto positions = static_cast<double>(points.positions());
  Random random(seed);
  BasicMatrix<Real> centroids(q, points.dimension());
  std::vector<double> distance(n, std::numeric_limits<double>::infinity());  // D^2 to the nearest centroid
  std::vector<double> mass = points.weights;                                 // weight * D^2
  double potential = std::accumulate(mass.begin(), mass.end(), 0.0);
  BasicMatrix<Real> s(num_candidates, n);
  constexpr std::size_t kTile = 1024;
  DoubleMatrix partial(num_candidates, (n + kTile - 1) / kTile);
  std::vector<std::uint32_t> candidates;
  for (std::size_t j = 0; j < q; ++j) {
    report_progress(options, "choosing first anchors", j, q);
    candidates.clear();
    for (std::size_t i = 0; i < (j == 0 ? 1 : num_candidates); ++i) candidates.push_back(draw(mass, potential, random));
    similarities.compute(candidates, s);
    const auto nearer = [&](std::size_t i, std::size_t p) {
      return std::min(distance[p], std::max(0.0, 2.0 * (positions - static_cast<double>(s(i, p)))));
    };
    parallel_tiles(n, kTile, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        double sum = 0;
        for (std::size_t p = begin; p < end; ++p) sum += points.weights[p] * nearer(i, p);
        partial(i, begin / kTile) = sum;
      }
    });
    std::size_t best = 0;
    double best_potential = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const double sum = std::accumulate(partial.row(i), partial.row(i) + partial.cols(), 0.0);
      if (sum < best_potential) {
        best_potential = sum;
        best = i;
      }
    }
    potential = best_potential;
    for (std::size_t p = 0; p < n; ++p) {
      distance[p] = nearer(best, p);
      mass[p] = points.weights[p] * distance[p];
    }
    write_point(points, candidates[best], centroids.row(j));
  }
  return centroids;
}

#define GCKN_INSTANTIATE(Real)                                                                                   \
  template BasicMatrix<Real> seed_centroids(const PatternPoints<Real>&, std::size_t, std::size_t, std::uint64_t, \
                                            const RunOptions&);                                                  \
  template PatternPoints<Real> draw_points(const PatternPoints<Real>&, std::size_t, std::uint64_t);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
