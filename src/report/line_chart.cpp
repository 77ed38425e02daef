// SPDX-License-Identifier: BSD-3-Clause
#include "report/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/svg.h"

namespace gckn {
namespace {

constexpr double kWidth = 760;
constexpr double kLeft = 76;
constexpr double kRight = 24;
constexpr double kTop = 48;      // of the first panel
constexpr double kPanel = 220;   // its height
constexpr double kBetween = 44;  // panels
constexpr double kBottom = 52;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void take(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// Round numbers within a range, and how they are written.
struct Ticks {
  std::vector<double> at;
  std::vector<std::string> text;

  // About `count` multiples of 1, 2 or 5 times a power of ten.
  static Ticks linear(const Range& range, int count, double least_step = 0) {
    const double rough = std::max(least_step, (range.high - range.low) / count);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = power;
    for (const double factor : {2.0, 5.0, 10.0}) {
      if (step < rough) step = factor * power;
    }
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
    Ticks ticks;
    for (double k = std::ceil(range.low / step - 1e-9); k * step <= range.high + 1e-9 * step; ++k) {
      ticks.at.push_back(k * step);
      constexpr double kLong = 1e5;
      ticks.text.push_back(std::abs(k * step) < kLong ? fmt::format("{:.{}f}", k == 0 ? 0.0 : k * step, decimals)
                                                      : fmt::format("{:.2g}", k * step));
    }
    return ticks;
  }

  // 1, 2 and 5 times powers of ten, or the powers alone where they are many; range: of logarithms.
  static Ticks logarithmic(const Range& range) {
    Ticks ticks;
    const bool few = range.high - range.low < 2.5;
    for (double power = std::floor(range.low); power <= range.high; ++power) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double value = factor * std::pow(10, power);
        const double place = std::log10(value);
        if ((factor > 1 && !few) || place < range.low || place > range.high) continue;
        ticks.at.push_back(place);
        ticks.text.push_back(fmt::format("{:.3g}", value));
      }
    }
    return ticks;
  }
};

class ChartWriter {
 public:
  explicit ChartWriter(const Chart& chart) : chart_(chart) {
    for (const double value : chart.x) x_.take(value);
    if (!(x_.low < x_.high)) x_ = {std::isfinite(x_.low) ? x_.low - 1 : 0, std::isfinite(x_.high) ? x_.high + 1 : 1};
  }

  std::string write() {
    const auto panels = static_cast<double>(chart_.panels.size());
    const double height = kTop + panels * kPanel + (panels - 1) * kBetween + kBottom;
    svg_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n<title>{2}</title>\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n"
        "<text x=\"{3}\" y=\"26\" font-size=\"16\" font-weight=\"bold\" fill=\"#222222\">{2}</text>\n",
        kWidth, height, xml_escaped(chart_.title), kLeft);
    double top = kTop;
    for (const ChartPanel& panel : chart_.panels) {
      write_panel(panel, top);
      top += kPanel + kBetween;
    }
    if (chart_.panels.size() > 1) write_mark();
    text((kLeft + kWidth - kRight) / 2, height - 14, "middle", chart_.x_label);
    return svg_ + "</svg>\n";
  }

