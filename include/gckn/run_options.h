// SPDX-License-Identifier: BSD-3-Clause
// Options of a run: how long it may take, what is heard of it, and on what. Threads and progress never change a result;
// each of the others says what it can change.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace gckn {

// One report of progress: `stage` ("compile layer 1", "anchors of layer 2") is at `done` of `total` steps.
struct Progress {
  std::string_view stage{};
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  // done and total are of the whole call, all of its stages included: there is one total, done never falls, and the
  // call ends with done == total.
  bool is_whole = false;
};

// Called now and then, always from the calling thread. Returning false cancels: the running call throws Cancelled.
using ProgressCallback = std::function<bool(const Progress&)>;

// How patterns are evaluated. All give the same vectors of a given network up to rounding; `automatic` chooses per
// layer and block from counts. The others exist for tests and measurements.
enum class Evaluator {
  automatic,
  shared,  // distinct patterns once each (a trie), distinct node states once each
  direct,  // products of per-position factors down a depth-first walk, nothing stored per path
  plain,   // every path of every node, one by one: slow, the yardstick of the other two
};

struct RunOptions {
  // Threads to use; 0 means all cores. Results have the same bits for any number.
  int threads = 0;

  // Reports progress and allows cancellation; empty means neither.
  ProgressCallback progress{};

  // A layer gives up with a LimitError, before the work, if it would visit more paths (or walks) than this: of all
  // graphs that are learnt from together, or of one that is embedded. Paths that are counted in bulk (twin vertices, a
  // last position summed in closed form) count as one visit. The default is about a minute of work per layer. Decides
  // whether there is a result: a search leaves out the networks that pass the limit, so it may choose another one, and
  // Model::predict leaves out the graphs that do.
  std::uint64_t max_paths = 4'000'000'000;

  // Changes vectors by rounding, and a network that is fitted with it by more: `shared` learns anchors from distinct
  // patterns, `direct` from a sample of paths. The plain evaluator, which has neither, is `automatic` in fitting.
  Evaluator evaluator = Evaluator::automatic;
};

}  // namespace gckn
