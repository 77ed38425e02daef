// SPDX-License-Identifier: BSD-3-Clause
// gckn without RDKit: molecules are known for what they are, and refused with a word about what is missing.
#include <gtest/gtest.h>

#include <sstream>

#include "gckn/error.h"
#include "gckn/molecules.h"

namespace gckn {
namespace {

template <typename Action>
void expect_refused(const Action& action, const std::string& what) {
  try {
    action();
    FAIL() << what;
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find(what + ": molecules need RDKit"), 0U) << error.what();
  }
}

TEST(WithoutRdkit, MoleculesAreRefusedByName) {
  EXPECT_FALSE(has_rdkit());
  EXPECT_TRUE(is_molecule_file("a.csv.gz"));
  expect_refused([] { (void)read_molecules("a.csv"); }, "a.csv");
  std::istringstream stream("C\n");
  expect_refused([&] { MoleculeReader(stream, "standard input.smi", {}); }, "standard input.smi");
  expect_refused([] { (void)molecules_of_smiles({"C"}); }, "SMILES");
  expect_refused([] { (void)scaffolds({"C"}); }, "scaffolds");
  expect_refused([] { (void)morgan_fingerprints({"C"}); }, "fingerprints");
  expect_refused([] { (void)draw_molecules({{false, "C"}}, {}); }, "pictures");
  expect_refused([] { (void)fragment_smiles({{false, "C"}}, {}, {{0}}); }, "fragments");
}

}  // namespace
}  // namespace gckn
