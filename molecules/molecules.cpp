// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/molecules.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "backend.h"
#include "gckn/error.h"

namespace gckn {

namespace {

// Some thousand: enough that all cores have work, and still little memory.
constexpr std::size_t kBlockRows = 8192;

// What there is with RDKit, or an error about `what`.
template <typename Table>
const Table& given(const Table* table, std::string_view what) {
  if (table == nullptr) {
    throw InputError(
        fmt::format("{}: molecules need RDKit, which this gckn was built without (install librdkit-dev and "
                    "libboost-dev, and build it again)",
                    what));
  }
  return *table;
}

const MoleculeBackend& backend_for(std::string_view what) {
  return given(molecule_backend(), what);
}

}  // namespace

bool has_rdkit() {
  return molecule_backend() != nullptr;
}

struct MoleculeReader::Impl {
  std::unique_ptr<MoleculeBackend::Reader> reader;
};

MoleculeReader::MoleculeReader(const std::filesystem::path& path, const MoleculeOptions& options, const RunOptions& run)
    : impl_(new Impl{backend_for(path.string()).open_file(path, options, run)}) {}

MoleculeReader::MoleculeReader(std::istream& stream, const std::string& name, const MoleculeOptions& options,
                               const RunOptions& run)
    : impl_(new Impl{backend_for(name).open_stream(stream, name, options, run)}) {}

MoleculeReader::~MoleculeReader() = default;

const std::vector<std::string>& MoleculeReader::guesses() const {
  return impl_->reader->guesses();
}

std::optional<MoleculeSet> MoleculeReader::next() {
  return impl_->reader->next(kBlockRows);
}

std::size_t MoleculeReader::skip() {
  return impl_->reader->skip(kBlockRows);
}

MoleculeSet MoleculeReader::rest() {
  return impl_->reader->next(std::numeric_limits<std::size_t>::max()).value();
}

std::uint64_t MoleculeReader::bytes_read() const {
  return impl_->reader->bytes_read();
}

std::uint64_t MoleculeReader::bytes() const {
  return impl_->reader->bytes();
}

MoleculeSet read_molecules(const std::filesystem::path& path, const MoleculeOptions& options, const RunOptions& run) {
  return MoleculeReader(path, options, run).rest();
}

MoleculeSet molecules_of_smiles(const std::vector<std::string>& smiles, const MoleculeOptions& options,
                                const RunOptions& run) {
  return backend_for("SMILES").molecules_of_smiles(smiles, options, run);
}

std::vector<std::string> scaffolds(const std::vector<std::string>& smiles, const RunOptions& run) {
  return backend_for("scaffolds").scaffolds(smiles, run);
}

Matrix morgan_fingerprints(const std::vector<std::string>& smiles, const MorganOptions& options,
                           const RunOptions& run) {
  return backend_for("fingerprints").morgan_fingerprints(smiles, options, run);
}

std::vector<std::string> draw_molecules(const std::vector<MoleculeSource>& molecules, const MoleculeReading& reading,
                                        const std::vector<MoleculeHighlights>& highlights, const RunOptions& run) {
  return given(molecule_drawing(), "pictures").draw_molecules(molecules, reading, highlights, run);
}

std::vector<std::string> fragment_smiles(const std::vector<MoleculeSource>& molecules, const MoleculeReading& reading,
                                         const std::vector<std::vector<std::uint32_t>>& atoms, const RunOptions& run) {
  return given(molecule_drawing(), "fragments").fragment_smiles(molecules, reading, atoms, run);
}

}  // namespace gckn
