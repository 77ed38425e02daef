// SPDX-License-Identifier: BSD-3-Clause
#include "report/graphviz.h"

#ifdef GCKN_GRAPHVIZ_FILE

#include <dlfcn.h>
#include <fmt/format.h>
#include <graphviz/gvc.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <string>

#include "util/parallel.h"

namespace gckn {
namespace {

struct Graphviz {
  decltype(&::gvContextPlugins) new_context;
  decltype(&::gvLayout) layout;
  decltype(&::gvFreeLayout) free_layout;
  decltype(&::agopen) open;
  decltype(&::agclose) close;
  decltype(&::agattr) attribute;
  decltype(&::agxset) set_attribute;
  decltype(&::agnode) node;
  decltype(&::agedge) edge;
  Agdesc_t undirected;
  GVC_t* context = nullptr;  // null: could not be loaded
};

template <typename Function>
bool find_function(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

// Graphviz takes texts that it does not write to by a pointer that would let it.
char* c_text(const char* words) {
  return const_cast<char*>(words);
}

Graphviz load_graphviz() {
  // The part that makes layouts; the libraries that it needs come with it, and their functions are found through it.
  // Never closed, as is the context: both serve as long as the program runs.
  void* library = dlopen(GCKN_GRAPHVIZ_FILE, RTLD_NOW | RTLD_LOCAL);
  Graphviz graphviz{};
  if (library == nullptr) return graphviz;
  constexpr const char* kPart = "gvplugin_neato_layout_LTX_library";
  void* part = dlsym(library, kPart);
  const auto* undirected = static_cast<const Agdesc_t*>(dlsym(library, "Agundirected"));
  decltype(&::agseterrf) set_error_function = nullptr;
  if (part == nullptr || undirected == nullptr || !find_function(library, "gvContextPlugins", graphviz.new_context) ||
      !find_function(library, "gvLayout", graphviz.layout) ||
      !find_function(library, "gvFreeLayout", graphviz.free_layout) ||
      !find_function(library, "agopen", graphviz.open) || !find_function(library, "agclose", graphviz.close) ||
      !find_function(library, "agattr", graphviz.attribute) ||
      !find_function(library, "agxset", graphviz.set_attribute) || !find_function(library, "agnode", graphviz.node) ||
      !find_function(library, "agedge", graphviz.edge) || !find_function(library, "agseterrf", set_error_function)) {
    return graphviz;
  }
  graphviz.undirected = *undirected;
  set_error_function([](char*) { return 0; });  // it would print what it has to say
  static std::array<lt_symlist_t, 2> parts{{{kPart, part}, {nullptr, nullptr}}};
  graphviz.context = graphviz.new_context(parts.data(), 0);
  return graphviz;
}

const Graphviz& graphviz_library() {
  static const Graphviz graphviz = load_graphviz();
  return graphviz;
}

}  // namespace

bool has_graphviz() {
  return graphviz_library().context != nullptr;
}

std::optional<std::vector<Position>> graphviz_positions(std::size_t nodes, const NodePairs& edges,
                                                        GraphvizEngine engine, const std::vector<Position>& start) {
  if (!has_graphviz()) return std::nullopt;
  const Graphviz& graphviz = graphviz_library();
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  check_cancelled();  // others may have taken their time
  Agraph_t* graph = graphviz.open(c_text("g"), graphviz.undirected, nullptr);
  // Points without labels, and edges that it need not route: the drawing is ours.
  graphviz.attribute(graph, AGNODE, c_text("shape"), c_text("point"));
  graphviz.attribute(graph, AGNODE, c_text("label"), c_text(""));
  graphviz.attribute(graph, AGRAPH, c_text("splines"), c_text("none"));
  // Ten times as coarse as usual, which no eye sees and takes half the time.
  graphviz.attribute(graph, AGRAPH, c_text("epsilon"), c_text(".001"));
  std::vector<Agnode_t*> made(nodes);
  for (Agnode_t*& node : made) node = graphviz.node(graph, nullptr, 1);
  if (!start.empty()) {
    Agsym_t* place = graphviz.attribute(graph, AGNODE, c_text("pos"), c_text(""));
    for (std::size_t i = 0; i < nodes; ++i) {
      // In points, of which an edge has 72; whole ones, which are written alike in all languages.
      constexpr double kPoints = 72;
      std::string words = fmt::format("{:.0f},{:.0f}", kPoints * start[i].x, kPoints * start[i].y);
      graphviz.set_attribute(made[i], place, words.data());
    }
  }
  for (const auto& [a, b] : edges) graphviz.edge(graph, made[a], made[b], nullptr, 1);
  std::srand(1);  // it draws from there, and seeds it in the midst of its work only
  const int failed = graphviz.layout(graphviz.context, graph, engine == GraphvizEngine::neato ? "neato" : "sfdp");
  std::vector<Position> positions(nodes);
  bool good = failed == 0;
  for (std::size_t i = 0; i < nodes && good; ++i) {
    positions[i] = {ND_coord(made[i]).x, ND_coord(made[i]).y};
    good = std::isfinite(positions[i].x) && std::isfinite(positions[i].y);
  }
  graphviz.free_layout(graphviz.context, graph);
  graphviz.close(graph);
  if (!good) return std::nullopt;
  return positions;
}

}  // namespace gckn

#else

namespace gckn {

bool has_graphviz() {
  return false;
}

std::optional<std::vector<Position>> graphviz_positions(std::size_t, const NodePairs&, GraphvizEngine,
                                                        const std::vector<Position>&) {
  return std::nullopt;
}

}  // namespace gckn

#endif
