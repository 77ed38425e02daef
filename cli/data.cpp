// SPDX-License-Identifier: BSD-3-Clause
#include "data.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <future>
#include <numeric>
#include <sstream>
#include <thread>
#include <utility>

#include "output.h"
#include "standard_input.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;

// What standard input is, as the suffix of a file would say it; "" for JSON.
std::string suffix_of_input(const MoleculeColumns& columns) {
  std::string_view head = standard_input_head();
  if (head.starts_with("\x1f\x8b")) {
    throw InputError(fmt::format("{}: is packed: unpack it first, as in zcat FILE | gckn ...", kStandardInput));
  }
  constexpr std::string_view kBlanks = " \t\r\n";
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const std::size_t first = head.find_first_not_of(kBlanks);
  if (first == std::string_view::npos || head[first] == '{') return "";
  if (head[first] == '[') {  // a list of graphs, or an atom in brackets
    const std::size_t next = head.find_first_not_of(kBlanks, first + 1);
    if (next == std::string_view::npos || head[next] == '{' || head[next] == ']') return "";
  }
  for (const std::string_view version : {"V2000\n", "V3000\n", "V2000\r", "V3000\r"}) {
    if (head.find(version) != std::string_view::npos) return ".sdf";
  }
  if (!columns.smiles.empty()) return ".csv";
  // A header names SMILES, and other columns beside them.
  std::string header(head.substr(first, head.find_first_of("\r\n", first) - first));
  std::ranges::transform(header, header.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool is_table = header.find("smiles") != std::string::npos && header.find_first_of(",;\t") != std::string::npos;
  return is_table ? ".csv" : ".smi";
}

// A .smi file with a header, so that no molecule is taken for one; one line each.
std::istringstream smiles_lines(std::vector<std::string> smiles) {
  for (std::string& text : smiles)
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return std::istringstream(fmt::format("smiles\n{}\n", fmt::join(smiles, "\n")));
}

// A reader of molecules where DATA is such, or where they are given on the command line (`smiles` then has their
// lines); otherwise nothing.
std::unique_ptr<MoleculeReader> open_molecules(const std::string& data, const MoleculeFlags& flags,
                                               std::istringstream& smiles, const MoleculeOptions& options,
                                               const RunOptions& run) {
  if (!flags.smiles.empty()) return std::make_unique<MoleculeReader>(smiles, "--smiles.smi", options, run);
  if (data == "-") {
    const std::string suffix = suffix_of_input(options.columns);
    if (suffix.empty()) return nullptr;
    return std::make_unique<MoleculeReader>(standard_input(), kStandardInput + suffix, options, run);
  }
  return is_molecule_file(data) ? std::make_unique<MoleculeReader>(data, options, run) : nullptr;
}

// Rows that are no molecule, counted over blocks; the first ones are kept to be shown.
class BadRows {
 public:
  void add(const std::vector<MoleculeRow>& rows) {
    for (const MoleculeRow& row : rows) {
      ++all_;
      if (row.error.empty()) continue;
      ++count_;
      if (first_.size() < kKept) first_.push_back(row);
    }
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t all() const { return all_; }

  // "row 7 (aspirin, line 8): the reason".
  static std::string text(const MoleculeRow& row) {
    const std::string name = row.id.empty() ? "" : fmt::format("{}, ", row.id);
    return fmt::format("row {} ({}line {}): {}", row.number, name, row.line, row.error);
  }
  [[nodiscard]] const MoleculeRow& first() const { return first_.front(); }

  void say(Console& console) const {
    if (count_ == 0) return;
    console.warn("{} of {} could not be read", grouped(count_), all_ == 1 ? "1 row" : grouped(all_) + " rows");
    for (std::size_t i = 0; i < std::min(first_.size(), kShown); ++i) console.warn("{}", text(first_[i]));
    if (count_ > kShown) console.warn("... and {} more", grouped(count_ - kShown));
    if (count_ == all_ && all_ > 1)
      console.warn("no row at all: is this a file of molecules, and of the kind its name says?");
  }

  [[nodiscard]] Json json() const {
    Json list = Json::array();
    for (const MoleculeRow& row : first_) {
      list.push_back({{"row", row.number}, {"line", row.line}, {"id", row.id}, {"reason", row.error}});
    }
    return {{"rows", count_}, {"first", std::move(list)}};
  }

 private:
  static constexpr std::size_t kShown = 10;
  static constexpr std::size_t kKept = 1000;
  std::size_t count_ = 0, all_ = 0;
  std::vector<MoleculeRow> first_;
};

void say_guesses(Console& console, const std::string& data, const MoleculeReader& reader) {
  if (reader.guesses().empty()) return;
  console.note("{}: {}.", data == "-" ? kStandardInput : std::filesystem::path(data).filename().string(),
               fmt::join(reader.guesses(), "; "));
}

[[noreturn]] void fail_at_row(const std::string& data, const BadRows& bad) {
  throw InputError(
      fmt::format("{}: {}{}; --on-error skip leaves such rows out", data, BadRows::text(bad.first()),
                  bad.count() > 1 ? fmt::format(" ({} rows could not be read)", grouped(bad.count())) : ""));
}

// Options that are for molecules say nothing about other graphs, which is better said.
void say_unused(Console& console, const std::string& data, const MoleculeFlags& flags) {
  if (const std::string names = given_options(flags); !names.empty()) {
    console.warn("{}: no effect on {}, which is no file of molecules", names, data == "-" ? kStandardInput : data);
  }
}

void name_labels(GraphSet& graphs, const NamesOfLabels& names) {
  if (graphs.molecules() && !(names.nodes.empty() && names.edges.empty())) {
    throw UsageError("--label-names and --edge-label-names: atoms and bonds have names already");
  }
  graphs.name_labels(names.nodes, names.edges);
}

DataBlock block_of_molecules(MoleculeSet set, std::size_t first_row, OnError on_error) {
  DataBlock block;
  block.first_row = first_row;
  for (std::size_t i = 0; i < set.rows.size(); ++i) {
    const MoleculeRow& row = set.rows[i];
    if (!row.error.empty() && on_error == OnError::skip) continue;
    block.graph_of_row.push_back(set.graph_of_row[i]);
    block.names.push_back(row.id.empty() ? fmt::to_string(first_row + i) : row.id);
    block.errors.push_back(row.error);
  }
  block.graphs = std::move(set.graphs);
  block.sources = std::move(set.sources);
  return block;
}

DataBlock block_of_graphs(GraphSet graphs, std::size_t first_row) {
  DataBlock block;
  block.first_row = first_row;
  block.graph_of_row.resize(graphs.num_graphs());
  std::iota(block.graph_of_row.begin(), block.graph_of_row.end(), 0U);
  block.names = graph_names(graphs, 0, graphs.num_graphs(), first_row);
  block.graphs = std::move(graphs);
  return block;
}

}  // namespace

CLI::Option* add_data_argument(CLI::App& command, std::string& data) {
  return command
      .add_option("DATA", data,
                  "Graphs: a TU folder or zip, a GIN file or zip, JSON lines or\nnode-link JSON; molecules: a CSV with "
                  "SMILES, .smi or .sdf,\nalso with .gz (- reads JSON or molecules from standard input)")
      ->required();
}

void add_model_and_data(CLI::App& command, std::string& model, std::string& data, ReadingOptions& reading) {
  command.add_option("MODEL", model, "A model that gckn train saved")->required();
  CLI::Option* of_graphs = add_data_argument(command, data)->required(false);
  command
      .add_option("--smiles", reading.molecules.smiles,
                  "A molecule in the place of DATA, as \"CCO\" or \"CCO ethanol\";\nmay be repeated")
      ->type_name("SMILES")
      ->allow_extra_args(false)
      ->excludes(of_graphs);
}

void add_reading_options(CLI::App& command, ReadingOptions& options, OnError on_error) {
  add_molecule_options(command, options.molecules, on_error);
  add_label_name_options(command, options.labels);
}

MoleculesOfModel molecules_of(const Model& model) {
  MoleculesOfModel known{model.network().input().molecules, {}};
  for (const TargetModel& target : model.targets()) known.targets.names.push_back(target.name);
  known.targets.classes = model.targets().size() == 1 && !model.targets().front().class_names.empty();
  return known;
}

DataBlock read_rows(const std::string& data, const ReadingOptions& options, Console& console, const RunOptions& run,
                    OnError on_error, const RowsWanted& wanted) {
  const NamesOfLabels names = read_label_names(options.labels);  // what is wrong with them is known at once
  on_error = parse_on_error(options.molecules, on_error);
  MoleculeOptions molecules =
      molecule_options(options.molecules, wanted.of_model ? wanted.of_model->reading : std::nullopt);
  if (wanted.of_model) molecules.columns.known_targets = wanted.of_model->targets;
  molecules.canonical_smiles = wanted.smiles;
  molecules.keep_sources = wanted.sources;
  std::istringstream smiles = smiles_lines(options.molecules.smiles);
  DataBlock block;
  if (const std::unique_ptr<MoleculeReader> reader = open_molecules(data, options.molecules, smiles, molecules, run)) {
    say_guesses(console, data, *reader);
    MoleculeSet set = reader->rest();
    BadRows bad;
    bad.add(set.rows);
    if (bad.count() > 0 && on_error == OnError::fail) fail_at_row(data, bad);
    bad.say(console);
    console.add_to_result("errors", bad.json());
    if (set.graphs.num_graphs() == 0) {
      throw InputError(fmt::format("{}: no row is a molecule", options.molecules.smiles.empty() ? data : "--smiles"));
    }
    block = block_of_molecules(std::move(set), 0, on_error);
  } else {
    say_unused(console, data, options.molecules);
    block = block_of_graphs(
        data == "-" ? read_graphs_jsonl(standard_input(), kStandardInput, run) : read_graphs(data, run), 0);
  }
  name_labels(block.graphs, names);
  return block;
}

GraphSet read_data(const std::string& data, const ReadingOptions& options, Console& console, const RunOptions& run,
                   OnError on_error, bool wants_smiles) {
  return std::move(read_rows(data, options, console, run, on_error, {.smiles = wants_smiles}).graphs);
}

struct DataReader::Impl {
  std::string data;
  NamesOfLabels names;
  OnError on_error;
  Console& console;
  RunOptions run;             // of the caller
  RunOptions within;          // with the progress of the whole
  std::istringstream smiles;  // of the command line
  std::unique_ptr<MoleculeReader> molecules;
  std::unique_ptr<GraphReader> graphs;
  BadRows bad;
  std::size_t rows = 0;
  std::size_t skipped = 0;  // of the rows
  std::chrono::steady_clock::time_point begin;
  std::string stage;

  const std::thread::id caller = std::this_thread::get_id();
  std::uint64_t bytes_read = 0;  // with the block that was returned last
  // What the file has next, before anything is made of it.
  struct Read {
    std::optional<MoleculeSet> molecules;
    std::optional<GraphSet> graphs;
    std::uint64_t bytes_read = 0;
  };
  std::future<Read> ahead{};  // the last member: it ends before what it reads from does

  bool show(const Progress& progress) {
    // Reading ahead only looks whether to stop: what is shown is the caller's.
    if (std::this_thread::get_id() != caller) return !was_interrupted();
    if (!molecules || molecules->bytes() == 0) return run.progress(progress);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    stage = fmt::format("{} rows, {:.0f}/s", grouped(rows), static_cast<double>(rows - skipped) / seconds.count());
    return run.progress({stage, bytes_read, molecules->bytes(), true});
  }

  Read read() const {
    Read result;
    if (graphs) {
      result.graphs = graphs->next();
    } else {
      result.molecules = molecules->next();
      result.bytes_read = molecules->bytes_read();
    }
    return result;
  }

  std::optional<DataBlock> next(bool reads_ahead) {
    Read found = ahead.valid() ? ahead.get() : read();
    bytes_read = found.bytes_read;
    const bool has_more = found.molecules || found.graphs;
    if (reads_ahead && has_more && run.threads != 1 && data != "-") {
      ahead = std::async(std::launch::async, [this] { return read(); });
    }
    return graphs ? block_of(std::move(found.graphs)) : block_of(std::move(found.molecules));
  }

  std::optional<DataBlock> block_of(std::optional<MoleculeSet> set) {
    if (!set && on_error == OnError::skip && skipped == 0 && bad.count() == bad.all()) {
      throw InputError(fmt::format("{}: no row is a molecule", data));
    }
    if (!set) return std::nullopt;
    bad.add(set->rows);
    if (bad.count() > 0 && on_error == OnError::fail) fail_at_row(data, bad);
    const std::size_t first = std::exchange(rows, rows + set->rows.size());
    return block_of_molecules(*std::move(set), first, on_error);
  }

  std::optional<DataBlock> block_of(std::optional<GraphSet> set) {
    if (!set) return std::nullopt;
    const std::size_t first = std::exchange(rows, rows + set->num_graphs());
    return block_of_graphs(*std::move(set), first);
  }
};

DataReader::DataReader(const std::string& data, const ReadingOptions& options, const MoleculesOfModel& model,
                       Console& console, const RunOptions& run, OnError on_error)
    : impl_(new Impl{data,
                     read_label_names(options.labels),
                     parse_on_error(options.molecules, on_error),
                     console,
                     run,
                     run,
                     smiles_lines(options.molecules.smiles),
                     nullptr,
                     nullptr,
                     {},
                     0,
                     0,
                     std::chrono::steady_clock::now(),
                     {}}) {
  if (run.progress) impl_->within.progress = [impl = impl_.get()](const Progress& step) { return impl->show(step); };
  MoleculeOptions reading = molecule_options(options.molecules, model.reading);
  reading.columns.known_targets = model.targets;
  impl_->molecules = open_molecules(data, options.molecules, impl_->smiles, reading, impl_->within);
  if (impl_->molecules) {
    say_guesses(console, data, *impl_->molecules);
    return;
  }
  say_unused(console, data, options.molecules);
  if (data == "-") {
    impl_->graphs = std::make_unique<GraphReader>(standard_input(), kStandardInput, impl_->within);
  } else {
    impl_->graphs = std::make_unique<GraphReader>(data, impl_->within);
  }
}

DataReader::~DataReader() = default;

std::optional<DataBlock> DataReader::next(bool reads_ahead) {
  std::optional<DataBlock> block = impl_->next(reads_ahead);
  if (block) name_labels(block->graphs, impl_->names);
  return block;
}

bool DataReader::skip() {
  const std::size_t count = impl_->molecules ? impl_->molecules->skip() : impl_->graphs->skip();
  if (impl_->molecules) impl_->bytes_read = impl_->molecules->bytes_read();
  impl_->rows += count;
  impl_->skipped += count;
  return count > 0;
}

bool DataReader::has_status() const {
  return impl_->molecules != nullptr;
}

const RunOptions& DataReader::run() const {
  return impl_->within;
}

void DataReader::say_errors() const {
  if (!impl_->molecules) return;
  impl_->bad.say(impl_->console);
  impl_->console.add_to_result("errors", impl_->bad.json());
}

}  // namespace gckn::cli
