// SPDX-License-Identifier: BSD-3-Clause
// Evaluates a layer without storing a single path. kappa factorises over the positions of a path,
//   kappa(p) = prod_t e_t(p_t) * prod_t f_t(label of edge t),   e_t = exp(slope <xhat, z_t> + offset / positions),
// so a depth-first pass multiplies q-vectors on the way down and adds them up at the end. The factors contain the
// length l, so there is one pass per length. With sum (or mean) pooling the last vertex needs no visit: its factors add
// up over all neighbours of the last but one, minus those that the path has used already,
//   sum_w e_l(w) f(v, w) = N(v) - sum over path vertices adjacent to v.
// Walks need no search at all: V_t(u) = e_t(u) * sum over neighbours of f_t V_{t+1}, from the last position back.
//
// The unit of work is a run of graphs (a tile) and a panel of columns, small enough to stay in cache.
#include <algorithm>
#include <array>

#include "linalg/instruction_set.h"
#include "linalg/product.h"
#include "linalg/vector_ops.h"
#include "network/evaluators.h"
#include "network/gmp.h"
#include "pattern/choice.h"
#include "pattern/path_walker.h"
#include "util/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "network/direct_evaluator.cpp"
#include "linalg/highway_targets.h"
// Highway compiles the part in HWY_NAMESPACE once for every instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef GCKN_DIRECT_JOB
#define GCKN_DIRECT_JOB
namespace gckn {

constexpr std::size_t kColumns = 128;  // of a panel

// The tables of one tile, length and panel. Rows have `stride` elements, a multiple of any vector.
template <typename Real>
struct DirectTile {
  const ClassGraph* graph = nullptr;
  bool edge_labels = false;
  LayerKind kind = LayerKind::path;
  Pooling pooling = Pooling::sum;
  int length = 2;
  std::uint32_t first = 0;  // classes first .. last
  std::uint32_t last = 0;
  std::size_t stride = 0;
  std::vector<std::uint32_t> row_of_class;      // class - first -> row of the factor tables
  std::vector<BasicMatrix<Real>> factors;       // by position: rows x stride
  std::vector<BasicMatrix<Real>> edge_factors;  // by position: labels x stride
  BasicMatrix<Real> pooled;                     // classes x stride: result without e_1 and r
  std::vector<double> counts;                   // by class: paths of this length
};

}  // namespace gckn
#endif  // GCKN_DIRECT_JOB

HWY_BEFORE_NAMESPACE();
namespace gckn::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename Real>
class TileEvaluator {
 public:
  explicit TileEvaluator(DirectTile<Real>& tile)
      : tile_(tile),
        graph_(*tile.graph),
        stride_(tile.stride),
        last_position_(static_cast<std::size_t>(tile.length) - 1),
        used_(tile.last - tile.first),
        path_(static_cast<std::size_t>(tile.length)),
        prefixes_(static_cast<std::size_t>(tile.length), tile.stride),
        sums_(tile.last - tile.first, tile.stride) {}

  void run() {
    if (tile_.kind == LayerKind::walk) return run_walks();
    if (tile_.pooling != Pooling::max) fill_neighbour_sums();
    for (std::uint32_t u = tile_.first; u < tile_.last; ++u) {
      acc_ = tile_.pooled.row(u - tile_.first);
      std::fill_n(acc_, stride_, Real{0});
      count_ = 0;
      path_[0] = u;
      std::fill_n(prefixes_.row(0), stride_, Real{1});
      used_[u - tile_.first] = 1;
      if (tile_.pooling == Pooling::max) {
        descend_max(u, 1);
      } else if (tile_.length == 2) {
        std::copy_n(sums_.row(u - tile_.first), stride_, acc_);
        count_ = graph_.degree[u];
      } else {
        descend_sum(u, 1, 1.0);
      }
      used_[u - tile_.first] = 0;
      tile_.counts[u - tile_.first] = count_;
    }
  }

 private:
  using Tag = hn::ScalableTag<Real>;
  static constexpr std::size_t kLanes = hn::MaxLanes(Tag());

