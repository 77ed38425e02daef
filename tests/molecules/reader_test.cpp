// SPDX-License-Identifier: BSD-3-Clause
// Files of molecules as people have them, and as they should not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "gckn/error.h"
#include "gckn/molecules.h"
#include "support/files.h"
#include "util/random.h"

namespace gckn {
namespace {

MoleculeSet read(const std::string& text, const std::string& name, const MoleculeOptions& options = {}) {
  std::istringstream stream(text);
  MoleculeReader reader(stream, name, options);
  return reader.rest();
}

std::vector<std::string> ids_of(const MoleculeSet& set) {
  std::vector<std::string> ids;
  for (const MoleculeRow& row : set.rows) ids.push_back(row.id);
  return ids;
}

std::vector<std::string> names_of_atoms(const MoleculeSet& set, std::size_t graph = 0) {
  std::vector<std::string> names;
  for (std::uint32_t u = set.graphs.graph_begin(graph); u < set.graphs.graph_begin(graph + 1); ++u) {
    names.push_back(set.graphs.node_label_names()[set.graphs.node_labels()[u]]);
  }
  return names;
}

std::string error_of(const std::string& text, const std::string& name, const MoleculeOptions& options = {}) {
  try {
    read(text, name, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

using Strings = std::vector<std::string>;

TEST(MoleculeCsv, ColumnsAreFoundByTheirNames) {
  const MoleculeSet set = read("name,SMILES,active\nethanol,CCO,yes\nwater,O,no\n", "a.csv");
  EXPECT_EQ(ids_of(set), (Strings{"ethanol", "water"}));
  EXPECT_EQ(set.graphs.num_graphs(), 2U);
  EXPECT_EQ(names_of_atoms(set), (Strings{"C", "C", "O"}));
  EXPECT_EQ(set.graphs.edge_label_names(), (Strings{"single"}));
  EXPECT_EQ(set.graphs.targets().class_names, (Strings{"no", "yes"}));
  EXPECT_EQ(set.graphs.targets().class_of_graph, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(set.graphs.molecules(), MoleculeReading{});
}

TEST(MoleculeCsv, SeparatorsQuotesLineEndsAndMarks) {
  const Strings texts{
      "smiles,id,y\nCCO,a b,1\nC,\"c,\"\"d\"\"\",0\n",
      "\xEF\xBB\xBFsmiles,id,y\r\nCCO,a b,1\r\n\"C\",\"c,\"\"d\"\"\",0\r\n",
      "smiles\tid\ty\nCCO\ta b\t1\nC\tc,\"d\"\t0",
      "smiles;id;y\n CCO ; a b ;1\nC;c,\"d\"; 0\n\n\n",
      "\n\nsmiles,note,id,y\nCCO,\"two\nlines\",a b,1\nC,,\"c,\"\"d\"\"\",0\n",
  };
  for (const std::string& text : texts) {
    MoleculeOptions options;
    options.columns.targets = {"y"};
    const MoleculeSet set = read(text, "a.csv", options);
    EXPECT_EQ(ids_of(set), (Strings{"a b", "c,\"d\""})) << text;
    EXPECT_EQ(set.graphs.num_graphs(), 2U) << text;
    EXPECT_EQ(set.graphs.targets().class_of_graph, (std::vector<std::int32_t>{1, 0})) << text;
  }
}

TEST(MoleculeCsv, TargetsAreClassesNumbersOrManyWithMissingValues) {
  MoleculeOptions options;
  options.columns.targets = {"a"};
  const std::string text = "smiles,a,b\nC,1.5,0\nCC,NaN,\nCCC,-2,1\n";
  MoleculeSet set = read(text, "a.csv", options);
  EXPECT_EQ(set.graphs.targets().kind, Targets::Kind::numbers);
  EXPECT_EQ(set.graphs.targets().numbers[0], 1.5);
  EXPECT_TRUE(std::isnan(set.graphs.targets().numbers[1]));
  options.columns.targets = {"b", "a"};
  set = read(text, "a.csv", options);
  EXPECT_EQ(set.graphs.targets().column_names, (Strings{"b", "a"}));
  EXPECT_EQ(set.graphs.targets().numbers[1], 1.5);
  options.columns.targets = {"none"};
  EXPECT_EQ(read(text, "a.csv", options).graphs.targets().kind, Targets::Kind::none);
  // Nothing but 0 and 1 in all others: all of them.
  set = read("smiles,a,b\nC,1,0\nCC,0,\n", "a.csv");
  EXPECT_EQ(set.graphs.targets().column_names, (Strings{"a", "b"}));
  EXPECT_EQ(read(text, "a.csv").graphs.targets().kind, Targets::Kind::none);
}

TEST(MoleculeCsv, NamesAsPeopleWriteThem) {
  MoleculeSet set = read("Molecule ChEMBL ID;Molecule Name;Canonical Smiles;pIC50\nCHEMBL1;\"a;b\";CCO;5\n", "a.csv");
  EXPECT_EQ(ids_of(set), (Strings{"a;b"}));
  EXPECT_EQ(set.graphs.targets().kind, Targets::Kind::none);
  MoleculeOptions options;
  options.columns.id = "label";
  options.columns.targets = {};
  set = read("smiles,label,x\nCCO,n1,0.5\nC,n2,1.5\n", "a.csv", options);
  EXPECT_EQ(ids_of(set), (Strings{"n1", "n2"}));
  EXPECT_EQ(set.graphs.targets().column_names, (Strings{"x"}));
  options.columns.targets = {"x", " x"};
  EXPECT_NE(error_of("smiles,label,x\nCCO,n1,0.5\n", "a.csv", options).find("is named twice"), std::string::npos);
  options.columns.targets = {"smiles"};
  EXPECT_NE(error_of("smiles,label,x\nCCO,n1,0.5\n", "a.csv", options).find("that of SMILES"), std::string::npos);
  // Line ends within names and notes.
  set = read("smiles,name,note\nCCO,\"two\nlines\",\"a\n\nb\"\nC,x,y\n", "a.csv");
  EXPECT_EQ(ids_of(set), (Strings{"two lines", "x"}));
}

TEST(MoleculeCsv, TargetsOfAModelAreTakenWhereTheyAre) {
  MoleculeOptions options;
  options.columns.known_targets = MoleculeColumns::Known{{"y", "z"}, false};
  MoleculeSet set = read("smiles,mw,z\nCCO,46,1.5\nC,16,>10\n", "a.csv", options);
  EXPECT_EQ(set.graphs.targets().column_names, (Strings{"z"}));
  EXPECT_EQ(set.graphs.targets().numbers[0], 1.5);
  EXPECT_TRUE(std::isnan(set.graphs.targets().numbers[1]));
  EXPECT_EQ(read("smiles,mw\nCCO,46\n", "a.csv", options).graphs.targets().kind, Targets::Kind::none);
  options.columns.known_targets = MoleculeColumns::Known{{"z"}, true};
  set = read("smiles,mw,z\nCCO,46,\nC,16,\n", "a.csv", options);
  EXPECT_EQ(set.graphs.targets().kind, Targets::Kind::classes);
  EXPECT_EQ(set.graphs.targets().class_of_graph, (std::vector<std::int32_t>{-1, -1}));
}

std::vector<std::string> guesses_of(const std::string& text, const std::string& name,
                                    const MoleculeOptions& options = {}) {
  std::istringstream stream(text);
  return MoleculeReader(stream, name, options).guesses();
}

TEST(MoleculeCsv, TruthIsAColumnOfAtomNumbersAndNoTarget) {
  const std::string text = "smiles,Truth\nCCO,2 0| 1\nCC,\nC,NA\n[H]OC,0\t1\n";
  const MoleculeSet set = read(text, "a.csv");
  EXPECT_EQ(set.graphs.truth(), (std::vector<NodeTruth>{{{0, 2}, {1}}, {}, {}, {{0, 1}}}));
  EXPECT_EQ(set.graphs.targets().kind, Targets::Kind::none);
  EXPECT_EQ(guesses_of(text, "a.csv"),
            (Strings{"SMILES are in column 'smiles'", "which atoms matter is in column 'Truth'"}));
  MoleculeOptions options;
  options.columns.truth = "none";
  EXPECT_TRUE(read(text, "a.csv", options).graphs.truth().empty());
  options.columns.truth = "why";
  EXPECT_NE(error_of(text, "a.csv", options).find("has no column 'why'"), std::string::npos);
  EXPECT_EQ(read("smiles,why,y\nCC,1,0\nC,0,1\n", "a.csv", options).graphs.truth(),
            (std::vector<NodeTruth>{{{1}}, {{0}}}));
  EXPECT_NE(error_of("C\n", "a.smi", options).find("no columns to choose"), std::string::npos);
  options.columns.targets = {"why"};
  EXPECT_NE(error_of("smiles,why\nCC,1\n", "a.csv", options).find("'why' is that of the atoms that matter"),
            std::string::npos);
  // A target that somebody has called so.
  options.columns.truth = "";
  options.columns.targets = {"truth"};
  const MoleculeSet classes = read("smiles,truth\nCC,7\nC,8\n", "a.csv", options);
  EXPECT_EQ(classes.graphs.targets().class_names, (Strings{"7", "8"}));
  EXPECT_TRUE(classes.graphs.truth().empty());
  EXPECT_EQ(classes.graphs.num_graphs(), 2U);
}

TEST(MoleculeCsv, ClassesCalledTruthAreLeftAside) {
  for (const std::string text : {"smiles,truth\nCC,yes\nC,no\n", "smiles,truth\nCC,0\nC,1\n"}) {
    const MoleculeSet set = read(text, "a.csv");
    EXPECT_TRUE(set.graphs.truth().empty()) << text;
    EXPECT_EQ(set.graphs.num_graphs(), 2U) << text;
    EXPECT_EQ(set.graphs.targets().kind, Targets::Kind::none) << text;
    EXPECT_EQ(guesses_of(text, "a.csv").back(), "column 'truth' holds no numbers of atoms and is left aside") << text;
  }
}

TEST(MoleculeCsv, ATruthThatNamesNoAtomIsTheFaultOfItsRow) {
  const MoleculeSet set = read(
      "id,smiles,truth\n1,CCO,0 1 3\n2,CCO,2\n3,CCO,-1\n4,CCO,1 x\n5,CCO,1||2\n6,CCO,|\n7,C(,1\n"
      "8,CCO,99999999999999999999\n9,CC,1 0\n",
      "a.csv");
  const Strings reasons{"there is no atom 3 among 3 atoms, numbered from 0",
                        "",
                        "there is no atom -1",
                        "'x' is no number of an atom",
                        "an alternative without atoms",
                        "an alternative without atoms",
                        "SMILES Parse Error",
                        "'99999999999999999999' is no number of an atom",
                        ""};
  ASSERT_EQ(set.rows.size(), reasons.size());
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    EXPECT_EQ(set.rows[i].error.empty(), reasons[i].empty()) << i;
    EXPECT_NE(set.rows[i].error.find(reasons[i]), std::string::npos) << i << ": " << set.rows[i].error;
  }
  EXPECT_EQ(set.graphs.truth(), (std::vector<NodeTruth>{{{2}}, {{0, 1}}}));
  EXPECT_EQ(set.graph_of_row[8], 1U);
}

TEST(Molecules, TruthFollowsItsAtomsIntoFragmentsAndPastHydrogens) {
  MoleculeOptions options;
  options.reading.largest_fragment = true;
  options.reading.hydrogens = true;
  const std::string text = "smiles,truth\n[Na+].CC(=O)[O-],1 4|0 1|3\nO,0\n";
  const MoleculeSet set = read(text, "a.csv", options);
  EXPECT_EQ(set.graphs.truth(), (std::vector<NodeTruth>{{{0, 3}, {2}}, {{0}}}));
  EXPECT_EQ(names_of_atoms(set, 0).at(3), "O");
  EXPECT_NE(read("smiles,truth\n[Na+].CC,3\nC,0\n", "a.csv", options).rows[0].error.find("among 3 atoms"),
            std::string::npos);
}

// Published data: the atoms that make the label of each molecule true are those of a benzene ring.
TEST(Molecules, TruthOfABenchmarkIsRingsOfSixCarbons) {
  const std::filesystem::path file = std::filesystem::path(GCKN_TEST_DATASETS_DIR) / "explain" / "benzene.csv";
  GCKN_SKIP_WITHOUT_DATASETS();
  const MoleculeSet set = read_molecules(file);
  const GraphSet& graphs = set.graphs;
  ASSERT_EQ(graphs.num_graphs(), 12'000U);
  ASSERT_EQ(graphs.truth().size(), graphs.num_graphs());
  EXPECT_EQ(graphs.targets().class_names, (Strings{"0", "1"}));
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    EXPECT_EQ(!graphs.truth()[g].empty(), graphs.targets().class_of_graph[g] == 1) << g;
    for (const std::vector<std::uint32_t>& nodes : graphs.truth()[g]) {
      for (const std::uint32_t node : nodes) {
        const std::uint32_t u = graphs.graph_begin(g) + node;
        ASSERT_EQ(graphs.node_label_names()[graphs.node_labels()[u]], "C") << g;
        const auto in_motif = [&](std::uint32_t v) {
          return std::ranges::binary_search(nodes, v - graphs.graph_begin(g));
        };
        ASSERT_GE(std::ranges::count_if(graphs.neighbours(u), in_motif), 2) << g;
      }
    }
  }
}

TEST(MoleculeCsv, WrongColumnsAreNamed) {
  EXPECT_NE(error_of("a,b\nC,1\n", "a.csv").find("a.csv: none of its columns is called smiles; there is a, b"),
            std::string::npos);
  EXPECT_NE(error_of("smiles,smiles\nC,1\n", "a.csv").find("several columns called 'smiles'"), std::string::npos);
  MoleculeOptions options;
  options.columns.smiles = "x";
  EXPECT_NE(error_of("a,b\nC,1\n", "a.csv", options).find("has no column 'x'; there is a, b"), std::string::npos);
  EXPECT_NE(error_of("x,x\nC,1\n", "a.csv", options).find("has 2 columns called 'x'"), std::string::npos);
  options.columns.targets = {"y"};
  EXPECT_NE(error_of("x,y\nC,1.5\nCC,high\n", "a.csv", options).find("a.csv:3: y of row 2: \"high\" is not a number"),
            std::string::npos)
      << error_of("x,y\nC,1.5\nCC,high\n", "a.csv", options);
  EXPECT_NE(error_of("", "a.csv").find("is empty"), std::string::npos);
  EXPECT_NE(error_of("smiles\n", "a.csv").find("holds no molecules"), std::string::npos);
}

TEST(MoleculeCsv, DecimalCommasAreNoClasses) {
  const std::string error = error_of("smiles;y\nC;1\nCC;0,5\n", "x.csv");
  EXPECT_NE(error.find("x.csv:3: y of row 2: \"0,5\" has a decimal comma"), std::string::npos) << error;
  EXPECT_EQ(read("smiles;y\nC;a,b\nCC;c\n", "x.csv").graphs.targets().kind, Targets::Kind::classes);
}

TEST(MoleculeReader, PassesOverTheRowsThatItWouldRead) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += i % 3 == 0 ? "CCO\n" : i % 3 == 1 ? "no molecule\n" : "c1ccccc1\n";
  std::istringstream all(text);
  std::istringstream some(text);
  MoleculeReader reader(all, "all.smi", {});
  MoleculeReader skipping(some, "some.smi", {});
  std::size_t blocks = 0;
  while (const std::optional<MoleculeSet> set = reader.next()) {
    if (blocks++ % 2 == 0) {
      EXPECT_EQ(skipping.skip(), set->rows.size());
    } else {
      const MoleculeSet same = skipping.next().value();
      EXPECT_EQ(same.rows.front().number, set->rows.front().number);
      EXPECT_EQ(same.graph_of_row, set->graph_of_row);
    }
  }
  EXPECT_GT(blocks, 2U);
  EXPECT_EQ(skipping.skip(), 0U);
}

TEST(MoleculeCsv, ARowThatIsNoMoleculeHasAReason) {
  const std::string text = "id,smiles\n1,CCO\n2,C(\n3,CC(C)(C)(C)C\n\n5,\n6\n7,\"CC\n8,CC,O\n9,c1cccc1\n" +
                           std::string("10,C\0C\n", 7) + "11,C\n";
  const MoleculeSet set = read(text, "a.csv");
  ASSERT_EQ(set.rows.size(), 11U);
  EXPECT_EQ(ids_of(set), (Strings{"1", "2", "3", "", "5", "6", "7", "8", "9", "10", "11"}));
  EXPECT_EQ(set.graphs.num_graphs(), 2U);
  EXPECT_EQ(set.graph_of_row[0], 0U);
  EXPECT_EQ(set.graph_of_row[10], 1U);
  const Strings reasons{"",
                        "SMILES Parse Error",
                        "Explicit valence",
                        "empty line",
                        "no SMILES",
                        "1 field where the header has 2",
                        "a quote that is not closed",
                        "3 fields where the header has 2",
                        "Can't kekulize",
                        "byte 0",
                        ""};
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    EXPECT_EQ(set.rows[i].error.empty(), reasons[i].empty()) << i;
    EXPECT_NE(set.rows[i].error.find(reasons[i]), std::string::npos) << i << ": " << set.rows[i].error;
    EXPECT_EQ(set.rows[i].number, i + 1);
    EXPECT_EQ(set.rows[i].line, i + 2);
  }
}

TEST(MoleculeCsv, TenThousandRowsLineUpWhateverIsWrongWithSomeOfThem) {
  Random random(5);
  const Strings molecules{"CCO", "c1ccccc1", "CC(=O)O", "C1CCCCC1N", "CC(C)(C)Cl"};
  std::string text = "id,smiles,y\n";
  std::set<std::size_t> broken;
  while (broken.size() < 500) broken.insert(random.below(10'000));
  for (std::size_t i = 0; i < 10'000; ++i) {
    const std::string id = "m" + std::to_string(i);
    const std::string& smiles = molecules[random.below(molecules.size())];
    if (!broken.contains(i)) {
      text += random.below(2) == 0 ? id + "," + smiles + ",1\n" : "\"" + id + "\",\"" + smiles + "\",0\r\n";
      continue;
    }
    const Strings faults{id + ",C(C,1",
                         id + ",,1",
                         "",
                         id,
                         id + ",\"CC,1",
                         id + ",CC\",1",
                         id + ",\"CC\"x,1",
                         id + ",CC,1,extra",
                         id + ",xyz,0",
                         id + std::string(",C\0C,1", 6),
                         "   ",
                         id + ",CC(C)(C)(C)C,1"};
    text += faults[random.below(faults.size())] + "\n";
  }
  std::istringstream stream(text);
  MoleculeReader reader(stream, "a.csv", {});
  std::size_t row = 0;
  while (const auto block = reader.next()) {
    std::uint32_t graphs = 0;
    for (std::size_t i = 0; i < block->rows.size(); ++i, ++row) {
      const MoleculeRow& found = block->rows[i];
      EXPECT_EQ(found.number, row + 1);
      EXPECT_EQ(found.error.empty(), !broken.contains(row)) << row << ": " << found.error;
      const bool nameless = broken.contains(row) && found.id.empty();
      EXPECT_TRUE(found.id == "m" + std::to_string(row) || (nameless && found.error == "empty line")) << row;
      EXPECT_EQ(block->graph_of_row[i], found.error.empty() ? graphs++ : MoleculeSet::kNone);
    }
    EXPECT_EQ(block->graphs.num_graphs(), graphs);
  }
  EXPECT_EQ(row, 10'000U);
}

TEST(MoleculeSmi, NamesHeadersAndEmptyLines) {
  const MoleculeSet set = read("smiles name\nCCO ethyl alcohol\n\nC\tmethane\nN\n\n\n", "a.smi");
  EXPECT_EQ(ids_of(set), (Strings{"ethyl alcohol", "", "methane", ""}));
  EXPECT_EQ(set.rows[1].error, "empty line");
  EXPECT_EQ(set.graphs.num_graphs(), 3U);
  MoleculeOptions options;
  options.columns.targets = {"y"};
  EXPECT_NE(error_of("C\n", "a.smi", options).find("no columns to choose"), std::string::npos);
}

std::string methanol_record(const std::string& title, const std::string& activity) {
  return title +
         "\n  test\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n"
         "    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\n"
         "    1.4000    0.0000    0.0000 O   0  0  0  0  0  0  0  0  0  0  0  0\n"
         "  1  2  1  0  0  0  0\nM  END\n> <activity>\n" +
         activity + "\n\n>  <other>\nsome text\n\n$$$$\n";
}

TEST(MoleculeSdf, BlocksPropertiesAndAFileThatIsCut) {
  const std::string whole = methanol_record("one", "5.5") + methanol_record("two", "") + methanol_record("", "7");
  MoleculeOptions options;
  options.columns.targets = {"activity"};
  const MoleculeSet set = read(whole, "a.sdf", options);
  EXPECT_EQ(ids_of(set), (Strings{"one", "two", ""}));
  EXPECT_EQ(names_of_atoms(set, 2), (Strings{"C", "O"}));
  EXPECT_EQ(set.graphs.targets().numbers[2], 7);
  EXPECT_TRUE(std::isnan(set.graphs.targets().numbers[1]));
  for (std::size_t size = 1; size < whole.size(); size += 7) {
    const MoleculeSet cut = read(whole.substr(0, size), "a.sdf", {});
    const auto records =
        std::min<std::size_t>(2, static_cast<std::size_t>(size / methanol_record("one", "5.5").size()));
    ASSERT_GE(cut.rows.size(), std::max<std::size_t>(records, 1)) << size;
    for (std::size_t i = 0; i + 1 < cut.rows.size(); ++i) EXPECT_EQ(cut.rows[i].error, "") << size;
    const MoleculeRow& last = cut.rows.back();
    EXPECT_TRUE(last.error.empty() || last.error == "the file ends within this record") << last.error;
  }
  std::string with_truth = methanol_record("one", "1");
  with_truth.replace(with_truth.find("<other>\nsome text"), 17, "<truth>\n0 1");
  const MoleculeSet known = read(with_truth + methanol_record("two", "2"), "a.sdf");
  EXPECT_EQ(known.graphs.truth(), (std::vector<NodeTruth>{{{0, 1}}, {}}));
  const std::string broken =
      methanol_record("one", "1") + "two\n\n\nnonsense\nM  END\n$$$$\n" + methanol_record("three", "2");
  const MoleculeSet faulty = read(broken, "a.sdf");
  EXPECT_EQ(ids_of(faulty), (Strings{"one", "two", "three"}));
  EXPECT_NE(faulty.rows[1].error, "");
  EXPECT_EQ(faulty.graphs.num_graphs(), 2U);
}

TEST(Molecules, RichAtomsHydrogensAndFragments) {
  MoleculeOptions rich;
  rich.reading.atoms = MoleculeReading::Atoms::rich;
  EXPECT_EQ(names_of_atoms(molecules_of_smiles({"C[n+]1ccccc1"}, rich)),
            (Strings{"CH3", "N+ aromatic", "CH aromatic", "CH aromatic", "CH aromatic", "CH aromatic", "CH aromatic"}));
  EXPECT_EQ(names_of_atoms(molecules_of_smiles({"C1CC1[O-]"}, rich)),
            (Strings{"CH2 ring", "CH2 ring", "CH ring", "O-"}));
  EXPECT_EQ(names_of_atoms(molecules_of_smiles({"[Ca+2]"}, rich)), (Strings{"Ca2+"}));
  MoleculeOptions hydrogens;
  hydrogens.reading.hydrogens = true;
  EXPECT_EQ(names_of_atoms(molecules_of_smiles({"CO"}, hydrogens)), (Strings{"C", "O", "H", "H", "H", "H"}));
  EXPECT_EQ(molecules_of_smiles({"[Na+].CC(=O)[O-]"}).graphs.num_nodes(), 5U);
  MoleculeOptions largest;
  largest.reading.largest_fragment = true;
  EXPECT_EQ(names_of_atoms(molecules_of_smiles({"[Na+].CC(=O)[O-]"}, largest)), (Strings{"C", "C", "O", "O"}));
  const MoleculeSet bonds = molecules_of_smiles({"C=CC#Cc1ccccc1"});
  EXPECT_EQ(bonds.graphs.edge_label_names(), (Strings{"single", "double", "triple", "aromatic"}));
}

TEST(Molecules, TextThatLooksLikeSmilesIsNotCutSilently) {
  for (const std::string text : {"CC\xe2\x80\x93O", "CC\xc2\xa0O", "C\xd0\xa1", "CC O", "CC\tO", "CC\x80"}) {
    const MoleculeSet set = molecules_of_smiles({text});
    EXPECT_EQ(set.rows[0].error, "has a blank or a character that SMILES do not have") << text;
  }
  const MoleculeSet long_reason = molecules_of_smiles({"c1" + std::string(3000, 'c') + "1"});
  EXPECT_LT(long_reason.rows[0].error.size(), 250U);
}

TEST(Molecules, OneAtomAndTenThousand) {
  EXPECT_EQ(molecules_of_smiles({"C"}).graphs.num_edges(), 0U);
  const MoleculeSet chain = molecules_of_smiles({std::string(10'000, 'C'), std::string(100'000, '(')});
  EXPECT_EQ(chain.graphs.num_nodes(), 10'000U);
  EXPECT_EQ(chain.rows[0].error, "");
  EXPECT_NE(chain.rows[1].error, "");
}

TEST(Molecules, CanonicalSmilesScaffoldsAndFingerprints) {
  MoleculeOptions options;
  options.canonical_smiles = true;
  const MoleculeSet set = molecules_of_smiles({"OCC", "CCO", "c1ccccc1CCN"}, options);
  EXPECT_EQ(set.graphs.smiles()[0], set.graphs.smiles()[1]);
  EXPECT_EQ(scaffolds({"CCO", "c1ccccc1CCN", "C1CC1Cc1ccccc1O"}), (Strings{"", "c1ccccc1", "c1ccc(CC2CC2)cc1"}));
  const Matrix prints = morgan_fingerprints({"CCO", "OCC", "CCCCCCCCCC"});
  ASSERT_EQ(prints.cols(), 2048U);
  EXPECT_TRUE(std::ranges::equal(prints.values().subspan(0, 2048), prints.values().subspan(2048, 2048)));
  EXPECT_GT(*std::ranges::max_element(prints.values()), 4);  // counts, not bits
}

TEST(Molecules, PackedFilesAndTruncatedOnes) {
  const test::TempDir folder;
  const std::string plain = folder.write("a.smi", "CCO x\nC y\n").string();
  ASSERT_EQ(std::system(("gzip -k " + plain).c_str()), 0);
  const std::string packed = plain + ".gz";
  EXPECT_TRUE(is_molecule_file(packed));
  EXPECT_EQ(ids_of(read_molecules(packed)), (Strings{"x", "y"}));
  EXPECT_EQ(read_molecules(packed).graphs.name(), "a");
  std::filesystem::resize_file(packed, std::filesystem::file_size(packed) - 12);
  EXPECT_THROW(read_molecules(packed), InputError);
  const auto zip = [&](const test::Files& files) { return folder.write_zip("some.smi.zip", files); };
  EXPECT_EQ(ids_of(read_molecules(zip({{"README.txt", "text"}, {"__MACOSX/._b.smi", "junk"}, {"b.smi", "C z\n"}}))),
            (Strings{"z"}));
  EXPECT_EQ(ids_of(read_molecules(zip({{"in/b.csv", "smiles,id\nC,q\n"}}))), (Strings{"q"}));
  EXPECT_THROW(read_molecules(zip({{"a.smi", "C\n"}, {"b.smi", "C\n"}})), InputError);
  EXPECT_THROW(read_molecules(zip({{"a.txt", "C\n"}})), InputError);
  EXPECT_TRUE(is_molecule_file("A.CSV"));
  EXPECT_FALSE(is_molecule_file("NCI1.zip"));
  EXPECT_FALSE(is_molecule_file("graphs.jsonl"));
  EXPECT_TRUE(is_molecule_file("zinc.smi.zip"));
  EXPECT_THROW(read_molecules(folder.path() / "missing.csv"), InputError);
}

TEST(Molecules, ThreadsChangeNothing) {
  Strings smiles;
  for (int i = 0; i < 300; ++i) smiles.push_back("C" + std::string(static_cast<std::size_t>(i % 40), 'C') + "O");
  RunOptions one;
  one.threads = 1;
  RunOptions three;
  three.threads = 3;
  const GraphSet a = molecules_of_smiles(smiles, {}, one).graphs;
  const GraphSet b = molecules_of_smiles(smiles, {}, three).graphs;
  EXPECT_TRUE(std::ranges::equal(a.node_labels(), b.node_labels()));
  EXPECT_TRUE(std::ranges::equal(a.arcs(), b.arcs()));
}

}  // namespace
}  // namespace gckn
