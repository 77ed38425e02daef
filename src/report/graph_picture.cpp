// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/graph_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "report/graph_layout.h"
#include "report/svg.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// Sizes in units of the picture, so small that whole numbers are fine enough as coordinates. A pixel is two of them;
// large graphs are drawn smaller, and without text beyond kMostTexts.
constexpr double kPixels = 0.55;
constexpr double kDistance = 62;  // of neighbours
constexpr double kRadius = 19;
constexpr double kPlainRadius = 13;  // of nodes without text
constexpr double kEmptyRim = 6;
constexpr std::size_t kMostTexts = 400;
constexpr double kThin = 3;    // an edge without a score
constexpr double kWeak = 4;    // one with hardly any
constexpr double kThick = 12;  // one with the largest
constexpr double kBand = 21;   // what edges of a motif lie on
constexpr double kOutline = 3.5;
constexpr const char* kPlainEdge = "#a8a8a8";
constexpr const char* kDark = "#222";

template <typename Value>
Value at_or(const std::vector<Value>& values, std::size_t i, Value otherwise) {
  return i < values.size() ? values[i] : otherwise;
}

// Whether a byte is the first of a character of UTF-8.
bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  while (end < text.size() && (!begins_character(text[end]) || count-- > 0)) ++end;
  return text.substr(0, end);
}

class GraphDrawing {
 public:
  GraphDrawing(const PictureGraph& graph, const PictureScores& scores) : graph_(graph), scores_(scores) {
    const std::size_t nodes = graph.node_labels.size();
    assert(graph.edge_labels.empty() || graph.edge_labels.size() == graph.edges.size());
    has_text_ = nodes <= kMostTexts && std::ranges::any_of(graph.node_labels, [](const auto& l) { return !l.empty(); });
    radius_ = has_text_ ? kRadius : kPlainRadius;
    scale_ = kPixels * (nodes <= 100 ? 1 : nodes <= kMostTexts ? 0.8 : 0.35);
    const double few = 1.5 * static_cast<double>(nodes);
    slim_ = std::clamp(few / std::max(1.0, static_cast<double>(graph.edges.size())), 1.0 / 8, 1.0);
    positions_ = graph_layout(nodes, graph.edges);
    const double margin = radius_ + kOutline + kEmptyRim;
    for (Position& p : positions_) {
      p = {std::round(p.x * kDistance + margin), std::round(p.y * kDistance + margin)};
      width_ = std::max(width_, p.x + margin);
      height_ = std::max(height_, p.y + margin);
    }
  }