  const Real* factor(std::size_t position, std::uint32_t c) const {
    return tile_.factors[position].row(tile_.row_of_class[c - tile_.first]);
  }
  // The factor of arc a as edge `position` of a path, or null where edge labels are not used.
  const Real* edge_factor(std::size_t position, std::uint64_t a) const {
    return tile_.edge_labels ? tile_.edge_factors[position].row(graph_.arc_label[a]) : nullptr;
  }

  // A graph can have any number of paths: now and then somebody may want to stop.
  void count_step() {
    if ((++steps_ & 0xFFFU) == 0) check_cancelled();
  }

  // Nodes of class `to` adjacent to a given node of class `at`.
  std::uint32_t adjacent(std::uint32_t at, std::uint32_t to) const { return graph_.size[to] - (at == to ? 1U : 0U); }

  // sums_(v) = sum over neighbours w of e_l(w) f(v, w).
  void fill_neighbour_sums() {
    for (std::uint32_t v = tile_.first; v < tile_.last; ++v) {
      Real* sum = sums_.row(v - tile_.first);
      for (std::uint64_t a = graph_.arc_begin[v]; a < graph_.arc_begin[v + 1]; ++a) {
        const std::uint32_t w = graph_.arc_to[a];
        const std::uint32_t nodes = adjacent(v, w);
        add_product(sum, factor(last_position_, w), edge_factor(last_position_ - 1, a), static_cast<Real>(nodes));
      }
    }
  }

  // Extends the path of t vertices that ends at `at`; prefixes_[t - 1] holds the product of its factors, the start's
  // left out.
  void descend_sum(std::uint32_t at, std::size_t t, double ways) {
    const bool finish = t + 1 == last_position_;  // the next vertex is the last but one
    for (std::uint64_t a = graph_.arc_begin[at]; a < graph_.arc_begin[at + 1]; ++a) {
      const std::uint32_t to = graph_.arc_to[a];
      const std::uint32_t choices = graph_.size[to] - used_[to - tile_.first];
      if (choices == 0) continue;
      count_step();
      const Real* vertex = factor(t, to);
      const Real* edge = edge_factor(t - 1, a);
      if (!finish) {
        set_product(prefixes_.row(t), prefixes_.row(t - 1), vertex, edge, static_cast<Real>(choices));
        path_[t] = to;
        ++used_[to - tile_.first];
        descend_sum(to, t + 1, ways * choices);
        --used_[to - tile_.first];
        continue;
      }
      std::size_t blocked = 0;  // path vertices that the last step cannot take
      for (std::size_t i = 0; i < t; ++i) {
        const std::uint64_t back = graph_.find_arc(to, path_[i]);
        if (back == graph_.arc_begin[to + 1]) continue;
        blocked_[blocked] = factor(last_position_, path_[i]);
        blocked_edge_[blocked] = edge_factor(last_position_ - 1, back);
        ++blocked;
      }
      if (blocked == graph_.degree[to]) continue;  // nowhere to go; the difference would be rounding
      add_finished(prefixes_.row(t - 1), vertex, edge, static_cast<Real>(choices), sums_.row(to - tile_.first),
                   blocked);
      count_ += ways * choices * static_cast<double>(graph_.degree[to] - blocked);
    }
  }

  void descend_max(std::uint32_t at, std::size_t t) {
    for (std::uint64_t a = graph_.arc_begin[at]; a < graph_.arc_begin[at + 1]; ++a) {
      const std::uint32_t to = graph_.arc_to[a];
      if (graph_.size[to] == used_[to - tile_.first]) continue;
      count_step();
      set_product(prefixes_.row(t), prefixes_.row(t - 1), factor(t, to), edge_factor(t - 1, a), Real{1});
      if (t == last_position_) {
        raise_to(acc_, prefixes_.row(t));
        count_ = 1;
        continue;
      }
      ++used_[to - tile_.first];
      descend_max(to, t + 1);
      --used_[to - tile_.first];
    }
  }

