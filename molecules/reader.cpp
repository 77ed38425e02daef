// SPDX-License-Identifier: BSD-3-Clause
// Files of molecules to graph sets, block by block.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "backend.h"
#include "convert.h"
#include "fingerprints.h"
#include "formats.h"
#include "gckn/error.h"
#include "gckn/molecules.h"
#include "line_source.h"
#include "records.h"
#include "targets.h"
#include "truth.h"
#include "util/parallel.h"

namespace gckn {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockRows = 8192;
constexpr std::size_t kTileRows = 64;  // that a thread converts at a time

std::string set_name(const std::string& file) {
  return fs::path(unpacked_name(file)).stem().string();
}

struct Converted {
  std::vector<MoleculeRecord> records;
  std::vector<ConvertedMolecule> molecules;  // by record
  std::vector<NodeTruth> truth;              // by record
};

// Converts the records from `first` on, and finds reasons for those that are no molecules.
void convert_from(std::size_t first, const MoleculeOptions& options, Converted& converted) {
  std::vector<MoleculeRecord>& records = converted.records;
  converted.molecules.resize(records.size());
  converted.truth.resize(records.size());
  parallel_tiles(records.size() - first, kTileRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = first + begin; i < first + end; ++i) {
      if (!records[i].row.error.empty()) continue;
      converted.molecules[i] = convert(records[i], options);
      if (converted.molecules[i].failed) continue;
      records[i].row.error = parse_truth(records[i].truth, converted.molecules[i], converted.truth[i]);
    }
  });
  for (std::size_t i = first; i < records.size(); ++i) {
    if (converted.molecules[i].failed) records[i].row.error = reason_for(records[i], options);
    if (!options.keep_sources) records[i].text = {};  // it has done its work
  }
}

MoleculeSet assemble(const std::string& file, Converted& converted, const std::vector<std::string>& target_names,
                     const MoleculeOptions& options) {
  MoleculeSet set;
  GraphSetParts parts;
  parts.name = set_name(file);
  parts.molecules = options.reading;
  std::vector<const MoleculeRecord*> graphs;
  std::uint32_t first_node = 0;
  std::set<std::int64_t> atoms;
  std::set<std::int64_t> bonds;
  bool has_ids = false;
  bool has_truth = false;
  for (std::size_t i = 0; i < converted.records.size(); ++i) {
    MoleculeRecord& record = converted.records[i];
    const ConvertedMolecule& molecule = converted.molecules[i];
    set.rows.push_back(record.row);
    const bool good = record.row.error.empty();
    set.graph_of_row.push_back(good ? static_cast<std::uint32_t>(graphs.size()) : MoleculeSet::kNone);
    if (!good) continue;
    graphs.push_back(&record);
    parts.graph_sizes.push_back(static_cast<std::uint32_t>(molecule.atoms.size()));
    parts.node_labels.insert(parts.node_labels.end(), molecule.atoms.begin(), molecule.atoms.end());
    atoms.insert(molecule.atoms.begin(), molecule.atoms.end());
    for (const auto& [from, to] : molecule.bonds) {
      parts.edge_from.push_back(first_node + from);
      parts.edge_to.push_back(first_node + to);
    }
    parts.edge_labels.insert(parts.edge_labels.end(), molecule.bond_labels.begin(), molecule.bond_labels.end());
    bonds.insert(molecule.bond_labels.begin(), molecule.bond_labels.end());
    parts.ids.push_back(record.row.id);
    has_ids = has_ids || !record.row.id.empty();
    if (options.keep_sources) {
      set.sources.push_back({record.kind == MoleculeRecord::Kind::mol_block, std::move(record.text)});
    }
    if (options.canonical_smiles) parts.smiles.push_back(molecule.smiles);
    parts.truth.push_back(converted.truth[i]);
    has_truth = has_truth || !converted.truth[i].empty();
    first_node += parts.graph_sizes.back();
  }
  if (!has_ids) parts.ids.clear();
  if (!has_truth) parts.truth.clear();
  for (const std::int64_t label : atoms) parts.node_label_names[label] = atom_name(label, options.reading.atoms);
  for (const std::int64_t label : bonds) parts.edge_label_names[label] = bond_name(label);
  parts.targets = targets_of_records(file, target_names, graphs, options.columns.known_targets);
  set.graphs = GraphSet(std::move(parts));
  return set;
}

