// SPDX-License-Identifier: BSD-3-Clause
#include "report/graph_layout.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

#include "report/graphviz.h"
#include "util/parallel.h"
#include "util/random.h"

namespace gckn {
namespace {

constexpr std::size_t kMostForNeato = 200;
constexpr std::size_t kMostForForces = 2000;  // also of the pairs that the own layout goes through
constexpr std::size_t kMostToPushApart = 600;
constexpr double kLeastDistance = 0.72;  // of two nodes in the layout, where there is time for it
constexpr double kBetweenParts = 1.0;

// A connected part of the graph.
struct Part {
  std::vector<std::uint32_t> nodes;  // as the graph numbers them, ascending
  NodePairs edges;                   // as places in `nodes`
};

std::vector<Part> connected_parts(std::size_t nodes, const NodePairs& edges) {
  std::vector<std::uint32_t> root(nodes);
  std::iota(root.begin(), root.end(), 0U);
  const auto find = [&](std::uint32_t u) {
    while (root[u] != u) u = root[u] = root[root[u]];
    return u;
  };
  for (const auto& [a, b] : edges) {
    assert(a < nodes && b < nodes);
    const std::uint32_t one = find(a);
    const std::uint32_t other = find(b);
    root[std::max(one, other)] = std::min(one, other);  // the root is the first node of its part
  }
  std::vector<Part> parts;
  std::vector<std::uint32_t> part_of(nodes);
  std::vector<std::uint32_t> place(nodes);
  for (std::uint32_t u = 0; u < nodes; ++u) {
    if (find(u) == u) {
      part_of[u] = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back();
    } else {
      part_of[u] = part_of[find(u)];
    }
    place[u] = static_cast<std::uint32_t>(parts[part_of[u]].nodes.size());
    parts[part_of[u]].nodes.push_back(u);
  }
  for (const auto& [a, b] : edges) {
    if (a != b) parts[part_of[a]].edges.emplace_back(place[a], place[b]);
  }
  return parts;
}

std::vector<Position> circle(std::size_t nodes) {
  std::vector<Position> positions(nodes);
  const double radius = static_cast<double>(nodes) / (2 * std::numbers::pi);
  for (std::size_t i = 0; i < nodes; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(nodes);
    positions[i] = {radius * std::cos(angle), radius * std::sin(angle)};
  }
  return positions;
}

// Steps between all pairs of nodes, a row per node.
std::vector<std::uint16_t> graph_distances(const Part& part) {
  const std::size_t n = part.nodes.size();
  std::vector<std::vector<std::uint32_t>> neighbours(n);
  for (const auto& [a, b] : part.edges) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  constexpr std::uint16_t kFar = std::numeric_limits<std::uint16_t>::max();
  std::vector<std::uint16_t> distances(n * n, kFar);
  std::vector<std::uint32_t> queue;
  for (std::uint32_t start = 0; start < n; ++start) {
    std::uint16_t* row = &distances[start * n];
    row[start] = 0;
    queue.assign(1, start);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      for (const std::uint32_t v : neighbours[queue[next]]) {
        if (row[v] != kFar) continue;
        row[v] = static_cast<std::uint16_t>(row[queue[next]] + 1);
        queue.push_back(v);
      }
    }
  }
  return distances;
}

std::vector<Position> stress_layout(const Part& part) {
  const std::size_t n = part.nodes.size();
  const std::vector<std::uint16_t> distances = graph_distances(part);
  NodePairs pairs;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) pairs.emplace_back(j, i);
  }
  Random random(1);
  std::vector<Position> positions(n);
  for (Position& position : positions) position = {random.uniform(), random.uniform()};
  // Steps from d^2 of the farthest pair down to a tenth of that of an edge.
  constexpr int kRounds = 30;
  const double farthest = *std::ranges::max_element(distances);
  const double first_step = farthest * farthest;
  const double decay = std::log(first_step / 0.1) / (kRounds - 1);
  for (int round = 0; round < kRounds; ++round) {
    check_cancelled();
    const double step = first_step * std::exp(-decay * round);
    for (std::size_t i = pairs.size(); i > 1; --i) std::swap(pairs[i - 1], pairs[random.below(i)]);
    for (const auto& [a, b] : pairs) {
      const double wanted = distances[a * n + b];
      const double dx = positions[a].x - positions[b].x;
      const double dy = positions[a].y - positions[b].y;
      const double distance = std::max(std::hypot(dx, dy), 1e-9);
      const double share = std::min(1.0, step / (wanted * wanted)) * (distance - wanted) / (2 * distance);
      positions[a].x -= share * dx;
      positions[a].y -= share * dy;
      positions[b].x += share * dx;
      positions[b].y += share * dy;
    }
  }
  return positions;
}