  // V_t(u) for t = l - 1 .. 1 without the factor e_1 of the start; counts by the same recursion.
  void run_walks() {
    const std::size_t n = tile_.last - tile_.first;
    BasicMatrix<Real> after(n, stride_);
    std::vector<double> count_after(n, 1.0);
    for (std::size_t c = 0; c < n; ++c) {
      std::copy_n(factor(last_position_, tile_.first + static_cast<std::uint32_t>(c)), stride_, after.row(c));
    }
    for (std::size_t t = last_position_; t-- > 0;) {
      BasicMatrix<Real> now(n, stride_);
      std::vector<double> count_now(n, 0.0);
      for (std::uint32_t u = tile_.first; u < tile_.last; ++u) {
        Real* row = now.row(u - tile_.first);
        for (std::uint64_t a = graph_.arc_begin[u]; a < graph_.arc_begin[u + 1]; ++a) {
          const std::uint32_t to = graph_.arc_to[a];
          const std::uint32_t nodes = adjacent(u, to);
          const double walks = count_after[to - tile_.first];
          if (nodes == 0 || walks == 0) continue;
          count_now[u - tile_.first] += nodes * walks;
          const Real* edge = edge_factor(t, a);
          if (tile_.pooling == Pooling::max) {
            raise_to_product(row, after.row(to - tile_.first), edge);
          } else {
            add_product(row, after.row(to - tile_.first), edge, static_cast<Real>(nodes));
          }
        }
        if (t > 0) multiply_by(row, factor(t, u));
      }
      after = std::move(now);
      count_after = std::move(count_now);
    }
    tile_.pooled = std::move(after);
    tile_.counts = std::move(count_after);
  }

  // out = in * x * y * scale, y optional.
  void set_product(Real* HWY_RESTRICT out, const Real* HWY_RESTRICT in, const Real* HWY_RESTRICT x,
                   const Real* HWY_RESTRICT y, Real scale) const {
    const Tag tag;
    const auto vscale = hn::Set(tag, scale);
    for (std::size_t j = 0; j < stride_; j += kLanes) {
      auto v = hn::Mul(hn::Mul(hn::Load(tag, in + j), vscale), hn::Load(tag, x + j));
      if (y != nullptr) v = hn::Mul(v, hn::Load(tag, y + j));
      hn::Store(v, tag, out + j);
    }
  }

  // out += x * y * scale, y optional.
  void add_product(Real* HWY_RESTRICT out, const Real* HWY_RESTRICT x, const Real* HWY_RESTRICT y, Real scale) const {
    const Tag tag;
    const auto vscale = hn::Set(tag, scale);
    for (std::size_t j = 0; j < stride_; j += kLanes) {
      auto v = hn::Load(tag, x + j);
      if (y != nullptr) v = hn::Mul(v, hn::Load(tag, y + j));
      hn::Store(hn::MulAdd(v, vscale, hn::Load(tag, out + j)), tag, out + j);
    }
  }

  // acc += in * x * y * scale * (sum - blocked factors).
  void add_finished(const Real* HWY_RESTRICT in, const Real* HWY_RESTRICT x, const Real* HWY_RESTRICT y, Real scale,
                    const Real* HWY_RESTRICT sum, std::size_t blocked) const {
    const Tag tag;
    const auto vscale = hn::Set(tag, scale);
    for (std::size_t j = 0; j < stride_; j += kLanes) {
      auto rest = hn::Load(tag, sum + j);
      for (std::size_t i = 0; i < blocked; ++i) {
        auto v = hn::Load(tag, blocked_[i] + j);
        if (blocked_edge_[i] != nullptr) v = hn::Mul(v, hn::Load(tag, blocked_edge_[i] + j));
        rest = hn::Sub(rest, v);
      }
      // Factors are positive: what is left below zero is rounding.
      rest = hn::Max(rest, hn::Zero(tag));
      auto v = hn::Mul(hn::Mul(hn::Load(tag, in + j), vscale), hn::Load(tag, x + j));
      if (y != nullptr) v = hn::Mul(v, hn::Load(tag, y + j));
      hn::Store(hn::MulAdd(v, rest, hn::Load(tag, acc_ + j)), tag, acc_ + j);
    }
  }

