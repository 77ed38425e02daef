// SPDX-License-Identifier: BSD-3-Clause
// Pictures of molecules: highlights lie where RDKit has written the atoms that they are about, however they were read.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "gckn/error.h"
#include "gckn/molecules.h"
#include "support/files.h"

namespace gckn {
namespace {

using Texts = std::vector<std::string>;

struct Point {
  double x = 0;
  double y = 0;
};

double distance(const Point& a, const Point& b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

MoleculeSet read_sources(const std::string& text, const std::string& name, const MoleculeReading& reading = {}) {
  MoleculeOptions options;
  options.reading = reading;
  options.keep_sources = true;
  std::istringstream stream(text);
  return MoleculeReader(stream, name, options).rest();
}

// The only node of the first graph that has this name.
std::uint32_t atom_called(const MoleculeSet& set, const std::string& name) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t u = 0; u < set.graphs.graph_begin(1); ++u) {
    if (set.graphs.node_label_names()[set.graphs.node_labels()[u]] == name) found.push_back(u);
  }
  EXPECT_EQ(found.size(), 1U) << name;
  return found.at(0);
}

// Where a text begins in a picture, which must have it once.
Point text_place(const std::string& svg, const std::string& text) {
  const std::regex pattern("<text x=\"([-0-9.]+)[-0-9. ]*\" y=\"([-0-9.]+)\"[^>]*>" + text);
  std::vector<Point> found;
  for (std::sregex_iterator at(svg.begin(), svg.end(), pattern), end; at != end; ++at) {
    found.push_back({std::stod((*at)[1]), std::stod((*at)[2])});
  }
  EXPECT_EQ(found.size(), 1U) << text << " in " << svg;
  return found.at(0);
}

struct Dot {
  Point place;
  std::string colour;
  double width = 0;
};

// Highlighted atoms, in the order of the picture; a path holds those that look alike.
std::vector<Dot> dots_of(const std::string& svg) {
  static const std::regex kPath(R"re(<path stroke="(#[0-9a-f]+)" stroke-width="([0-9.]+)" d="([^"]*)"/>)re");
  static const std::regex kDot(R"re(M(-?[0-9.]+) ?(-?[0-9.]+)h0)re");
  std::vector<Dot> dots;
  for (std::sregex_iterator path(svg.begin(), svg.end(), kPath), end; path != end; ++path) {
    const std::string d = (*path)[3];
    for (std::sregex_iterator dot(d.begin(), d.end(), kDot); dot != end; ++dot) {
      dots.push_back({{std::stod((*dot)[1]), std::stod((*dot)[2])}, (*path)[1], std::stod((*path)[2])});
    }
  }
  return dots;
}

// Highlights one atom, and checks that it is below the text that stands for it.
void expect_highlight_at(const MoleculeSet& set, const MoleculeReading& reading, const std::string& name) {
  SCOPED_TRACE(name);
  ASSERT_EQ(set.sources.size(), set.graphs.num_graphs());
  MoleculeHighlights highlights;
  highlights.atoms.resize(set.graphs.graph_begin(1));
  highlights.atoms[atom_called(set, name)] = 1;
  const std::string svg = draw_molecules({set.sources[0]}, reading, {highlights}).at(0);
  const std::vector<Dot> dots = dots_of(svg);
  ASSERT_EQ(dots.size(), 1U) << svg;
  // Texts are placed by the left end of their foot; a bond is 55 long.
  EXPECT_LT(distance(dots[0].place, text_place(svg, name)), 32) << svg;
  EXPECT_EQ(dots[0].colour, "#ed8d3b");
}

TEST(DrawMolecules, HighlightsLieUnderTheirAtoms) {
  const MoleculeSet plain = read_sources("FC(Cl)(Br)CCN\n", "a.smi");
  for (const char* name : {"F", "Cl", "Br", "N"}) expect_highlight_at(plain, {}, name);

  const MoleculeReading with_hydrogens{.hydrogens = true};
  const MoleculeSet hydrogens = read_sources("[H]C(F)(Cl)Br\n", "a.smi", with_hydrogens);
  for (const char* name : {"H", "F", "Cl", "Br"}) expect_highlight_at(hydrogens, with_hydrogens, name);

  // Atoms of the part that is dropped come first and last in the text.
  const MoleculeReading largest{.largest_fragment = true};
  const MoleculeSet salt = read_sources("[Na+].[O-]S(=O)(=O)c1ccc(F)cc1N.O\n", "a.smi", largest);
  for (const char* name : {"S", "F", "N"}) expect_highlight_at(salt, largest, name);

  const MoleculeReading both{.hydrogens = true, .largest_fragment = true};
  const MoleculeSet mixed = read_sources("O.ClC(F)(Br)C(=O)O\n", "a.smi", both);
  for (const char* name : {"H", "F", "Cl", "Br"}) expect_highlight_at(mixed, both, name);
}

// Hydrogens that the block has are no atoms of the graph, which shifts the numbers of those behind them.
constexpr const char* kMolBlock = R"(fluorochloromethanol
  gckn

  6  5  0  0  0  0  0  0  0  0999 V2000
    0.0000    1.0000    0.0000 H   0  0
    0.0000    0.0000    0.0000 C   0  0
   -1.3000   -0.7500    0.0000 F   0  0
    1.3000   -0.7500    0.0000 O   0  0
    2.6000    0.0000    0.0000 H   0  0
    0.0000   -1.5000    0.0000 Cl  0  0
  2  1  1  0
  2  3  1  0
  2  4  1  0
  4  5  1  0
  2  6  1  0
M  END
$$$$
)";

TEST(DrawMolecules, MolBlocksKeepTheirNumbers) {
  const MoleculeSet set = read_sources(kMolBlock, "a.sdf");
  ASSERT_TRUE(set.sources.at(0).is_mol_block);
  for (const char* name : {"F", "O", "Cl"}) expect_highlight_at(set, {}, name);
  const MoleculeReading hydrogens{.hydrogens = true};
  const MoleculeSet full = read_sources(kMolBlock, "a.sdf", hydrogens);
  for (const char* name : {"F", "O", "Cl"}) expect_highlight_at(full, hydrogens, name);
}

TEST(DrawMolecules, BondsAndMotifs) {
  const MoleculeSource source{false, "FCCCl"};
  MoleculeHighlights highlights;
  highlights.atoms = {1, 0, 0, -1};
  highlights.atom_in_motif = {1, 1, 0, 0};
  highlights.bonds = {{1, 0}, {2, 3}};
  highlights.bond_scores = {0.5, -0.5};
  highlights.bond_in_motif = {1, 0};
  const std::string svg = draw_molecules({source}, {}, {highlights}).at(0);
  const std::vector<Dot> dots = dots_of(svg);
  // Cl in blue; the outline, dark and white, of two atoms; F in orange.
  ASSERT_EQ(dots.size(), 6U) << svg;
  EXPECT_EQ(dots[0].colour, "#5589c0");
  EXPECT_EQ(dots[1].colour + dots[2].colour, "#222#222");
  EXPECT_EQ(dots[3].colour + dots[4].colour, "#fff#fff");
  EXPECT_GT(dots[1].width, dots[3].width);
  EXPECT_EQ(dots[5].colour, "#ed8d3b");
  EXPECT_EQ(distance(dots[5].place, dots[1].place), 0);
  // The bond between both atoms of the motif has a colour and an outline, the other one a colour.
  const auto line = [](const Point& a, const Point& b) {
    std::ostringstream path;
    path << "M" << a.x << (a.y < 0 ? "" : " ") << a.y << "L" << b.x << (b.y < 0 ? "" : " ") << b.y;
    return path.str();
  };
  const std::string in_motif = line(dots[1].place, dots[2].place);
  std::size_t found = 0;
  for (std::size_t at = svg.find("d=\"" + in_motif + "\"/>"); at != std::string::npos;
       at = svg.find("d=\"" + in_motif + "\"/>", at + 1)) {
    ++found;
  }
  EXPECT_EQ(found, 3U) << svg;
  std::ostringstream end;
  end << "L" << dots[0].place.x << (dots[0].place.y < 0 ? "" : " ") << dots[0].place.y << "\"/>";
  EXPECT_NE(svg.find(end.str()), std::string::npos) << svg;
}

TEST(DrawMolecules, SameBytesForAnyNumberOfThreads) {
  std::vector<MoleculeSource> sources;
  std::vector<MoleculeHighlights> highlights;
  for (int i = 1; i < 120; ++i) {
    sources.push_back({false, std::string(static_cast<std::size_t>(i % 30 + 1), 'C') + "c1ccc(C#N)nc1[N+](=O)[O-]"});
    MoleculeHighlights marks;
    marks.atoms.resize(static_cast<std::size_t>(i % 30 + 12));
    for (std::size_t a = 0; a < marks.atoms.size(); ++a) marks.atoms[a] = std::sin(static_cast<double>(a) + i);
    highlights.push_back(marks);
  }
  RunOptions one;
  one.threads = 1;
  RunOptions three;
  three.threads = 3;
  const Texts pictures = draw_molecules(sources, {}, highlights, one);
  EXPECT_EQ(pictures, draw_molecules(sources, {}, highlights, three));
  EXPECT_EQ(pictures[0], draw_molecules({sources[0]}, {}, {highlights[0]}).at(0));
  for (const std::string& picture : pictures) EXPECT_FALSE(picture.empty());
}

TEST(DrawMolecules, WhatCannotBeDrawnIsEmpty) {
  const Texts pictures = draw_molecules({{false, "C"},
                                         {false, "this is none"},
                                         {false, ""},
                                         {true, "nor this"},
                                         {false, std::string(10000, 'C')},
                                         {false, "O"}},
                                        {});
  ASSERT_EQ(pictures.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(pictures[i].empty(), i != 0 && i != 5) << i;
  EXPECT_TRUE(draw_molecules({}, {}).empty());
  EXPECT_TRUE(draw_molecules({{false, std::string(401, 'C')}}, {}).at(0).empty());
  EXPECT_FALSE(draw_molecules({{false, std::string(400, 'C')}}, {}).at(0).empty());
}

TEST(DrawMolecules, AnyScoresGiveAPicture) {
  const double infinity = std::numeric_limits<double>::infinity();
  MoleculeHighlights highlights;
  highlights.atoms = {std::nan(""), infinity, -infinity, 1e300};
  highlights.bonds = {{0, 1}};
  highlights.bond_scores = {std::nan("")};
  const std::string svg = draw_molecules({{false, "CCCC"}}, {}, {highlights}).at(0);
  EXPECT_EQ(dots_of(svg).size(), 3U) << svg;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(DrawMolecules, HighlightsThatDoNotFitAreRefused) {
  const auto message = [](const MoleculeHighlights& highlights) -> std::string {
    try {
      (void)draw_molecules({{false, "C"}, {false, "CCO"}}, {}, {{}, highlights});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({.atoms = {1, 2}}), "molecule 1: 2 atoms are highlighted of a molecule that has 3");
  EXPECT_EQ(message({.atom_in_motif = {1}}), "molecule 1: 1 atoms are highlighted of a molecule that has 3");
  EXPECT_EQ(message({.bonds = {{0, 2}}}), "molecule 1: there is no bond between atoms 0 and 2");
  EXPECT_EQ(message({.bonds = {{0, 3}}}), "molecule 1: there is no bond between atoms 0 and 3");
  EXPECT_EQ(message({.bonds = {{0, 1}}, .bond_scores = {1, 1}}),
            "molecule 1: bonds and what is to be shown of them differ in number");
  EXPECT_EQ(message({.atoms = {1, 0, 0}, .bonds = {{1, 0}}}), "");
  EXPECT_THROW((void)draw_molecules({{false, "C"}}, {}, {{}, {}}), UsageError);
}

// A file may say how an atom is to be called, in any words.
TEST(DrawMolecules, TextOfFilesIsEscaped) {
  const std::string block = R"(name
  <script>

  2  1  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 R1  0  0
    1.5000    0.0000    0.0000 C   0  0
  1  2  1  0
A    1
</text><script>&"
M  END
)";
  for (const MoleculeSource& source : {MoleculeSource{true, block}, MoleculeSource{false, "[*:1]C[13CH3]"}}) {
    const std::string svg = draw_molecules({source}, {}).at(0);
    ASSERT_FALSE(svg.empty());
    EXPECT_EQ(svg.find("<script"), std::string::npos) << svg;
    static const std::regex kTag(R"re(</?(svg|g|path|text)( [a-zA-Z-]+="[^"<>]*")*/?>)re");
    EXPECT_EQ(std::regex_replace(svg, kTag, "").find_first_of("<>"), std::string::npos) << svg;
  }
}

TEST(DrawMolecules, PicturesAreSmall) {
  const MoleculeSource imatinib{false, "Cc1ccc(NC(=O)c2ccc(CN3CCN(C)CC3)cc2)cc1Nc1nccc(-c2cccnc2)n1"};
  EXPECT_LT(draw_molecules({imatinib}, {}).at(0).size(), 2000U);
  MoleculeHighlights highlights;
  for (int a = 0; a < 37; ++a) highlights.atoms.push_back(std::sin(a));
  highlights.atom_in_motif.assign(37, 1);
  EXPECT_LT(draw_molecules({imatinib}, {}, {highlights}).at(0).size(), 5000U);
}

// The configuration of a double bond is that of the text: cis has both ends on one side.
TEST(DrawMolecules, IsomersDiffer) {
  const auto difference_of_heights = [](const char* smiles) {
    const std::string svg = draw_molecules({{false, smiles}}, {}).at(0);
    return std::abs(text_place(svg, "F").y - text_place(svg, "Br").y);
  };
  EXPECT_LT(difference_of_heights("F/C=C\\Br"), 10);
  EXPECT_GT(difference_of_heights("F/C=C/Br"), 10);
}

TEST(FragmentSmiles, NamesGroups) {
  const MoleculeSource nitrobenzene{false, "c1ccccc1[N+](=O)[O-]"};
  const MoleculeSource nitromethane{false, "[O-][N+](=O)C"};
  const Texts nitro = fragment_smiles({nitrobenzene, nitromethane, nitrobenzene, nitromethane}, {},
                                      {{6, 7, 8}, {2, 1, 0}, {0, 1, 2, 3, 4, 5}, {}});
  EXPECT_EQ(nitro, (Texts{"O=[N+][O-]", "O=[N+][O-]", "c1ccccc1", ""}));
  // As the graph is numbered: of the largest fragment, with hydrogens behind the others.
  EXPECT_EQ(fragment_smiles({{false, "[Na+].CC(F)Cl"}}, {.hydrogens = true, .largest_fragment = true}, {{1, 2, 7}}),
            Texts{"[H]CF"});
  EXPECT_EQ(fragment_smiles({{false, "none"}, {false, std::string(2000, 'C')}}, {}, {{0}, {0}}), (Texts{"", ""}));
  EXPECT_THROW((void)fragment_smiles({{false, "CC"}}, {}, {{2}}), UsageError);
  EXPECT_THROW((void)fragment_smiles({{false, "CC"}}, {}, {}), UsageError);
}

TEST(MoleculeSources, AreKeptIfAskedFor) {
  const MoleculeSet set = read_sources("smiles,y\nCC,1\nnone,0\n O ,1\n", "a.csv");
  ASSERT_EQ(set.sources.size(), 2U);
  EXPECT_EQ(set.sources[0].text, "CC");
  EXPECT_EQ(set.sources[1].text, "O");
  EXPECT_FALSE(set.sources[0].is_mol_block);
  MoleculeOptions options;
  EXPECT_TRUE(molecules_of_smiles({"CC"}, options).sources.empty());
  options.keep_sources = true;
  EXPECT_EQ(molecules_of_smiles({"CC"}, options).sources.at(0).text, "CC");
}

}  // namespace
}  // namespace gckn