std::vector<Position> layout_of_part(const Part& part, LayoutMaker maker) {
  const std::size_t n = part.nodes.size();
  if (n <= 2) return n == 1 ? std::vector<Position>{{0, 0}} : std::vector<Position>{{0, 0}, {1, 0}};
  if (n > kMostForForces) return circle(n);
  if (maker == LayoutMaker::own || !has_graphviz()) return stress_layout(part);
  if (n > kMostForNeato) {
    std::optional<std::vector<Position>> positions = graphviz_positions(n, part.edges, GraphvizEngine::sfdp, {});
    return positions ? *std::move(positions) : stress_layout(part);
  }
  std::vector<Position> start = stress_layout(part);
  std::optional<std::vector<Position>> positions = graphviz_positions(n, part.edges, GraphvizEngine::neato, start);
  return positions ? *std::move(positions) : start;
}

// Turns the axis along which positions differ most to the horizontal.
void turn_wide(std::vector<Position>& positions) {
  Position mean;
  for (const Position& p : positions) mean = {mean.x + p.x, mean.y + p.y};
  mean = {mean.x / static_cast<double>(positions.size()), mean.y / static_cast<double>(positions.size())};
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (const Position& p : positions) {
    xx += (p.x - mean.x) * (p.x - mean.x);
    xy += (p.x - mean.x) * (p.y - mean.y);
    yy += (p.y - mean.y) * (p.y - mean.y);
  }
  const double angle = 0.5 * std::atan2(2 * xy, xx - yy);
  for (Position& p : positions) {
    const double x = p.x - mean.x;
    const double y = p.y - mean.y;
    p = {x * std::cos(angle) + y * std::sin(angle), y * std::cos(angle) - x * std::sin(angle)};
  }
}

// Makes the mean distance of a node from the nearest other one 1.
void scale_to_units(std::vector<Position>& positions) {
  double sum = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < positions.size(); ++j) {
      if (j == i) continue;
      const double dx = positions[i].x - positions[j].x;
      const double dy = positions[i].y - positions[j].y;
      nearest = std::min(nearest, dx * dx + dy * dy);
    }
    sum += std::sqrt(nearest);
  }
  const double mean = sum / static_cast<double>(positions.size());
  if (!(mean > 0)) return;
  for (Position& p : positions) p = {p.x / mean, p.y / mean};
}

// Moves nodes that would cover each other.
void push_apart(std::vector<Position>& positions) {
  constexpr int kRounds = 30;
  bool moved = true;
  for (int round = 0; round < kRounds && moved; ++round) {
    moved = false;
    for (std::size_t i = 1; i < positions.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        double dx = positions[i].x - positions[j].x;
        double dy = positions[i].y - positions[j].y;
        double distance = std::hypot(dx, dy);
        if (distance >= kLeastDistance) continue;
        if (distance < 1e-6) {  // in one place: apart in a direction that is each pair's own
          dx = std::cos(static_cast<double>(i));
          dy = std::sin(static_cast<double>(i));
          distance = 1;
        }
        const double share = (kLeastDistance - std::min(distance, kLeastDistance) + 0.01) / (2 * distance);
        positions[i] = {positions[i].x + share * dx, positions[i].y + share * dy};
        positions[j] = {positions[j].x - share * dx, positions[j].y - share * dy};
        moved = true;
      }
    }
  }
}

// From (0, 0) on; returns its far corner.
Position move_to_origin(std::vector<Position>& positions) {
  Position low = positions.front();
  Position high = low;
  for (const Position& p : positions) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  for (Position& p : positions) p = {p.x - low.x, p.y - low.y};
  return {high.x - low.x, high.y - low.y};
}

}  // namespace

std::vector<Position> graph_layout(std::size_t nodes, const NodePairs& edges, LayoutMaker maker) {
  std::vector<Part> parts = connected_parts(nodes, edges);
  std::ranges::stable_sort(parts, std::greater<>(), [](const Part& part) { return part.nodes.size(); });
  std::vector<std::vector<Position>> layouts(parts.size());
  std::vector<Position> corners(parts.size());
  double area = 0;
  double widest = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::vector<Position>& layout = layouts[i] = layout_of_part(parts[i], maker);
    if (layout.size() > 2) {
      turn_wide(layout);
      if (layout.size() <= kMostForForces) scale_to_units(layout);
      if (layout.size() <= kMostToPushApart) push_apart(layout);
    }
    corners[i] = move_to_origin(layout);
    area += (corners[i].x + kBetweenParts) * (corners[i].y + kBetweenParts);
    widest = std::max(widest, corners[i].x);
  }
  constexpr double kWidthToHeight = 1.5;
  const double width = std::max(widest, std::sqrt(kWidthToHeight * area));
  std::vector<Position> positions(nodes);
  Position at;
  double row_height = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (at.x > 0 && at.x + corners[i].x > width) {
      at = {0, at.y + row_height + kBetweenParts};
      row_height = 0;
    }
    for (std::size_t k = 0; k < parts[i].nodes.size(); ++k) {
      positions[parts[i].nodes[k]] = {at.x + layouts[i][k].x, at.y + layouts[i][k].y};
    }
    at.x += corners[i].x + kBetweenParts;
    row_height = std::max(row_height, corners[i].y);
  }
  return positions;
}

}  // namespace gckn