  void multiply_by(Real* HWY_RESTRICT out, const Real* HWY_RESTRICT x) const {
    const Tag tag;
    for (std::size_t j = 0; j < stride_; j += kLanes) {
      hn::Store(hn::Mul(hn::Load(tag, out + j), hn::Load(tag, x + j)), tag, out + j);
    }
  }

  void raise_to(Real* HWY_RESTRICT out, const Real* HWY_RESTRICT x) const { raise_to_product(out, x, nullptr); }

  // out = max(out, x * y), y optional.
  void raise_to_product(Real* HWY_RESTRICT out, const Real* HWY_RESTRICT x, const Real* HWY_RESTRICT y) const {
    const Tag tag;
    for (std::size_t j = 0; j < stride_; j += kLanes) {
      auto v = hn::Load(tag, x + j);
      if (y != nullptr) v = hn::Mul(v, hn::Load(tag, y + j));
      hn::Store(hn::Max(hn::Load(tag, out + j), v), tag, out + j);
    }
  }

  DirectTile<Real>& tile_;
  const ClassGraph& graph_;
  const std::size_t stride_;
  const std::size_t last_position_;
  std::vector<std::uint32_t> used_;
  std::vector<std::uint32_t> path_;
  BasicMatrix<Real> prefixes_;
  BasicMatrix<Real> sums_;
  Real* acc_ = nullptr;
  double count_ = 0;
  std::uint32_t steps_ = 0;
  std::array<const Real*, kLongestPath + 1> blocked_{};
  std::array<const Real*, kLongestPath + 1> blocked_edge_{};
};

}  // namespace

void evaluate_tile_float(DirectTile<float>& tile) {
  TileEvaluator<float>(tile).run();
}
void evaluate_tile_double(DirectTile<double>& tile) {
  TileEvaluator<double>(tile).run();
}

}  // namespace gckn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gckn {

namespace {

void evaluate_tile(DirectTile<float>& tile) {
  GCKN_BEST_VERSION(evaluate_tile_float)(tile);
}
void evaluate_tile(DirectTile<double>& tile) {
  GCKN_BEST_VERSION(evaluate_tile_double)(tile);
}

template <typename Real>
class DirectEvaluation {
 public:
  DirectEvaluation(const LayerOperator<Real>& layer, const Patterns& patterns, const ClassGraph& graph,
                   const Colouring& colours, const ColourFeatures<Real>& features, const RunOptions& options)
      : layer_(layer),
        patterns_(patterns),
        graph_(graph),
        colour_(*colours.of_class),
        features_(features),
        options_(options),
        edge_labels_(layer.edge_width > 0) {}

  void run(const std::vector<std::size_t>& first_row, std::vector<BlockOutput<Real>>& outputs) const {
    require_few_paths();
    const std::vector<Tile> all = tiles();
    parallel_for(all.size(), options_, "evaluating paths", [&](std::size_t k) {
      const TileInput input = prepare(all[k].first, all[k].last);
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const int length = patterns_.lengths[i];
        if (length == 1) continue;
        Real* const out = outputs[i].rows.row(first_row[i] + all[k].row);
        if (layer_.config.pooling == Pooling::gmp) {
          evaluate_gmp(input, length, out);
          continue;
        }
        for (std::size_t begin = 0; begin < layer_.filters; begin += kColumns) {
          evaluate_panel(input, length, begin, std::min(kColumns, layer_.filters - begin), out);
        }
      }
    });
  }

 private:
  // Classes first .. last of consecutive direct graphs, and their first place among all classes of such graphs.
  struct Tile {
    std::uint32_t first, last, row;
  };

  struct TileInput {
    std::uint32_t first, last;
    std::vector<std::uint32_t> row_of_class;
    std::vector<BasicMatrix<Real>> similarity;  // by position: distinct colours of the tile x q
  };