  std::string write() {
    svg_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{2:.0f}\" "
        "height=\"{3:.0f}\" fill=\"none\" stroke-linecap=\"round\" role=\"img\">",
        std::ceil(width_), std::ceil(height_), std::ceil(scale_ * width_), std::ceil(scale_ * height_));
    write_bands();
    write_edges();
    write_nodes();
    if (has_text_) write_texts();
    return svg_ + "</svg>";
  }

 private:
  [[nodiscard]] bool in_motif(std::size_t edge) const { return at_or<char>(scores_.edge_in_motif, edge, 0) != 0; }
  [[nodiscard]] double edge_score(std::size_t edge) const { return shown_score(at_or(scores_.edges, edge, 0.0)); }
  [[nodiscard]] double node_score(std::size_t node) const { return shown_score(at_or(scores_.nodes, node, 0.0)); }

  // The line of an edge, `aside` of its middle.
  void append_line(std::string& path, std::size_t edge, double aside) const {
    Position from = positions_[graph_.edges[edge].first];
    Position to = positions_[graph_.edges[edge].second];
    const double length = std::max(std::hypot(to.x - from.x, to.y - from.y), 1e-9);
    const Position across{aside * (from.y - to.y) / length, aside * (to.x - from.x) / length};
    from = {from.x + across.x, from.y + across.y};
    to = {to.x + across.x, to.y + across.y};
    path += 'M';
    append_point(path, std::round(from.x), std::round(from.y));
    path += 'L';
    append_point(path, std::round(to.x), std::round(to.y));
  }

  // What edges of the motif lie on: white with a dark rim.
  void write_bands() {
    std::string path;
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
      if (in_motif(e)) append_line(path, e, 0);
    }
    if (path.empty()) return;
    svg_ += fmt::format(
        "<path stroke=\"{0}\" stroke-width=\"{1}\" d=\"{3}\"/><path stroke=\"#fff\" "
        "stroke-width=\"{2}\" d=\"{3}\"/>",
        kDark, slim_ * kBand, slim_ * (kBand - 2 * kOutline), path);
  }

  // All edges that look alike are one path; the strongest lie on top.
  void write_edges() {
    struct Lines {
      std::string solid, dashed;
    };
    std::map<std::tuple<double, bool, std::string_view>, Lines> groups;  // by size of the score, its sign, and label
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
      if (graph_.edges[e].first == graph_.edges[e].second) continue;
      const double score = edge_score(e);
      const std::string_view label = graph_.edge_labels.empty() ? "" : std::string_view(graph_.edge_labels[e]);
      Lines& lines = groups[{std::abs(score), score < 0, label}];
      const double aside = line_width(score, label) / 2 + 2;
      if (label == "double") {
        append_line(lines.solid, e, aside);
        append_line(lines.solid, e, -aside);
      } else if (label == "triple") {
        append_line(lines.solid, e, 0);
        append_line(lines.solid, e, 2 * aside);
        append_line(lines.solid, e, -2 * aside);
      } else if (label == "aromatic") {
        append_line(lines.solid, e, aside);
        append_line(lines.dashed, e, -aside);
      } else {
        append_line(lines.solid, e, 0);
      }
    }
    for (const auto& [key, lines] : groups) {
      const auto& [size, negative, label] = key;
      const double score = negative ? -size : size;
      const std::string colour = score == 0 ? kPlainEdge : score_colour(score, Pale::grey, 1);
      std::string style = fmt::format("<path stroke=\"{}\" stroke-width=\"", colour);
      append_number(style, line_width(score, label));
      style += '"';
      const std::string title =
          label.empty() || label == "single" ? "/>" : fmt::format("><title>{}</title></path>", xml_escaped(label));
      svg_ += fmt::format("{} d=\"{}\"{}", style, lines.solid, title);
      if (lines.dashed.empty()) continue;
      svg_ += fmt::format("{} stroke-dasharray=\"8 5\" stroke-linecap=\"butt\" d=\"{}\"{}", style, lines.dashed, title);
    }
  }

  [[nodiscard]] double line_width(double score, std::string_view label) const {
    const double whole = score == 0 ? kThin : kWeak + (kThick - kWeak) * std::abs(score);
    if (label == "double" || label == "aromatic") return slim_ * std::max(kThin * 0.8, whole * 0.5);
    return slim_ * (label == "triple" ? std::max(kThin * 0.8, whole * 0.36) : whole);
  }

  void write_nodes() {
    svg_ += fmt::format("<g fill=\"{}\" stroke=\"#8a8a8a\" stroke-width=\"1.5\">", score_colour(0, Pale::grey, 1));
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      svg_ += "<circle cx=\"";
      append_number(svg_, positions_[i].x);
      svg_ += "\" cy=\"";
      append_number(svg_, positions_[i].y);
      svg_ += "\" r=\"";
      append_number(svg_, radius_);
      svg_ += '"';
      const double score = node_score(i);
      if (score != 0) svg_ += fmt::format(" fill=\"{}\"", score_colour(score, Pale::grey, 1));
      if (at_or<char>(scores_.node_in_motif, i, 0) != 0) {
        svg_ += fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", kDark, kOutline);
      }
      const std::string& label = graph_.node_labels[i];
      const bool hidden = has_text_ && count_characters(label) > kWholeText;
      svg_ += hidden ? fmt::format("><title>{}</title></circle>", xml_escaped(label)) : "/>";
    }
    svg_ += "</g>";
  }

  // Dark on light and white on dark.
  void write_texts() {
    svg_ +=
        "<g fill=\"#111\" font-family=\"sans-serif\" font-size=\"22\" text-anchor=\"middle\" "
        "pointer-events=\"none\">";
    constexpr std::array<double, kWholeText + 1> kSmaller{22, 22, 20, 16, 13};
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      const std::string& label = graph_.node_labels[i];
      if (label.empty()) continue;
      const std::size_t length = std::min(count_characters(label), kWholeText);
      const double size = kSmaller[length];
      svg_ += "<text x=\"";
      append_number(svg_, positions_[i].x);
      svg_ += "\" y=\"";
      append_number(svg_, std::round(positions_[i].y + 0.36 * size));
      svg_ += '"';
      if (size != kSmaller[0]) {
        svg_ += " font-size=\"";
        append_number(svg_, size);
        svg_ += '"';
      }
      if (node_score(i) < -0.6) svg_ += " fill=\"#fff\"";
      const bool whole = count_characters(label) <= kWholeText;
      svg_ += fmt::format(">{}{}</text>", xml_escaped(whole ? label : first_characters(label, kWholeText - 1)),
                          whole ? "" : "…");
    }
    svg_ += "</g>";
  }

  static constexpr std::size_t kWholeText = 4;  // characters that fit into a node

  const PictureGraph& graph_;
  const PictureScores& scores_;
  std::vector<Position> positions_;
  bool has_text_ = false;
  double radius_ = 0;
  double scale_ = 1;
  double slim_ = 1;  // of lines: less where edges are so many that they would cover each other
  double width_ = 2 * kEmptyRim;
  double height_ = 2 * kEmptyRim;
  std::string svg_;
};

}  // namespace

std::string graph_svg(const PictureGraph& graph, const PictureScores& scores) {
  return GraphDrawing(graph, scores).write();
}

std::vector<std::string> graph_svgs(const std::vector<PictureGraph>& graphs, const std::vector<PictureScores>& scores,
                                    const RunOptions& run) {
  assert(graphs.size() == scores.size());
  const ThreadScope threads(run);
  std::vector<std::string> pictures(graphs.size());
  parallel_for(graphs.size(), run, "drawing", [&](std::size_t i) { pictures[i] = graph_svg(graphs[i], scores[i]); });
  return pictures;
}

}  // namespace gckn
