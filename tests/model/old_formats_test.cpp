// SPDX-License-Identifier: BSD-3-Clause
// Files of earlier formats go on loading.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "gckn/io.h"
#include "gckn/model_file.h"
#include "support/files.h"

namespace gckn {
namespace {

// A model of the first format, in base 64: gckn 0.1.0 trained it on kGraphs, with paths of one edge, two filters, edge
// labels and C = 1.
constexpr std::string_view kFormatOne =
    "8AMAAAAAAAB7Il9fbWV0YWRhdGFfXyI6eyJjb25maWciOiJ7XCJmb3JtYXRcIjoxLFwiZ2Nrbl92ZXJzaW9uXCI6XCIwLjEuMFwi"
    "LFwiaW5wdXRcIjp7XCJmZWF0dXJlc1wiOlwibGFiZWxzXCIsXCJsYWJlbHNcIjpbNiw4XSxcInVuaXRcIjp0cnVlLFwiZWRnZV9s"
    "YWJlbHNcIjpbMSwyXX0sXCJsYXllcnNcIjpbe1wia2luZFwiOlwicGF0aFwiLFwicGF0aF9sZW5ndGhcIjoxLFwiZmlsdGVyc1wi"
    "OjIsXCJzaWdtYVwiOjAuNixcInBvb2xpbmdcIjpcIm1lYW5cIixcImFsbF9sZW5ndGhzXCI6dHJ1ZSxcInBhdGhfc2NhbGluZ1wi"
    "OlwibWVhblwiLFwicmVndWxhcmlzYXRpb25cIjpcInJvb3RcIixcImVwc1wiOjAuMDEsXCJnbXBfbGFtYmRhXCI6MS4wfV0sXCJn"
    "bG9iYWxfcG9vbGluZ1wiOlwic3VtXCIsXCJjb25jYXRfbGF5ZXJzXCI6ZmFsc2UsXCJ0YXNrXCI6e1wibGVhcm5lclwiOlwic3Zt"
    "XCIsXCJzZWVkXCI6MCxcInRhcmdldHNcIjpbXCJ0YXJnZXRcIl0sXCJDXCI6WzEuMF0sXCJjYWxpYnJhdGlvblwiOltbMC4wMjAy"
    "ODI1NTEyNDQzMTI0NzYsLTAuMzI1NDI0ODg4MjE3OTYzN11dfSxcImNsYXNzZXNcIjpbXCJub1wiLFwieWVzXCJdfSJ9LCJsaW5l"
    "YXIuYmlhcyI6eyJkdHlwZSI6IkY2NCIsInNoYXBlIjpbMV0sImRhdGFfb2Zmc2V0cyI6WzAsOF19LCJsaW5lYXIud2VpZ2h0Ijp7"
    "ImR0eXBlIjoiRjY0Iiwic2hhcGUiOlsxLDRdLCJkYXRhX29mZnNldHMiOls4LDQwXX0sInNjYWxlci5tZWFuIjp7ImR0eXBlIjoi"
    "RjY0Iiwic2hhcGUiOls0XSwiZGF0YV9vZmZzZXRzIjpbNDAsNzJdfSwic2NhbGVyLnNjYWxlIjp7ImR0eXBlIjoiRjY0Iiwic2hh"
    "cGUiOls0XSwiZGF0YV9vZmZzZXRzIjpbNzIsMTA0XX0sImxheWVyLjAuYW5jaG9ycyI6eyJkdHlwZSI6IkYzMiIsInNoYXBlIjpb"
    "MiwyLDJdLCJkYXRhX29mZnNldHMiOlsxMDQsMTM2XX0sImxheWVyLjAuZWRnZV9hbmNob3JzIjp7ImR0eXBlIjoiRjMyIiwic2hh"
    "cGUiOlsxLDIsMl0sImRhdGFfb2Zmc2V0cyI6WzEzNiwxNTJdfX0gICBYAjFz6SGOv4zEQfUY8oK/nULTkeiLgb+vw6f8fn7Ev6av"
    "6RWQc+o/AAAAWCpJ+j8AAABEBhPoPwAAADgEWfQ/AAAARq4J5j/lwiUPH8fYP2fUJLkNVNs/vUnSI9sI4D/5A0KM+bzcP0JbeD9C"
    "W3g+AAAAAAAAgD9AAVU/1QAOPwAAgD8AAAAAQlt4P0JbeD4AAAAAAACAPw==";

constexpr std::string_view kGraphs =
    R"({"num_nodes":3,"edges":[[0,1],[1,2]],"node_labels":[6,6,8],"edge_labels":[1,2],"target":"yes"}
{"num_nodes":3,"edges":[[0,1],[1,2]],"node_labels":[6,8,6],"edge_labels":[1,1],"target":"no"}
{"num_nodes":2,"edges":[[0,1]],"node_labels":[6,8],"edge_labels":[2],"target":"yes"}
{"num_nodes":2,"edges":[[0,1]],"node_labels":[6,6],"edge_labels":[1],"target":"no"}
)";

// What that version predicted: the scores of "yes".
constexpr std::array<double, 4> kScores = {0.773241032, -0.765884473, 1.04454636, -1.11075539};

std::string from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(kDigits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xFF));
  }
  return bytes;
}

TEST(OldFormats, ModelOfTheFirstFormatPredictsWhatItDid) {
  const test::TempDir folder;
  const Model model = load_model(folder.write("old.gckn", from_base64(kFormatOne)));
  EXPECT_TRUE(model.network().input().label_names.empty());
  EXPECT_EQ(model.network().learnt_from(), LearntFrom{});
  EXPECT_EQ(model.record(), TrainingRecord{});
  const Predictions predictions = model.predict(read_graphs(folder.write("graphs.jsonl", kGraphs)));
  ASSERT_EQ(predictions.graphs, kScores.size());
  for (std::size_t g = 0; g < kScores.size(); ++g) {
    EXPECT_NEAR(predictions.targets[0].scores(g, 0), kScores[g], 1e-5);
    EXPECT_EQ(predictions.targets[0].predicted[g], kScores[g] > 0 ? 1 : 0);
  }
}

TEST(OldFormats, SavedAgainItHasTheNewFormat) {
  const test::TempDir folder;
  save_model(load_model(folder.write("old.gckn", from_base64(kFormatOne))), folder / "new.gckn");
  EXPECT_NE(test::read_text(folder / "new.gckn").find("checksum"), std::string::npos);
  EXPECT_EQ(load_model(folder / "new.gckn").targets()[0].class_names, (std::vector<std::string>{"no", "yes"}));
}

}  // namespace
}  // namespace gckn