  // Pooling that is no sum has to go to the last vertex, too, which compilation has not counted.
  void require_few_paths() const {
    const bool goes_to_the_end = layer_.config.pooling == Pooling::max || layer_.config.pooling == Pooling::gmp;
    if (patterns_.kind == LayerKind::walk && layer_.config.pooling != Pooling::gmp) return;
    if (!goes_to_the_end) return;
    std::vector<int> depth(graph_.num_graphs(), 0);
    for (const std::uint32_t g : patterns_.direct_graphs) depth[g] = patterns_.vertices;
    const VisitCount count = count_visits(graph_, patterns_.kind, depth, options_.max_paths, true, options_);
    if (count.total > options_.max_paths) throw_too_many(patterns_.kind, patterns_.vertices, options_.max_paths);
  }

  // Runs of graphs of at least kTileClasses classes, as far as they follow each other.
  [[nodiscard]] std::vector<Tile> tiles() const {
    constexpr std::uint32_t kTileClasses = 256;
    std::vector<Tile> all;
    for (std::size_t i = 0; i < patterns_.direct_graphs.size(); ++i) {
      const std::uint32_t g = patterns_.direct_graphs[i];
      const std::uint32_t begin = graph_.graph_begin[g];
      const std::uint32_t end = graph_.graph_begin[g + 1];
      if (begin == end) continue;
      if (!all.empty() && all.back().last == begin && all.back().last - all.back().first < kTileClasses) {
        all.back().last = end;
      } else {
        all.push_back({begin, end, patterns_.direct_begin[i]});
      }
    }
    return all;
  }

  TileInput prepare(std::uint32_t first, std::uint32_t last) const {
    TileInput input{first, last, {}, {}};
    std::vector<std::uint32_t> colours(colour_.begin() + first, colour_.begin() + last);
    std::sort(colours.begin(), colours.end());
    colours.erase(std::unique(colours.begin(), colours.end()), colours.end());
    for (std::uint32_t c = first; c < last; ++c) {
      input.row_of_class.push_back(
          static_cast<std::uint32_t>(std::lower_bound(colours.begin(), colours.end(), colour_[c]) - colours.begin()));
    }
    std::vector<const Real*> rows(colours.size());
    for (std::size_t t = 0; t < static_cast<std::size_t>(patterns_.vertices); ++t) {
      auto similarity = BasicMatrix<Real>::uninitialised(colours.size(), layer_.filters);
      for (std::size_t i = 0; i < colours.size(); ++i) {
        if (features_.one_hot) {
          std::copy_n(layer_.tables[t].row(colours[i]), layer_.filters, similarity.row(i));
        } else {
          rows[i] = features_.unit.row(colours[i]);
        }
      }
      if (!features_.one_hot) {
        multiply_rows(rows.data(), rows.size(), layer_.packed[t], similarity.data(), layer_.filters, false);
      }
      input.similarity.push_back(std::move(similarity));
    }
    return input;
  }

  // Columns begin .. begin + count of a table of similarities as factors.
  static BasicMatrix<Real> to_factors(const BasicMatrix<Real>& similarity, std::size_t begin, std::size_t count,
                                      std::size_t stride, double slope, double offset) {
    BasicMatrix<Real> factors(similarity.rows(), stride);
    for (std::size_t i = 0; i < similarity.rows(); ++i) {
      exponential(similarity.row(i) + begin, factors.row(i), count, static_cast<Real>(slope),
                  static_cast<Real>(offset));
    }
    return factors;
  }