class FileReader : public MoleculeBackend::Reader {
 public:
  FileReader(std::unique_ptr<LineSource> lines, const MoleculeOptions& options, const RunOptions& run)
      : options_(options), run_(run), lines_(std::move(lines)) {
    const std::optional<MoleculeFormat> format = molecule_format(lines_->name());
    if (!format) {
      throw InputError(
          fmt::format("{}: molecules are read from .csv, .tsv, .smi and .sdf files, also with .gz", lines_->name()));
    }
    records_ = *format == MoleculeFormat::csv   ? read_csv_records(*lines_, options_.columns)
               : *format == MoleculeFormat::smi ? read_smi_records(*lines_, options_.columns)
                                                : read_sdf_records(*lines_, options_.columns);
    prepare_conversion();
  }

  [[nodiscard]] const std::vector<std::string>& guesses() const override { return records_->guesses(); }

  std::optional<MoleculeSet> next(std::size_t most_rows) override {
    const ThreadScope threads(run_);
    Converted converted;
    bool ended = false;
    while (!ended && converted.records.size() < most_rows) {
      const std::size_t first = converted.records.size();
      MoleculeRecord record;
      while (!ended && converted.records.size() < std::min(most_rows, first + kBlockRows)) {
        ended = !records_->next(record);
        if (!ended) converted.records.push_back(std::move(record));
      }
      convert_from(first, options_, converted);
      report_progress(run_, "reading molecules", lines_->bytes_read(), std::max(lines_->bytes(), lines_->bytes_read()));
    }
    if (converted.records.empty() && began_) return std::nullopt;
    if (converted.records.empty()) throw InputError(fmt::format("{}: holds no molecules", lines_->name()));
    began_ = true;
    return assemble(lines_->name(), converted, records_->target_names(), options_);
  }

  std::size_t skip(std::size_t most_rows) override {
    std::size_t rows = 0;
    MoleculeRecord record;
    while (rows < most_rows && records_->next(record)) ++rows;
    began_ = began_ || rows > 0;
    report_progress(run_, "passing over molecules", lines_->bytes_read(),
                    std::max(lines_->bytes(), lines_->bytes_read()));
    return rows;
  }

  [[nodiscard]] std::uint64_t bytes_read() const override { return lines_->bytes_read(); }
  [[nodiscard]] std::uint64_t bytes() const override { return lines_->bytes(); }

 private:
  MoleculeOptions options_;
  RunOptions run_;
  std::unique_ptr<LineSource> lines_;
  std::unique_ptr<RecordReader> records_;
  bool began_ = false;
};

MoleculeSet convert_smiles(const std::vector<std::string>& smiles, const MoleculeOptions& options,
                           const RunOptions& run) {
  const ThreadScope threads(run);
  prepare_conversion();
  Converted converted;
  converted.records.resize(smiles.size());
  for (std::size_t i = 0; i < smiles.size(); ++i) {
    MoleculeRecord& record = converted.records[i];
    record.row.number = i + 1;
    record.row.line = i + 1;
    record.text = trimmed(smiles[i]);
    if (record.text.empty()) record.row.error = "no SMILES";
  }
  convert_from(0, options, converted);
  return assemble("SMILES", converted, {}, options);
}

}  // namespace

const MoleculeBackend& rdkit_backend() {
  static const MoleculeBackend backend{
      [](const fs::path& path, const MoleculeOptions& options,
         const RunOptions& run) -> std::unique_ptr<MoleculeBackend::Reader> {
        return std::make_unique<FileReader>(std::make_unique<LineSource>(path), options, run);
      },
      [](std::istream& stream, const std::string& name, const MoleculeOptions& options,
         const RunOptions& run) -> std::unique_ptr<MoleculeBackend::Reader> {
        return std::make_unique<FileReader>(std::make_unique<LineSource>(stream, name), options, run);
      },
      convert_smiles,
      find_scaffolds,
      find_morgan_fingerprints,
  };
  return backend;
}

}  // namespace gckn
