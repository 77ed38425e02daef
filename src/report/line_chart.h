// SPDX-License-Identifier: BSD-3-Clause
// Charts of lines over a common horizontal axis, one panel below the other, as SVG.
#pragma once

#include <string>
#include <vector>

namespace gckn {

struct ChartLine {
  std::string name;
  std::string colour;     // as SVG writes it
  std::vector<double> y;  // by point of the axis; gaps where it is not finite
};

struct ChartPanel {
  std::string y_label;
  std::vector<ChartLine> lines;
  bool logarithmic = false;  // if all values are positive and span more than a power of ten; otherwise it is linear
};

struct Chart {
  std::string title;
  std::string x_label;
  std::vector<double> x;  // ascending whole numbers
  std::vector<ChartPanel> panels;
  // A point of the axis that is marked in all panels, and what with.
  double marked_x = 0;
  std::string mark;  // empty: none
};

std::string to_svg(const Chart& chart);

}  // namespace gckn
