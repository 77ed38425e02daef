// SPDX-License-Identifier: BSD-3-Clause
#include "convert.h"

#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/GraphMol.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/PeriodicTable.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <RDGeneral/RDLog.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <sstream>

namespace gckn {

namespace {

using Mol = std::unique_ptr<RDKit::RWMol>;

// A rich label, from the lowest bits: element, hydrogens, charge + 8, aromatic, ring.
constexpr int kElementBits = 8;
constexpr int kHydrogenBits = 4;
constexpr int kChargeBits = 4;
constexpr int kChargeOffset = 8;

std::int64_t rich_label(const RDKit::Atom& atom) {
  const auto hydrogens = static_cast<std::int64_t>(std::min(atom.getTotalNumHs(true), (1U << kHydrogenBits) - 1));
  const std::int64_t charge = std::clamp(atom.getFormalCharge(), -kChargeOffset, kChargeOffset - 1) + kChargeOffset;
  const bool in_ring = atom.getIsAromatic() || atom.getOwningMol().getRingInfo()->numAtomRings(atom.getIdx()) > 0;
  std::int64_t label = in_ring ? 1 : 0;
  label = label * 2 + (atom.getIsAromatic() ? 1 : 0);
  label = (label << kChargeBits) + charge;
  label = (label << kHydrogenBits) + hydrogens;
  return (label << kElementBits) + atom.getAtomicNum();
}

// 0 is what a pattern has in the place of an atom.
std::string symbol(int element) {
  return element == 0 ? "*" : RDKit::PeriodicTable::getTable()->getElementSymbol(element);
}

constexpr std::array<const char*, 8> kBondNames{"other",    "single",    "double", "triple",
                                                "aromatic", "quadruple", "dative", "zero"};

std::int64_t bond_label(const RDKit::Bond& bond) {
  switch (bond.getBondType()) {
    case RDKit::Bond::SINGLE:
      return 1;
    case RDKit::Bond::DOUBLE:
      return 2;
    case RDKit::Bond::TRIPLE:
      return 3;
    case RDKit::Bond::AROMATIC:
      return 4;
    case RDKit::Bond::QUADRUPLE:
      return 5;
    case RDKit::Bond::DATIVE:
    case RDKit::Bond::DATIVEL:
    case RDKit::Bond::DATIVER:
    case RDKit::Bond::DATIVEONE:
      return 6;
    case RDKit::Bond::ZERO:
      return 7;
    default:
      return 0;
  }
}

// RDKit stops reading at some bytes that no SMILES has, and takes what stands before them for the whole.
bool has_strange_bytes(const MoleculeRecord& record) {
  return record.kind == MoleculeRecord::Kind::smiles &&
         std::ranges::any_of(record.text, [](char c) { return c <= ' ' || c > '~'; });
}

Mol parse(const MoleculeRecord& record) {
  Mol molecule;
  if (has_strange_bytes(record)) return molecule;
  if (record.kind == MoleculeRecord::Kind::mol_block) {
    molecule.reset(RDKit::MolBlockToMol(record.text, false, false));
  } else {
    RDKit::SmilesParserParams parameters;
    parameters.parseName = false;
    parameters.sanitize = false;
    parameters.removeHs = false;
    molecule.reset(RDKit::SmilesToMol(record.text, parameters));
  }
  if (molecule) RDKit::MolOps::removeHs(*molecule, false, false, true);
  return molecule;
}

// Without stereochemistry, isotopes and atom numbers: equal where the graphs are. Large molecules, on which it would
// take too long, are known by their text alone.
std::string canonical_smiles(const RDKit::RWMol& molecule, const MoleculeRecord& record) {
  constexpr unsigned kMostAtoms = 1000;
  if (molecule.getNumAtoms() > kMostAtoms) return record.text;
  return RDKit::MolToSmiles(molecule, false);
}

// numbers: by atom of the part the number it has in the molecule.
Mol largest_fragment(const RDKit::RWMol& molecule, std::vector<std::uint32_t>& numbers) {
  std::vector<std::vector<int>> atoms;
  const std::vector<boost::shared_ptr<RDKit::ROMol>> parts =
      RDKit::MolOps::getMolFrags(molecule, true, nullptr, &atoms);
  const auto largest = std::ranges::max_element(parts, {}, [](const auto& part) { return part->getNumAtoms(); });
  const std::vector<int>& kept = atoms[static_cast<std::size_t>(largest - parts.begin())];
  numbers.assign(kept.begin(), kept.end());
  return std::make_unique<RDKit::RWMol>(**largest);
}

}  // namespace

std::unique_ptr<RDKit::RWMol> parse_as_asked(const MoleculeRecord& record, const MoleculeReading& reading,
                                             ConvertedMolecule* result) {
  Mol molecule = parse(record);
  if (!molecule || molecule->getNumAtoms() == 0) return molecule;
  if (reading.largest_fragment) {
    std::vector<std::uint32_t> numbers;
    const std::size_t whole_size = molecule->getNumAtoms();
    molecule = largest_fragment(*molecule, numbers);
    if (result != nullptr) {
      result->whole_size = whole_size;
      result->number_in_whole = std::move(numbers);
    }
  }
  if (reading.hydrogens) RDKit::MolOps::addHs(*molecule);
  return molecule;
}

void prepare_conversion() {
  MoleculeRecord record;
  record.text = "C[N+]1=CC=CC=C1.Cl";
  MoleculeOptions options;
  options.canonical_smiles = true;
  (void)convert(record, options);
}

ConvertedMolecule convert(const MoleculeRecord& record, const MoleculeOptions& options) {
  ConvertedMolecule result;
  try {
    const Mol molecule = parse_as_asked(record, options.reading, &result);
    if (!molecule || molecule->getNumAtoms() == 0) {
      result.failed = true;
      return result;
    }
    const bool rich = options.reading.atoms == MoleculeReading::Atoms::rich;
    result.atoms.reserve(molecule->getNumAtoms());
    for (const RDKit::Atom* atom : molecule->atoms()) {
      result.atoms.push_back(rich ? rich_label(*atom) : atom->getAtomicNum());
    }
    result.bonds.reserve(molecule->getNumBonds());
    result.bond_labels.reserve(molecule->getNumBonds());
    for (const RDKit::Bond* bond : molecule->bonds()) {
      result.bonds.emplace_back(bond->getBeginAtomIdx(), bond->getEndAtomIdx());
      result.bond_labels.push_back(bond_label(*bond));
    }
    if (options.canonical_smiles) result.smiles = canonical_smiles(*molecule, record);
  } catch (const std::exception&) {  // of many kinds; reason_for() says what it was
    result = {};
    result.failed = true;
  }
  return result;
}

std::string reason_for(const MoleculeRecord& record, const MoleculeOptions& options) {
  if (has_strange_bytes(record)) return "has a blank or a character that SMILES do not have";
  std::ostringstream log;
  std::string reason;
  const auto before = rdErrorLog;
  rdErrorLog = std::make_shared<boost::logging::rdLogger>(&log);
  try {
    const Mol molecule = parse_as_asked(record, options.reading);
    if (molecule && molecule->getNumAtoms() == 0) reason = "has no atoms";
  } catch (const std::exception& error) {
    reason = error.what();
  }
  rdErrorLog = before;
  if (reason.empty()) reason = log.str();
  // The first line of what RDKit says, without its time stamp.
  std::string_view first = std::string_view(reason).substr(0, reason.find('\n'));
  if (first.starts_with('[')) first = first.substr(std::min(first.find(']') + 1, first.size()));
  first = trimmed(first);
  constexpr std::size_t kLongest = 200;
  if (first.size() > kLongest) return std::string(first.substr(0, kLongest)) + " ...";
  return first.empty() ? "RDKit cannot read it" : std::string(first);
}

std::string atom_name(std::int64_t label, MoleculeReading::Atoms atoms) {
  const auto take = [&](int bits) {
    const std::int64_t value = label & ((std::int64_t{1} << bits) - 1);
    label >>= bits;
    return static_cast<int>(value);
  };
  if (atoms == MoleculeReading::Atoms::element) return symbol(static_cast<int>(label));
  std::string name = symbol(take(kElementBits));
  const int hydrogens = take(kHydrogenBits);
  if (hydrogens > 0) name += hydrogens == 1 ? "H" : fmt::format("H{}", hydrogens);
  const int charge = take(kChargeBits) - kChargeOffset;
  if (charge != 0) {
    if (std::abs(charge) > 1) name += fmt::format("{}", std::abs(charge));
    name += charge > 0 ? '+' : '-';
  }
  const bool aromatic = take(1) != 0;
  const bool in_ring = take(1) != 0;
  return name + (aromatic ? " aromatic" : in_ring ? " ring" : "");
}

std::string bond_name(std::int64_t label) {
  return kBondNames[static_cast<std::size_t>(label)];
}

}  // namespace gckn