  void evaluate_panel(const TileInput& input, int length, std::size_t begin, std::size_t count, Real* out) const {
    constexpr std::size_t kVector = 64 / sizeof(Real);  // rows begin on a multiple of the widest vector
    const double slope = layer_.slope(length);
    // Spread over all positions, so that no factor exceeds 1.
    const double offset = layer_.offset(length) / layer_.positions(length);
    DirectTile<Real> tile;
    tile.graph = &graph_;
    tile.edge_labels = edge_labels_;
    tile.kind = patterns_.kind;
    tile.pooling = layer_.config.pooling;
    tile.length = length;
    tile.first = input.first;
    tile.last = input.last;
    tile.stride = (count + kVector - 1) / kVector * kVector;
    tile.row_of_class = input.row_of_class;
    for (std::size_t t = 0; t < static_cast<std::size_t>(length); ++t) {
      tile.factors.push_back(to_factors(input.similarity[t], begin, count, tile.stride, slope, offset));
      if (edge_labels_ && t > 0) {
        tile.edge_factors.push_back(to_factors(layer_.edge_tables[t - 1], begin, count, tile.stride, slope, offset));
      }
    }
    tile.pooled = BasicMatrix<Real>(input.last - input.first, tile.stride);
    tile.counts.resize(input.last - input.first);
    evaluate_tile(tile);
    for (std::size_t c = 0; c < tile.counts.size(); ++c) {
      Real* row = out + c * layer_.filters + begin;
      const double paths = tile.counts[c];
      const Real* start = tile.factors[0].row(tile.row_of_class[c]);
      const double mean = layer_.config.pooling == Pooling::mean ? 1.0 / paths : 1.0;
      const auto factor = paths == 0 ? Real{0} : static_cast<Real>(mean * features_.norm_of(colour_[input.first + c]));
      for (std::size_t j = 0; j < count; ++j) row[j] = factor * start[j] * tile.pooled(c, j);
    }
  }

  void evaluate_gmp(const TileInput& input, int length, Real* out) const {
    const std::size_t q = layer_.filters;
    GmpPool<Real> pool(q, layer_.config.gmp_lambda);
    PathWalker walker(graph_, patterns_.kind, length);
    std::vector<Real> kappa(q);
    std::vector<Real> mapped(q);
    for (std::uint32_t u = input.first; u < input.last; ++u, out += q) {
      pool.clear();
      walker.visit_from(u, [&](double ways) {
        const std::span<const std::uint32_t> classes = walker.classes();
        const std::span<const std::uint64_t> arcs = walker.arcs();
        std::fill(kappa.begin(), kappa.end(), Real{0});
        for (std::size_t t = 0; t < classes.size(); ++t) {
          const std::uint32_t row = input.row_of_class[classes[t] - input.first];
          add_scaled(kappa.data(), input.similarity[t].row(row), Real{1}, q);
          if (edge_labels_ && t > 0) {
            add_scaled(kappa.data(), layer_.edge_tables[t - 1].row(graph_.arc_label[arcs[t - 1]]), Real{1}, q);
          }
        }
        exponential(kappa.data(), q, static_cast<Real>(layer_.slope(length)), static_cast<Real>(layer_.offset(length)));
        const Real* row = kappa.data();
        multiply_rows(&row, 1, layer_.transform(length), mapped.data(), q, false);
        pool.add(mapped.data(), ways);
        check_cancelled();
        return true;
      });
      pool.solve(out);
      scale(out, features_.norm_of(colour_[u]), q);
    }
  }

  const LayerOperator<Real>& layer_;
  const Patterns& patterns_;
  const ClassGraph& graph_;
  const std::vector<std::uint32_t>& colour_;
  const ColourFeatures<Real>& features_;
  const RunOptions& options_;
  const bool edge_labels_;
};

}  // namespace

template <typename Real>
void evaluate_direct(const LayerOperator<Real>& layer, const Patterns& patterns, const ClassGraph& graph,
                     const Colouring& colours, const ColourFeatures<Real>& features, const RunOptions& options,
                     const std::vector<std::size_t>& first_row, std::vector<BlockOutput<Real>>& outputs) {
  DirectEvaluation<Real>(layer, patterns, graph, colours, features, options).run(first_row, outputs);
}

#define GCKN_INSTANTIATE(Real)                                                                                    \
  template void evaluate_direct(const LayerOperator<Real>&, const Patterns&, const ClassGraph&, const Colouring&, \
                                const ColourFeatures<Real>&, const RunOptions&, const std::vector<std::size_t>&,  \
                                std::vector<BlockOutput<Real>>&);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
#endif  // HWY_ONCE
