// SPDX-License-Identifier: BSD-3-Clause
// The history of a training as a table and as a picture.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "gckn/supervised.h"
#include "report/line_chart.h"

namespace gckn {
namespace {

std::vector<EpochRecord> history(int epochs, bool validated) {
  std::vector<EpochRecord> records;
  for (int e = 1; e <= epochs; ++e) {
    EpochRecord record{e, 0.01, 10.0 / e, 0.001, {}, {}};
    if (validated) {
      record.validation_loss = 12.0 / e;
      record.validation_figure = 1 - 1.0 / (e + 1);
    }
    records.push_back(record);
  }
  return records;
}

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t found = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++found;
  return found;
}

TEST(History, TableHasALinePerEpoch) {
  EXPECT_EQ(history_csv(history(2, false)),
            "epoch,learning_rate,loss,penalty,validation_loss,validation_figure\n"
            "1,0.01,10,0.001,,\n2,0.01,5,0.001,,\n");
  EXPECT_EQ(history_csv(history(1, true)),
            "epoch,learning_rate,loss,penalty,validation_loss,validation_figure\n1,0.01,10,0.001,12,0.5\n");
}

TEST(History, PictureHasALinePerLoss) {
  const std::string plain = history_svg(history(20, false), "a < b & c", "accuracy", 20);
  EXPECT_EQ(count(plain, "<path"), 1U);
  EXPECT_EQ(count(plain, "a &lt; b &amp; c"), 2U);
  EXPECT_EQ(count(plain, "accuracy"), 0U);
  const std::string validated = history_svg(history(20, true), "title", "accuracy", 7);
  EXPECT_EQ(count(validated, "<path"), 3U);
  EXPECT_EQ(count(validated, "the model: epoch 7"), 1U);
  EXPECT_EQ(count(validated, "validation accuracy"), 1U);
}

// Nothing, one epoch, a constant, gaps, huge and tiny values: coordinates are always numbers within the picture.
TEST(LineChart, AnyValuesGivePlacesWithinThePicture) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> cases{{},
                                               {1},
                                               {3, 3, 3},
                                               {nan, 1, nan, 2},
                                               {nan, nan},
                                               {1e300, -1e300},
                                               {1e-300, 2e-300},
                                               {0, 1e9},
                                               {1, infinity, 2},
                                               {1e-3, 1e5}};
  for (const std::vector<double>& y : cases) {
    Chart chart{"t", "x", {}, {{"y", {{"line", "#000", y}}, true}}, 1, "mark"};
    for (std::size_t i = 0; i < y.size(); ++i) chart.x.push_back(static_cast<double>(i) + 1);
    const std::string svg = to_svg(chart);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
    EXPECT_LT(count(svg, "<text"), 40U);
  }
}

}  // namespace
}  // namespace gckn
