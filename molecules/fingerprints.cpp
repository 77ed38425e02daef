// SPDX-License-Identifier: BSD-3-Clause
#include "fingerprints.h"

#include <DataStructs/SparseIntVect.h>
#include <GraphMol/ChemTransforms/ChemTransforms.h>
#include <GraphMol/Fingerprints/MorganFingerprints.h>
#include <GraphMol/GraphMol.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>

#include <memory>

#include "convert.h"
#include "util/parallel.h"

namespace gckn {

namespace {

constexpr std::size_t kTile = 16;

// Calls body(i, molecule) on all threads, for the texts that are SMILES.
template <typename Body>
void for_molecules(const std::vector<std::string>& smiles, const RunOptions& run, const Body& body) {
  const ThreadScope threads(run);
  prepare_conversion();
  parallel_tiles(smiles.size(), kTile, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::unique_ptr<RDKit::ROMol> molecule(RDKit::SmilesToMol(smiles[i]));
      if (molecule) body(i, *molecule);
    }
  });
}

}  // namespace

std::vector<std::string> find_scaffolds(const std::vector<std::string>& smiles, const RunOptions& run) {
  std::vector<std::string> result(smiles.size());
  for_molecules(smiles, run, [&](std::size_t i, const RDKit::ROMol& molecule) {
    const std::unique_ptr<RDKit::ROMol> scaffold(RDKit::MurckoDecompose(molecule));
    if (scaffold) result[i] = RDKit::MolToSmiles(*scaffold, false);  // as MoleculeNet: without stereo centres
  });
  return result;
}

Matrix find_morgan_fingerprints(const std::vector<std::string>& smiles, const MorganOptions& options,
                                const RunOptions& run) {
  Matrix counts(smiles.size(), options.bits);
  for_molecules(smiles, run, [&](std::size_t i, const RDKit::ROMol& molecule) {
    const std::unique_ptr<RDKit::SparseIntVect<std::uint32_t>> fingerprint(
        RDKit::MorganFingerprints::getHashedFingerprint(molecule, options.radius, options.bits));
    for (const auto& [bit, count] : fingerprint->getNonzeroElements()) counts(i, bit) = static_cast<float>(count);
  });
  return counts;
}

}  // namespace gckn
