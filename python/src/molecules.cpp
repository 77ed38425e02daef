// SPDX-License-Identifier: BSD-3-Clause
// Molecules, where the engine was built with RDKit.
#include "gckn/molecules.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <sstream>
#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "run.h"

namespace gckn::python {
namespace {

MoleculeReading reading_from(const nb::tuple& reading) {
  return {parse_atoms(nb::cast<std::string>(reading[0])), nb::cast<bool>(reading[1]), nb::cast<bool>(reading[2])};
}

// A set, by row its graph or -1, by row its id, by row what is wrong with it, and by graph the text it was read from.
nb::tuple rows_of(MoleculeSet set) {
  std::vector<std::int64_t> graph_of_row;
  std::vector<std::string> ids, errors, sources;
  for (const std::uint32_t g : set.graph_of_row) graph_of_row.push_back(g == MoleculeSet::kNone ? -1 : std::int64_t{g});
  for (MoleculeRow& row : set.rows) {
    ids.push_back(std::move(row.id));
    errors.push_back(std::move(row.error));
  }
  for (MoleculeSource& source : set.sources) sources.push_back(std::move(source.text));
  return nb::make_tuple(std::move(set.graphs), to_array(std::move(graph_of_row)), std::move(ids), std::move(errors),
                        std::move(sources));
}

}  // namespace

void bind_molecules(nb::module_& module) {
  module.def("has_rdkit", &has_rdkit);
  module.def("is_molecule_file", [](const std::filesystem::path& path) { return is_molecule_file(path); });
  module.def("read_molecules", [](const std::filesystem::path& path, const std::string& smiles, const std::string& id,
                                  std::vector<std::string> targets, const nb::tuple& reading, const nb::tuple& run) {
    MoleculeOptions options;
    options.columns.smiles = smiles;
    options.columns.id = id;
    options.columns.targets = std::move(targets);
    options.reading = reading_from(reading);
    options.canonical_smiles = true;
    options.keep_sources = true;
    return rows_of(run_unlocked(run, [&](const RunOptions& how) { return read_molecules(path, options, how); }));
  });
  module.def("molecules_of_smiles", [](const std::vector<std::string>& smiles, const nb::tuple& reading, bool canonical,
                                       const nb::tuple& run) {
    MoleculeOptions options;
    options.reading = reading_from(reading);
    options.canonical_smiles = canonical;
    return rows_of(run_unlocked(run, [&](const RunOptions& how) { return molecules_of_smiles(smiles, options, how); }));
  });
  module.def("molecules_of_sdf",
             [](const std::string& text, const nb::tuple& reading, bool canonical, const nb::tuple& run) {
               MoleculeOptions options;
               options.reading = reading_from(reading);
               options.columns.targets = {"none"};
               options.canonical_smiles = canonical;
               return rows_of(run_unlocked(run, [&](const RunOptions& how) {
                 std::istringstream stream(text);
                 return MoleculeReader(stream, "molecules.sdf", options, how).rest();
               }));
             });
  module.def("scaffolds", [](const std::vector<std::string>& smiles, const nb::tuple& run) {
    return run_unlocked(run, [&](const RunOptions& how) { return scaffolds(smiles, how); });
  });
}

}  // namespace gckn::python
