// SPDX-License-Identifier: BSD-3-Clause
// Explanations of a set of graphs, and the folder they are written to: explanations.jsonl, pictures/ and index.html.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data.h"
#include "gckn/explain.h"
#include "gckn/explanation_page.h"
#include "gckn/graph_picture.h"
#include "gckn/model.h"
#include "gckn/scoring.h"

namespace gckn::cli {

inline constexpr const char* kExplanationsFile = "explanations.jsonl";
inline constexpr const char* kPageFile = "index.html";
inline constexpr const char* kPicturesFolder = "pictures";

// What of them is written.
struct OutputParts {
  bool pictures = true;
  bool paths = false;
  bool all_components = false;
};

// The graphs with all that is known of them and of their predictions.
struct ExplainedSet {
  ExplainedSet(const Model& explained_model, std::size_t explained_target, ExplainMethod by, DataBlock block);

  // The graphs of these rows, which explanations are to be of, unless there are none. Of the rows that are no graphs
  // those alone are kept. Throws InputError for a row that there is not.
  std::vector<std::uint32_t> select(const std::vector<std::uint32_t>& rows);

  // Fidelity, agreement with the truth, and the catalogue, once there are explanations.
  void measure(const RunOptions& run);

  // Explanations without those that failed.
  [[nodiscard]] std::size_t num_explained() const;

  // Whether an explanation's graph is of the class that was predicted. Of numbers, and where nothing is known: true.
  [[nodiscard]] bool is_right(std::size_t explanation) const;

  // Writes the folder, when all of it is made; index.html last. With the rows that are no graphs. Of what else is in
  // the folder nothing is touched.
  void write(const std::string& folder, const std::string& model_file, const OutputParts& parts,
             std::vector<PageFigure> figures, std::vector<std::string> remarks, const RunOptions& run) const;

  const Model& model;
  std::size_t target;
  ExplainMethod method;
  GraphSet graphs;
  std::vector<std::string> names;         // by graph
  std::vector<std::size_t> row_of_graph;  // of DATA, from 0
  struct BadRow {
    std::size_t row;
    std::string name, error;
  };
  std::vector<BadRow> bad_rows;  // which are no graphs
  std::vector<MoleculeSource> sources;
  Predictions predictions;
  Truth truth;

  std::vector<Explanation> explanations;
  std::vector<std::optional<Fidelity>> fidelities;
  std::vector<std::optional<TruthAgreement>> agreements;
  MotifCatalogue catalogue;

 private:
  [[nodiscard]] std::string json_line(std::size_t explanation, const OutputParts& parts) const;
  [[nodiscard]] std::string json_lines(const OutputParts& parts, const RunOptions& run) const;
  void write_pictures(const std::vector<std::string>& pictures, const std::filesystem::path& folder,
                      const RunOptions& run) const;
  [[nodiscard]] PageGraph page_graph(std::size_t explanation) const;
  [[nodiscard]] std::vector<PageMotif> page_motifs(const std::vector<std::uint32_t>& place_of,
                                                   const std::vector<std::string>& pictures,
                                                   const RunOptions& run) const;
  [[nodiscard]] std::vector<std::string> draw(const RunOptions& run) const;
  [[nodiscard]] ExplanationPage page(const std::string& model_file, std::vector<std::string> pictures,
                                     const RunOptions& run) const;
};

}  // namespace gckn::cli
