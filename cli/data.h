// SPDX-License-Identifier: BSD-3-Clause
// The argument DATA that most commands take, and how it is read.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console.h"
#include "gckn/error.h"
#include "gckn/graph_set.h"
#include "gckn/io.h"
#include "gckn/model.h"
#include "gckn/model_file.h"
#include "gckn/molecules.h"
#include "gckn/run_options.h"
#include "label_names.h"
#include "molecule_options.h"

namespace gckn::cli {

CLI::Option* add_data_argument(CLI::App& command, std::string& data);

struct ReadingOptions {
  LabelNameOptions labels;
  MoleculeFlags molecules;
};

// MODEL, and what it is to be used on: DATA, or molecules on the command line (--smiles) in its place. Neither is
// required here.
void add_model_and_data(CLI::App& command, std::string& model, std::string& data, ReadingOptions& reading);

// on_error: what the command does without --on-error.
void add_reading_options(CLI::App& command, ReadingOptions& options, OnError on_error);

// Some rows of DATA. A row is a graph, or the reason why there is none.
struct DataBlock {
  GraphSet graphs;
  std::size_t first_row = 0;                // of the block, in DATA, from 0
  std::vector<std::uint32_t> graph_of_row;  // MoleculeSet::kNone for none
  std::vector<std::string> names;           // by row: its id, or its number from 0
  std::vector<std::string> errors;          // by row; empty where all are graphs
  std::vector<MoleculeSource> sources;      // by graph, of molecules, where asked for

  [[nodiscard]] bool has_status() const { return !errors.empty(); }
  [[nodiscard]] std::size_t num_rows() const { return graph_of_row.size(); }
  [[nodiscard]] bool is_graph(std::size_t row) const { return graph_of_row[row] != MoleculeSet::kNone; }
};

// What a model knows of its molecules.
struct MoleculesOfModel {
  std::optional<MoleculeReading> reading{};
  MoleculeColumns::Known targets{};  // those that the command has a use for
};
MoleculesOfModel molecules_of(const Model& model);

// What is wanted of rows beyond graphs.
struct RowsWanted {
  bool smiles = false;                         // GraphSet::smiles()
  bool sources = false;                        // DataBlock::sources
  std::optional<MoleculesOfModel> of_model{};  // by which molecules are read
};

// Reads all of it and names its labels; "-" is standard input. For molecules: says what was guessed, and what is wrong
// with rows; with OnError::fail throws InputError if there are any.
DataBlock read_rows(const std::string& data, const ReadingOptions& options, Console& console, const RunOptions& run,
                    OnError on_error, const RowsWanted& wanted = {});

// The graphs of it.
GraphSet read_data(const std::string& data, const ReadingOptions& options, Console& console, const RunOptions& run,
                   OnError on_error = OnError::fail, bool wants_smiles = false);

// Reads DATA in blocks, each with its labels named. Rows that are no molecule are rows without a graph, or left out,
// or an InputError, as --on-error says.
class DataReader {
 public:
  DataReader(const std::string& data, const ReadingOptions& options, const MoleculesOfModel& model, Console& console,
             const RunOptions& run, OnError on_error);
  ~DataReader();
  DataReader(const DataReader&) = delete;
  DataReader& operator=(const DataReader&) = delete;

  // The next block, which has no rows if all of them were left out; nothing at the end. reads_ahead: the one after it
  // will be asked for, too (not passed over), and is read while the caller is at this one.
  std::optional<DataBlock> next(bool reads_ahead = false);
  // Passes over it. False at the end.
  bool skip();

  // Whether rows may be without a graph, and so have a status.
  [[nodiscard]] bool has_status() const;

  // For what is done with a block: progress is that of the whole file, where its size is known.
  [[nodiscard]] const RunOptions& run() const;

  // Says what was wrong with rows, in the result under "errors", too.
  void say_errors() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Loads the argument MODEL of a command that takes DATA as well. The error about a file that is no model ends with the
// order of the arguments, which is likely to be what went wrong.
template <typename Load>
auto load_first(const std::string& model, const Load& load, std::string_view order) {
  try {
    return load(model);
  } catch (const InputError& error) {
    if (!std::filesystem::is_regular_file(model) || is_model_file(model)) throw;
    throw InputError(fmt::format("{}; the order is: {}", error.what(), order));
  }
}

}  // namespace gckn::cli
