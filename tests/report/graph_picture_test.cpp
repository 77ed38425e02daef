// SPDX-License-Identifier: BSD-3-Clause
// Layouts and pictures of graphs: what is drawn where, whatever the graph and its texts are.
#include "gckn/graph_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "report/graph_layout.h"
#include "report/graphviz.h"
#include "report/svg.h"
#include "util/parallel.h"
#include "util/random.h"

namespace gckn {
namespace {

NodePairs star_edges(std::uint32_t leaves) {
  NodePairs edges;
  for (std::uint32_t i = 1; i <= leaves; ++i) edges.emplace_back(0, i);
  return edges;
}

NodePairs ring_edges(std::uint32_t nodes) {
  NodePairs edges;
  for (std::uint32_t i = 0; i < nodes; ++i) edges.emplace_back(i, (i + 1) % nodes);
  return edges;
}

NodePairs random_tree(std::uint32_t nodes, std::uint64_t seed) {
  Random random(seed);
  NodePairs edges;
  for (std::uint32_t i = 1; i < nodes; ++i) edges.emplace_back(static_cast<std::uint32_t>(random.below(i)), i);
  return edges;
}

PictureGraph plain_graph(std::size_t nodes, NodePairs edges, const std::string& label = "C") {
  return {std::vector<std::string>(nodes, label), std::move(edges), {}};
}

double distance_between(const Position& a, const Position& b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

struct Circle {
  Position centre;
  double radius = 0;
  std::string more;  // attributes
};

std::vector<Circle> circles_of(const std::string& svg) {
  static const std::regex kCircle(R"re(<circle cx="([-0-9.]+)" cy="([-0-9.]+)" r="([0-9.]+)"([^>]*)>)re");
  std::vector<Circle> circles;
  for (std::sregex_iterator at(svg.begin(), svg.end(), kCircle), end; at != end; ++at) {
    circles.push_back({{std::stod((*at)[1]), std::stod((*at)[2])}, std::stod((*at)[3]), (*at)[4]});
  }
  return circles;
}

std::size_t occurrences(const std::string& text, const std::string& piece) {
  std::size_t found = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++found;
  return found;
}

// Every tag is closed, in the right order, and every attribute has quotes: a browser that reads XML takes it.
void expect_well_formed(const std::string& svg) {
  static const std::regex kTag(R"re(<(/?)([a-z]+)((?: [a-zA-Z-]+="[^"<>]*")*)(/?)>)re");
  std::vector<std::string> open;
  std::size_t expected = 0;
  for (std::sregex_iterator at(svg.begin(), svg.end(), kTag), end; at != end; ++at) {
    const auto begin = static_cast<std::size_t>(at->position());
    ASSERT_EQ(svg.substr(expected, begin - expected).find_first_of("<>"), std::string::npos) << svg;
    expected = begin + static_cast<std::size_t>(at->length());
    if ((*at)[1].length() > 0) {
      ASSERT_FALSE(open.empty()) << svg;
      ASSERT_EQ(open.back(), (*at)[2]) << svg;
      open.pop_back();
    } else if ((*at)[4].length() == 0) {
      open.push_back((*at)[2]);
    }
  }
  EXPECT_EQ(expected, svg.size()) << svg;
  EXPECT_TRUE(open.empty()) << svg;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

void expect_circles_inside(const std::string& svg) {
  std::smatch box;
  ASSERT_TRUE(std::regex_search(svg, box, std::regex(R"re(viewBox="0 0 ([0-9]+) ([0-9]+)")re"))) << svg;
  for (const Circle& circle : circles_of(svg)) {
    EXPECT_GE(circle.centre.x, circle.radius);
    EXPECT_GE(circle.centre.y, circle.radius);
    EXPECT_LE(circle.centre.x + circle.radius, std::stod(box[1]));
    EXPECT_LE(circle.centre.y + circle.radius, std::stod(box[2]));
  }
}

#ifdef GCKN_TEST_WITH_GRAPHVIZ
// Otherwise the tests below would speak of the other layout, and nobody would notice.
TEST(Graphviz, IsLoaded) {
  EXPECT_TRUE(has_graphviz());
  const NodePairs edges = random_tree(30, 1);
  const auto positions = graphviz_positions(30, edges, GraphvizEngine::neato, {});
  ASSERT_TRUE(positions.has_value());
  // Edges are about as long as neato wants them to be, an inch; ends of the tree are farther from each other.
  double sum = 0;
  for (const auto& [a, b] : edges) sum += distance_between((*positions)[a], (*positions)[b]);
  EXPECT_NEAR(sum / static_cast<double>(edges.size()), 72, 20);
  EXPECT_TRUE(graphviz_positions(300, random_tree(300, 1), GraphvizEngine::sfdp, {}).has_value());
}
#endif

class GraphLayout : public testing::TestWithParam<LayoutMaker> {};
INSTANTIATE_TEST_SUITE_P(Makers, GraphLayout, testing::Values(LayoutMaker::graphviz_if_there, LayoutMaker::own));

TEST_P(GraphLayout, RingIsRound) {
  const std::vector<Position> ring_of_six = graph_layout(6, ring_edges(6), GetParam());
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(distance_between(ring_of_six[i], ring_of_six[(i + 1) % 6]), 1, 0.05);
    EXPECT_NEAR(distance_between(ring_of_six[i], ring_of_six[(i + 3) % 6]), 2, 0.15);
  }
}

TEST_P(GraphLayout, PathIsLongAndWide) {
  NodePairs edges;
  for (std::uint32_t i = 1; i < 12; ++i) edges.emplace_back(i - 1, i);
  const std::vector<Position> positions = graph_layout(12, edges, GetParam());
  EXPECT_GT(std::abs(positions[0].x - positions[11].x), 8);
  EXPECT_LT(std::abs(positions[0].y - positions[11].y), 2);
}

// Nodes do not cover each other, parts of the graph least of all.
TEST_P(GraphLayout, NodesAreApart) {
  std::vector<std::pair<std::size_t, NodePairs>> cases{{61, star_edges(60)}, {40, {}}, {50, random_tree(50, 3)}};
  NodePairs parts = ring_edges(6);
  for (const auto& [a, b] : random_tree(12, 4)) parts.emplace_back(a + 8, b + 8);
  cases.emplace_back(25, parts);
  NodePairs clique;
  for (std::uint32_t i = 0; i < 20; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) clique.emplace_back(i, j);
  }
  cases.emplace_back(20, clique);
  for (const auto& [nodes, edges] : cases) {
    const std::vector<Position> positions = graph_layout(nodes, edges, GetParam());
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < nodes; ++i) {
      EXPECT_GE(positions[i].x, 0);
      EXPECT_GE(positions[i].y, 0);
      for (std::size_t j = 0; j < i; ++j) nearest = std::min(nearest, distance_between(positions[i], positions[j]));
    }
    EXPECT_GT(nearest, 0.6) << nodes << " nodes";
  }
}

