// SPDX-License-Identifier: BSD-3-Clause
#include "network/embed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include "gckn/error.h"
#include "network/forward_pass.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// Nodes and arcs of a block, at least: enough to share patterns in, and small enough for a cache.
constexpr std::uint64_t kBlockWork = std::uint64_t{1} << 16;

std::vector<GraphRange> blocks_of(const GraphSet& graphs, GraphRange range) {
  std::vector<GraphRange> blocks;
  std::size_t first = range.first;
  const auto work_before = [&](std::size_t g) {
    return graphs.graph_begin(g) + graphs.arc_begin(graphs.graph_begin(g));
  };
  std::uint64_t before = work_before(first);
  for (std::size_t g = range.first; g < range.last; ++g) {
    const std::uint64_t work = work_before(g + 1);
    if (work - before < kBlockWork && g + 1 < range.last) continue;
    blocks.push_back({first, g + 1});
    first = g + 1;
    before = work;
  }
  return blocks;
}

// "graph 17", with its id if it has one.
std::string name_of_graph(const GraphSet& graphs, std::size_t g) {
  const bool named = !graphs.ids().empty() && !graphs.ids()[g].empty();
  return named ? fmt::format("graph {} ({})", g, graphs.ids()[g]) : fmt::format("graph {}", g);
}

template <typename Real>
bool is_finite(const Real* row, std::size_t count) {
  return std::all_of(row, row + count, [](Real value) { return std::isfinite(value); });
}

constexpr const char* kNotFinite = "its vector has numbers beyond all bounds: sums over so many paths are too large";

template <typename Real>
class BlockEmbedding {
 public:
  BlockEmbedding(const BasicNetwork<Real>& network, const GraphSet& graphs, GraphRange range, const RunOptions& options)
      : network_(network), graphs_(graphs), range_(range), options_(options), operators_(network.layers().size()) {
    // The eigenvectors of all layers side by side: there are few of them, and each is a job for one thread.
    report_progress(options, "preparing layers", 0, 1);
    parallel_for(operators_.size(), [&](std::size_t j) { operators_[j].emplace(network.layers()[j]); });
  }

  BasicMatrix<Real> run(std::vector<ImpossibleGraph>* impossible) {
    impossible_ = impossible;
    auto vectors = BasicMatrix<Real>::uninitialised(range_.size(), network_.vector_size());
    const std::vector<GraphRange> blocks = blocks_of(graphs_, range_);
    if (blocks.size() == 1) {
      embed(blocks[0], options_, vectors);
    } else {
      // Progress is that of the blocks; within one it would only flicker.
      RunOptions within = options_;
      within.progress = nullptr;
      parallel_for(blocks.size(), options_, "embedding", [&](std::size_t k) { embed(blocks[k], within, vectors); });
    }
    if (impossible != nullptr) std::ranges::sort(*impossible, {}, &ImpossibleGraph::graph);
    return vectors;
  }

 private:
  // A block that passes the limit of paths, or has a graph of impossible attributes, is embedded in halves: what counts
  // are single graphs.
  void embed(GraphRange range, const RunOptions& options, BasicMatrix<Real>& vectors) {
    try {
      embed_together(range, options, vectors);
    } catch (const LimitError& error) {
      if (range.size() == 1) return give_up<LimitError>(range.first, error.what(), vectors);
      return embed_halves(range, options, vectors);
    } catch (const AttributesTooLarge& error) {
      if (range.size() == 1) return give_up<InputError>(range.first, error.of_node(), vectors);
      return embed_halves(range, options, vectors);
    }
    for (std::size_t g = range.first; g < range.last; ++g) {
      if (!is_finite(vectors.row(g - range_.first), vectors.cols())) give_up<InputError>(g, kNotFinite, vectors);
    }
  }

  void embed_halves(GraphRange range, const RunOptions& options, BasicMatrix<Real>& vectors) {
    const std::size_t middle = range.first + range.size() / 2;
    embed({range.first, middle}, options, vectors);
    embed({middle, range.last}, options, vectors);
  }

  void embed_together(GraphRange range, const RunOptions& options, BasicMatrix<Real>& vectors) const {
    check_cancelled();
    const NetworkConfig& config = network_.config();
    auto set = std::make_shared<const EncodedSet>(encode(graphs_, range, network_.input()));
    const CompiledSet compiled = compile_layers(std::move(set), config, network_.input(), options);
    ForwardPass<Real> pass(compiled, network_.input(), options);
    std::size_t column = 0;
    for (std::size_t j = 0; j < operators_.size(); ++j) {
      column = pass.apply(*operators_[j], plan_layer(config, j, network_.input()), config.global_pooling, vectors,
                          range.first - range_.first, column);
    }
  }

  // Throws Error, unless graphs without a vector are listed.
  template <typename Error>
  void give_up(std::size_t g, const std::string& reason, BasicMatrix<Real>& vectors) {
    const std::string name = name_of_graph(graphs_, g);
    if (impossible_ == nullptr) {
      throw Error(fmt::format("{}: {}: {}", graphs_.name(), name, reason));
    }
    std::fill_n(vectors.row(g - range_.first), vectors.cols(), std::numeric_limits<Real>::quiet_NaN());
    const std::lock_guard lock(mutex_);
    impossible_->push_back({static_cast<std::uint32_t>(g), reason});
  }

  const BasicNetwork<Real>& network_;
  const GraphSet& graphs_;
  const GraphRange range_;
  const RunOptions& options_;
  std::vector<std::optional<LayerOperator<Real>>> operators_;
  std::vector<ImpossibleGraph>* impossible_ = nullptr;
  std::mutex mutex_;
};

}  // namespace

void require_vectors(const NetworkConfig& config) {
  validate(config);
  if (config.compare == Compare::states) {
    throw UsageError(
        "graphs are compared by the states of their nodes there, not by vectors: there is nothing to embed");
  }
}

template <typename Real>
BasicMatrix<Real> embed_in_blocks(const BasicNetwork<Real>& network, const GraphSet& graphs, GraphRange range,
                                  const RunOptions& options, std::vector<ImpossibleGraph>* impossible) {
  return BlockEmbedding<Real>(network, graphs, range, options).run(impossible);
}

template <typename Real>
void require_finite(const BasicMatrix<Real>& vectors, const GraphSet& graphs) {
  for (std::size_t g = 0; g < vectors.rows(); ++g) {
    if (!is_finite(vectors.row(g), vectors.cols())) {
      throw InputError(fmt::format("{}: {}: {}", graphs.name(), name_of_graph(graphs, g), kNotFinite));
    }
  }
}

#define GCKN_INSTANTIATE(Real)                                                                       \
  template BasicMatrix<Real> embed_in_blocks(const BasicNetwork<Real>&, const GraphSet&, GraphRange, \
                                             const RunOptions&, std::vector<ImpossibleGraph>*);      \
  template void require_finite(const BasicMatrix<Real>&, const GraphSet&);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
