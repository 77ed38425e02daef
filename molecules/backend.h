// SPDX-License-Identifier: BSD-3-Clause
// What of gckn/molecules.h needs RDKit. It is linked, or absent, or, in the command, loaded when it is first needed:
// its libraries would otherwise double the time that every command takes to start.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gckn/molecules.h"

namespace gckn {

struct MoleculeBackend {
  class Reader {
   public:
    virtual ~Reader() = default;
    [[nodiscard]] virtual const std::vector<std::string>& guesses() const = 0;
    virtual std::optional<MoleculeSet> next(std::size_t most_rows) = 0;
    virtual std::size_t skip(std::size_t most_rows) = 0;
    [[nodiscard]] virtual std::uint64_t bytes_read() const = 0;
    [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  };

  std::unique_ptr<Reader> (*open_file)(const std::filesystem::path&, const MoleculeOptions&, const RunOptions&);
  std::unique_ptr<Reader> (*open_stream)(std::istream&, const std::string& name, const MoleculeOptions&,
                                         const RunOptions&);
  MoleculeSet (*molecules_of_smiles)(const std::vector<std::string>&, const MoleculeOptions&, const RunOptions&);
  std::vector<std::string> (*scaffolds)(const std::vector<std::string>&, const RunOptions&);
  Matrix (*morgan_fingerprints)(const std::vector<std::string>&, const MorganOptions&, const RunOptions&);
};

// Pictures apart from reading: drawing needs libraries that take as long to load as all that reading needs.
struct MoleculeDrawing {
  std::vector<std::string> (*draw_molecules)(const std::vector<MoleculeSource>&, const MoleculeReading&,
                                             const std::vector<MoleculeHighlights>&, const RunOptions&);
  std::vector<std::string> (*fragment_smiles)(const std::vector<MoleculeSource>&, const MoleculeReading&,
                                              const std::vector<std::vector<std::uint32_t>>&, const RunOptions&);
};

// Those that there are; null where gckn was built without RDKit. They throw std::runtime_error if they cannot be
// loaded.
const MoleculeBackend* molecule_backend();
const MoleculeDrawing* molecule_drawing();

// With RDKit.
const MoleculeBackend& rdkit_backend();
const MoleculeDrawing& rdkit_drawing();

}  // namespace gckn