TEST_P(GraphLayout, NumbersOfNodesInPartsDoNotMixThem) {
  // Two rings whose nodes take turns.
  NodePairs edges;
  for (const auto& [a, b] : ring_edges(5)) {
    edges.emplace_back(2 * a, 2 * b);
    edges.emplace_back(2 * a + 1, 2 * b + 1);
  }
  const std::vector<Position> positions = graph_layout(10, edges, GetParam());
  for (const auto& [a, b] : edges) EXPECT_NEAR(distance_between(positions[a], positions[b]), 1, 0.1);
}

TEST_P(GraphLayout, ManyNodesTakeNoTime) {
  for (const std::uint32_t nodes : {300U, 2001U, 20000U}) {
    const NodePairs edges = random_tree(nodes, 5);
    const std::vector<Position> positions = graph_layout(nodes, edges, GetParam());
    ASSERT_EQ(positions.size(), nodes);
    for (const Position& p : positions) EXPECT_TRUE(std::isfinite(p.x) && std::isfinite(p.y));
  }
  EXPECT_EQ(graph_layout(5000, {}, GetParam()).size(), 5000U);
}

TEST(GraphPicture, IsTheSameWhereverItIsDrawn) {
  std::vector<PictureGraph> graphs;
  for (std::uint32_t i = 0; i < 24; ++i) graphs.push_back(plain_graph(10 + i, random_tree(10 + i, i)));
  graphs.push_back(plain_graph(250, random_tree(250, 9)));
  graphs.push_back(graphs.front());
  graphs.push_back(graphs[24]);
  std::vector<std::vector<std::string>> pictures;
  for (const int threads : {1, 3}) {
    RunOptions run;
    run.threads = threads;
    const ThreadScope scope(run);
    std::vector<std::string> drawn(graphs.size());
    parallel_for(graphs.size(), [&](std::size_t i) { drawn[i] = graph_svg(graphs[i], {}); });
    pictures.push_back(drawn);
  }
  EXPECT_EQ(pictures[0], pictures[1]);
  EXPECT_EQ(pictures[0][25], pictures[0][0]);
  EXPECT_EQ(pictures[0][26], pictures[0][24]);
  EXPECT_NE(pictures[0][1], pictures[0][0]);
}

