// SPDX-License-Identifier: BSD-3-Clause
// Journals as input: whatever a line has in it, resuming is right or says which line is wrong.
#include "learn/journal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "gckn/cross_validation.h"
#include "gckn/error.h"
#include "support/class_targets.h"
#include "support/files.h"
#include "support/random_graphs.h"

namespace gckn {
namespace {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

GraphSet graphs_of_three_classes() {
  GraphSetParts parts = random_parts({.graphs = 18, .most_nodes = 6}, 5);
  parts.targets = test::classes_of_sizes({6, 6, 6});
  return GraphSet(std::move(parts));
}

CrossValidationOptions with_journal(Protocol protocol, const std::filesystem::path& journal) {
  CrossValidationOptions cv;
  cv.protocol = protocol;
  cv.networks = {path({.path_length = 1, .filters = 4})};
  cv.learning.C = {0.1, 1};
  cv.folds = 2;
  cv.inner_folds = 2;
  cv.journal = journal;
  cv.resume = true;
  return cv;
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Every value of a line but the line itself; of long lists the first two.
void collect(const Json& json, const Pointer& at, std::vector<Pointer>& found) {
  if (!at.empty()) found.push_back(at);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) collect(value, at / key, found);
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < std::min<std::size_t>(json.size(), 2); ++i) collect(json[i], at / i, found);
  }
}

const std::vector<Json>& replacements() {
  static const std::vector<Json> values{nullptr,
                                        true,
                                        "x",
                                        -1,
                                        0,
                                        7,
                                        0.5,
                                        1000000000000000000U,
                                        Json::array(),
                                        Json::array({nullptr}),
                                        Json::array({1, 2, 3, 4}),
                                        Json::array({Json::array()}),
                                        Json::object(),
                                        Json{{"columns", 3}, {"rows", Json::array()}}};
  return values;
}

// Whether a line may have this value there: any score is as good as another.
bool is_possible(const Pointer& at, const Json& value) {
  const std::string place = at.to_string();
  if (place == "/unit") return value.is_string();
  if (place == "/score" || place.starts_with("/score_by_C/")) return value.is_number() || value.is_null();
  // /predictions/FOLD/TARGET/rows/ROW/COLUMN
  return std::ranges::count(place, '/') == 6 && value.is_number();
}

class JournalLines : public testing::TestWithParam<Protocol> {};

TEST_P(JournalLines, AnyFieldOfAnyShapeIsReadOrRefused) {
  const GraphSet graphs = graphs_of_three_classes();
  const test::TempDir folder;
  const std::filesystem::path file = folder / "search.journal";
  const CrossValidationOptions cv = with_journal(GetParam(), file);
  cross_validate(graphs, cv);
  const std::vector<std::string> lines = lines_of(file);
  ASSERT_GE(lines.size(), 3U);
  std::size_t refused = 0;
  // Resumes with line number `line` (from 0) in this state.
  const auto resume = [&](std::size_t line, const Json& changed, bool may_pass, const std::string& what) {
    std::ofstream stream(file, std::ios::trunc);
    for (std::size_t i = 0; i < lines.size(); ++i) stream << (i == line ? changed.dump() : lines[i]) << '\n';
    stream.close();
    try {
      cross_validate(graphs, cv);
      EXPECT_TRUE(may_pass) << what;
    } catch (const InputError& error) {
      ++refused;
      EXPECT_FALSE(may_pass) << what << ": " << error.what();
      const std::string where = file.string() + (line == 0 ? ":" : ":" + std::to_string(line + 1) + ":");
      EXPECT_TRUE(std::string(error.what()).starts_with(where)) << what << ": " << error.what();
    }
  };
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const Json whole = Json::parse(lines[line]);
    std::vector<Pointer> places;
    collect(whole, Pointer(), places);
    for (const Pointer& at : places) {
      for (const Json& value : replacements()) {
        if (whole.at(at) == value) continue;
        Json changed = whole;
        changed[at] = value;
        resume(line, changed, line > 0 && is_possible(at, value),
               std::to_string(line) + at.to_string() + " = " + value.dump());
      }
      if (!whole.at(at.parent_pointer()).is_object()) continue;
      Json changed = whole;
      changed.at(at.parent_pointer()).erase(at.back());
      // A network's predictions are computed again where they are missing.
      const bool may_pass = at.to_string() == "/predictions" && whole.at("unit").get<std::string>().starts_with("{");
      resume(line, changed, may_pass, std::to_string(line) + " without " + at.to_string());
    }
    for (const Json& value : replacements()) resume(line, value, false, std::to_string(line) + " = " + value.dump());
  }
  EXPECT_GT(refused, 100U);
}

INSTANTIATE_TEST_SUITE_P(Protocols, JournalLines, testing::Values(Protocol::nested, Protocol::paper));

// With a lower limit networks would be left out that the journal has, so it is of another experiment.
TEST(Journal, IsOfOneLimitOfPaths) {
  const GraphSet graphs = graphs_of_three_classes();
  const test::TempDir folder;
  const CrossValidationOptions cv = with_journal(Protocol::paper, folder / "search.journal");
  cross_validate(graphs, cv);
  RunOptions options;
  options.max_paths = 1000;
  try {
    cross_validate(graphs, cv, options);
    FAIL() << "must be refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("its \"max_paths\" is 4000000000, here it is 1000"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace gckn