 private:
  void text(double x, double y, const char* anchor, const std::string& what, const std::string& colour = "#444444") {
    svg_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y, anchor,
                        colour, xml_escaped(what));
  }

  void line(double x1, double y1, double x2, double y2, const char* style) {
    svg_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
  }

  [[nodiscard]] double place(double x) const {
    return kLeft + (x - x_.low) / (x_.high - x_.low) * (kWidth - kLeft - kRight);
  }

  void write_panel(const ChartPanel& panel, double top) {
    Range y;
    for (const ChartLine& one : panel.lines) {
      for (const double value : one.y) y.take(value);
    }
    if (!std::isfinite(y.low)) y = {0, 1};
    constexpr double kWideRange = 10;
    const bool is_logarithmic = panel.logarithmic && y.low > 0 && y.high > kWideRange * y.low;
    if (is_logarithmic) y = {std::log10(y.low), std::log10(y.high)};
    const double room = y.high > y.low ? 0.06 * (y.high - y.low) : std::max(0.1, 0.1 * std::abs(y.high));
    y = {y.low - room, y.high + room};
    const double bottom = top + kPanel;
    const auto place_of = [&](double on_axis) { return bottom - (on_axis - y.low) / (y.high - y.low) * kPanel; };
    const auto height_of = [&](double value) { return place_of(is_logarithmic ? std::log10(value) : value); };

    const Ticks y_ticks = is_logarithmic ? Ticks::logarithmic(y) : Ticks::linear(y, 5);
    for (std::size_t i = 0; i < y_ticks.at.size(); ++i) {
      const double height = place_of(y_ticks.at[i]);
      line(kLeft, height, kWidth - kRight, height, "stroke=\"#e4e4e4\"");
      text(kLeft - 8, height + 4.5, "end", y_ticks.text[i]);
    }
    const Ticks x_ticks = Ticks::linear(x_, 8, 1);
    for (std::size_t i = 0; i < x_ticks.at.size(); ++i) {
      const double x = place(x_ticks.at[i]);
      line(x, bottom, x, bottom + 5, "stroke=\"#888888\"");
      text(x, bottom + 20, "middle", x_ticks.text[i]);
    }
    line(kLeft, bottom, kWidth - kRight, bottom, "stroke=\"#888888\"");
    line(kLeft, top, kLeft, bottom, "stroke=\"#888888\"");
    svg_ += fmt::format(
        "<text transform=\"translate(20 {:.1f}) rotate(-90)\" text-anchor=\"middle\" fill=\"#444444\">{}</text>\n",
        top + kPanel / 2, xml_escaped(panel.y_label));
    if (!chart_.mark.empty()) {
      const double x = place(chart_.marked_x);
      line(x, top, x, bottom, "stroke=\"#999999\" stroke-dasharray=\"4 3\"");
    }
    for (const ChartLine& one : panel.lines) write_line(one, height_of);
    if (panel.lines.size() > 1) write_legend(panel, top);
  }

  // Above the second panel, where no line can be.
  void write_mark() {
    if (chart_.mark.empty()) return;
    const double x = place(chart_.marked_x);
    const bool is_left = x < (kLeft + kWidth - kRight) / 2;
    text(is_left ? x : x - 4, kTop + kPanel + kBetween - 8, is_left ? "start" : "end", chart_.mark, "#777777");
  }

  template <typename Height>
  void write_line(const ChartLine& one, const Height& height_of) {
    std::string path;
    bool pen_down = false;
    std::size_t points = 0;
    for (std::size_t i = 0; i < std::min(one.y.size(), chart_.x.size()); ++i) {
      if (!std::isfinite(one.y[i])) {
        pen_down = false;
        continue;
      }
      path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", place(chart_.x[i]), height_of(one.y[i]));
      pen_down = true;
      ++points;
    }
    // A single point has no line.
    svg_ += fmt::format(
        "<path d=\"{}{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\" "
        "stroke-linecap=\"round\"/>\n",
        path, points == 1 ? "h0" : "", one.colour, points == 1 ? 6 : 1.8);
  }

  // Above the panel, at its right end.
  void write_legend(const ChartPanel& panel, double top) {
    constexpr double kPerCharacter = 7.2;
    double x = kWidth - kRight;
    for (auto one = panel.lines.rbegin(); one != panel.lines.rend(); ++one) {
      text(x, top - 8, "end", one->name, "#222222");
      x -= kPerCharacter * static_cast<double>(one->name.size()) + 8;
      svg_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"4\" fill=\"{}\"/>\n", x - 10, top - 14,
                          one->colour);
      x -= 28;
    }
  }

  const Chart& chart_;
  Range x_;
  std::string svg_;
};

}  // namespace

std::string to_svg(const Chart& chart) {
  return ChartWriter(chart).write();
}

}  // namespace gckn