TEST(GraphPicture, ShowsScoresAndMotif) {
  PictureGraph graph = plain_graph(4, {{0, 1}, {1, 2}, {2, 3}});
  graph.node_labels = {"C", "N", "O", ""};
  PictureScores scores{{1, 0.5, -1, 0}, {1, -0.5, 0}, {1, 1, 0, 0}, {1, 0, 0}};
  const std::string svg = graph_svg(graph, scores);
  expect_well_formed(svg);
  expect_circles_inside(svg);
  const std::vector<Circle> circles = circles_of(svg);
  ASSERT_EQ(circles.size(), 4U);
  EXPECT_NE(circles[0].more.find("fill=\"#e8710a\""), std::string::npos) << circles[0].more;
  EXPECT_NE(circles[2].more.find("fill=\"#2b6cb0\""), std::string::npos) << circles[2].more;
  EXPECT_EQ(circles[3].more.find("fill"), std::string::npos) << circles[3].more;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(circles[i].more.find("stroke=\"#222\"") != std::string::npos, i < 2) << i;
  // The line of each edge goes between its nodes, in its colour.
  const auto line = [&](std::size_t a, std::size_t b) {
    std::string path = "d=\"M";
    append_point(path, circles[a].centre.x, circles[a].centre.y);
    path += 'L';
    append_point(path, circles[b].centre.x, circles[b].centre.y);
    return path;
  };
  EXPECT_NE(svg.find("<path stroke=\"#e8710a\" stroke-width=\"12\" " + line(0, 1)), std::string::npos) << svg;
  EXPECT_NE(svg.find("<path stroke=\"#7ca0c6\" stroke-width=\"8\" " + line(1, 2)), std::string::npos) << svg;
  EXPECT_NE(svg.find("<path stroke=\"#a8a8a8\" stroke-width=\"3\" " + line(2, 3)), std::string::npos) << svg;
  EXPECT_EQ(occurrences(svg, line(0, 1)), 3U);  // and twice as the band of the motif
  EXPECT_EQ(occurrences(svg, "<text"), 3U);
  EXPECT_NE(svg.find(">N</text>"), std::string::npos);
}

TEST(GraphPicture, BondsAreDrawnAsChemistsDo) {
  PictureGraph graph = plain_graph(2, {{0, 1}});
  const auto lines = [&](const std::string& label) {
    graph.edge_labels = {label};
    const std::string svg = graph_svg(graph, {});
    expect_well_formed(svg);
    std::size_t result = 0;
    for (const char c : svg) result += c == 'M' ? 1 : 0;
    return result;
  };
  EXPECT_EQ(lines("single"), 1U);
  EXPECT_EQ(lines("double"), 2U);
  EXPECT_EQ(lines("triple"), 3U);
  EXPECT_EQ(lines("aromatic"), 2U);
  EXPECT_EQ(lines("likes"), 1U);
  EXPECT_NE(graph_svg(graph, {}).find("<title>likes</title>"), std::string::npos);
}

TEST(GraphPicture, HostileTextIsText) {
  PictureGraph graph = plain_graph(4, {{0, 1}, {1, 2}, {2, 3}});
  graph.node_labels = {"</text><script>alert(1)</script>", "\"'&", std::string("a\x01\0b", 4), "\xFF\xC3"};
  graph.edge_labels = {"<img src=x onerror=alert(1)>", "&amp;", "\xED\xA0\x80"};
  const std::string svg = graph_svg(graph, {});
  expect_well_formed(svg);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(svg.find("<img"), std::string::npos);
  EXPECT_NE(svg.find("<title>&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">&lt;/t…</text>"), std::string::npos) << svg;  // cut before it is escaped
  EXPECT_NE(svg.find(">&quot;&#39;&amp;</text>"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">ab</text>"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">\xEF\xBF\xBD\xEF\xBF\xBD</text>"), std::string::npos) << svg;
  EXPECT_EQ(svg.find_first_of(std::string("\x01\0\xFF", 3)), std::string::npos);
}

TEST(GraphPicture, CharactersBeyondAsciiAreKeptWhole) {
  EXPECT_EQ(xml_escaped("α–β 𝛼"), "α–β 𝛼");
  PictureGraph graph = plain_graph(1, {}, "αβγδε");
  EXPECT_NE(graph_svg(graph, {}).find(">αβγ…</text>"), std::string::npos);
  graph.node_labels = {"αβγδ"};
  EXPECT_NE(graph_svg(graph, {}).find(">αβγδ</text>"), std::string::npos);
}

TEST(GraphPicture, AnyGraphAndAnyScoresGiveAPicture) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<PictureGraph> graphs{plain_graph(0, {}),
                                         plain_graph(1, {}),
                                         plain_graph(2, {{0, 1}}),
                                         plain_graph(30, star_edges(29)),
                                         plain_graph(12, ring_edges(12)),
                                         plain_graph(9, {{0, 1}, {4, 5}}),
                                         plain_graph(2, {{0, 0}}),
                                         plain_graph(3, {{0, 1}}, ""),
                                         plain_graph(500, random_tree(500, 2)),
                                         plain_graph(2500, ring_edges(2500))};
  for (const PictureGraph& graph : graphs) {
    for (const double score : {nan, infinity, -infinity, 0.0, 7.0, 1e-9}) {
      const PictureScores scores{
          std::vector<double>(graph.node_labels.size(), score), std::vector<double>(graph.edges.size(), -score),
          std::vector<char>(graph.node_labels.size(), 1), std::vector<char>(graph.edges.size(), 1)};
      const std::string svg = graph_svg(graph, scores);
      EXPECT_EQ(circles_of(svg).size(), graph.node_labels.size());
      if (graph.node_labels.size() > 100) break;  // the same over again, slowly
      expect_well_formed(svg);
      expect_circles_inside(svg);
    }
  }
}

TEST(GraphPicture, IsSmall) {
  Random random(2);
  PictureGraph graph = plain_graph(30, random_tree(30, 2));
  PictureScores scores;
  for (std::size_t i = 0; i < 30; ++i) scores.nodes.push_back(2 * random.uniform() - 1);
  for (std::size_t i = 0; i < 29; ++i) scores.edges.push_back(2 * random.uniform() - 1);
  EXPECT_LT(graph_svg(graph, scores).size(), 5500U);
  EXPECT_LT(graph_svg(graph, {}).size(), 3500U);
}

TEST(SvgNumber, HasOneDecimalAtMost) {
  const auto written = [](double value) {
    std::string text;
    append_number(text, value);
    return text;
  };
  EXPECT_EQ(written(0), "0");
  EXPECT_EQ(written(-0.04), "0");
  EXPECT_EQ(written(-0.06), "-0.1");
  EXPECT_EQ(written(12.34), "12.3");
  EXPECT_EQ(written(-7.96), "-8");
  std::string point;
  append_point(point, 1, -2.5);
  append_point(point, 3, 4);
  EXPECT_EQ(point, "1-2.53 4");
}

}  // namespace
}  // namespace gckn
