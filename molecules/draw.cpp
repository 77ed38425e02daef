// SPDX-License-Identifier: BSD-3-Clause
// Pictures and SMILES of molecules and of what an explanation says about them. gckn/molecules.h says what they are.
//
// RDKit draws the molecule in black; what is highlighted lies below it and is drawn here: outlines of the motif around
// all of it, and small files. Colour means a score and nothing else, so elements have none.
#include <GraphMol/Depictor/RDDepictor.h>
#include <GraphMol/GraphMol.h>
#include <GraphMol/MolDraw2D/MolDraw2DSVG.h>
#include <GraphMol/MolDraw2D/MolDraw2DUtils.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "backend.h"
#include "convert.h"
#include "gckn/error.h"
#include "report/svg.h"
#include "util/parallel.h"

namespace gckn {

namespace {

using RDGeom::Point2D;

constexpr std::size_t kMoleculesAtATime = 16;
constexpr unsigned kMostAtomsDrawn = 400;  // more cannot be seen, and take long
constexpr unsigned kMostAtomsOfText = 1000;
// Texts that are longer than molecules of so many atoms have are not looked at.
constexpr std::size_t kMostBytesPerAtom = 300;
constexpr std::size_t kMostSmilesBytesPerAtom = 20;

// In units of the picture, of which a bond has about 55: whole numbers are fine enough. A pixel is two of them.
constexpr double kUnitsPerAngstrom = 36;
constexpr double kPixels = 0.5;
constexpr double kAtomWidth = 32;
constexpr double kBondWidth = 18;
constexpr double kOutline = 3;
constexpr double kMargin = 4;
constexpr double kStrongest = 0.8;  // of a colour on which black lines are to be read

MoleculeRecord record_of(const MoleculeSource& source) {
  MoleculeRecord record;
  record.kind = source.is_mol_block ? MoleculeRecord::Kind::mol_block : MoleculeRecord::Kind::smiles;
  record.text = source.text;
  return record;
}

// Nothing if it is no molecule.
std::unique_ptr<RDKit::RWMol> molecule_of(const MoleculeSource& source, const MoleculeReading& reading) {
  try {
    std::unique_ptr<RDKit::RWMol> molecule = parse_as_asked(record_of(source), reading);
    if (molecule && molecule->getNumAtoms() == 0) molecule.reset();
    return molecule;
  } catch (const std::exception&) {  // of many kinds
    return nullptr;
  }
}

[[noreturn]] void throw_misfit(std::size_t molecule, const std::string& what) {
  throw UsageError(fmt::format("molecule {}: {}", molecule, what));
}

void check_atoms(std::size_t i, std::size_t given, unsigned atoms) {
  if (given != 0 && given != atoms) {
    throw_misfit(i, fmt::format("{} atoms are highlighted of a molecule that has {}", given, atoms));
  }
}

// What of a molecule is highlighted, by its atoms and by RDKit's bonds.
struct Marks {
  std::vector<double> atoms, bonds;  // scores as shown
  std::vector<char> atom_in_motif, bond_in_motif;
};

Marks marks_of(std::size_t i, const MoleculeHighlights& highlights, const RDKit::RWMol& molecule) {
  check_atoms(i, highlights.atoms.size(), molecule.getNumAtoms());
  check_atoms(i, highlights.atom_in_motif.size(), molecule.getNumAtoms());
  const std::size_t listed = highlights.bonds.size();
  if ((!highlights.bond_scores.empty() && highlights.bond_scores.size() != listed) ||
      (!highlights.bond_in_motif.empty() && highlights.bond_in_motif.size() != listed)) {
    throw_misfit(i, "bonds and what is to be shown of them differ in number");
  }
  Marks marks{highlights.atoms, std::vector<double>(molecule.getNumBonds()), highlights.atom_in_motif,
              std::vector<char>(molecule.getNumBonds())};
  marks.atoms.resize(molecule.getNumAtoms());
  marks.atom_in_motif.resize(molecule.getNumAtoms());
  for (double& score : marks.atoms) score = shown_score(score);
  for (std::size_t k = 0; k < listed; ++k) {
    const auto& [a, b] = highlights.bonds[k];
    const RDKit::Bond* bond = nullptr;
    if (std::max(a, b) < molecule.getNumAtoms()) bond = molecule.getBondBetweenAtoms(a, b);
    if (bond == nullptr) throw_misfit(i, fmt::format("there is no bond between atoms {} and {}", a, b));
    if (!highlights.bond_scores.empty()) marks.bonds[bond->getIdx()] = shown_score(highlights.bond_scores[k]);
    if (!highlights.bond_in_motif.empty()) marks.bond_in_motif[bond->getIdx()] = highlights.bond_in_motif[k];
  }
  return marks;
}

// Finds the stereochemistry that parse_as_asked() leaves out, so that the picture of one isomer does not show another.
// Hydrogens that were added have no place in space, so coordinates tell nothing then.
void find_stereochemistry(RDKit::RWMol& molecule, const MoleculeReading& reading) {
  if (molecule.getNumConformers() > 0 && !reading.hydrogens) {
    if (molecule.getConformer().is3D()) {
      RDKit::MolOps::assignStereochemistryFrom3D(molecule);
    } else {
      RDKit::MolOps::assignChiralTypesFromBondDirs(molecule);
      RDKit::MolOps::detectBondStereochemistry(molecule);
    }
  }
  RDKit::MolOps::assignStereochemistry(molecule, true, true);
}

struct DrawnMolecule {
  std::string svg;              // as RDKit writes it
  std::vector<Point2D> places;  // of the atoms in it
  double width = 0;
  double height = 0;
};

DrawnMolecule draw_black(RDKit::RWMol& molecule, const MoleculeReading& reading) {
  const unsigned atoms = molecule.getNumAtoms();
  find_stereochemistry(molecule, reading);
  RDDepict::compute2DCoords(molecule, nullptr, true);
  // May add hydrogens at stereo centres; they come behind the others.
  RDKit::MolDraw2DUtils::prepareMolForDrawing(molecule);
  // A picture as large as the molecule is, with letters as text.
  RDKit::MolDraw2DSVG drawer(-1, -1, -1, -1, true);
  RDKit::MolDrawOptions& options = drawer.drawOptions();
  options.prepareMolsBeforeDrawing = false;
  options.includeMetadata = false;
  options.clearBackground = false;
  options.flagCloseContactsDist = -1;
  options.scalingFactor = kUnitsPerAngstrom;
  options.bondLineWidth = 3;
  options.baseFontSize = 0.7;
  RDKit::assignBWPalette(options.atomColourPalette);
  drawer.drawMolecule(molecule);
  drawer.finishDrawing();
  DrawnMolecule drawn{
      drawer.getDrawingText(), {}, static_cast<double>(drawer.width()), static_cast<double>(drawer.height())};
  for (unsigned a = 0; a < atoms; ++a) drawn.places.push_back(drawer.getDrawCoords(static_cast<int>(a)));
  return drawn;
}

// The value of an attribute: name='value'.
std::string_view attribute(std::string_view tag, std::string_view name) {
  const std::string begin = fmt::format(" {}='", name);
  const std::size_t at = tag.find(begin);
  if (at == std::string_view::npos) return {};
  tag.remove_prefix(at + begin.size());
  return tag.substr(0, tag.find('\''));
}

// The value of a property: name:value;
std::string_view property(std::string_view style, std::string_view name) {
  while (!style.empty()) {
    const std::string_view one = style.substr(0, style.find(';'));
    if (one.starts_with(name) && one.substr(name.size()).starts_with(':')) return one.substr(name.size() + 1);
    style.remove_prefix(std::min(one.size() + 1, style.size()));
  }
  return {};
}

double number_in(std::string_view text) {
  return std::strtod(std::string(text).c_str(), nullptr);
}

// The same path with whole numbers and without needless characters.
std::string short_path(std::string_view path) {
  std::string result;
  bool after_number = false;
  while (!path.empty()) {
    const std::size_t length = path.find_first_not_of("-+.0123456789");
    if (length == 0) {
      if (path.front() != ' ' && path.front() != ',') {
        result += path.front();
        after_number = false;
      }
      path.remove_prefix(1);
      continue;
    }
    const std::size_t before = result.size();
    append_number(result, std::round(number_in(path.substr(0, length))));
    if (after_number && result[before] != '-') result.insert(before, 1, ' ');
    after_number = true;
    path.remove_prefix(std::min(length, path.size()));
  }
  return result;
}

// RDKit's drawing in fewer bytes: what looks alike is one path, letters that follow each other are one text.
class Shrunk {
 public:
  explicit Shrunk(std::string_view svg) {
    const std::size_t header = svg.find("<!-- END OF HEADER -->");
    if (header != std::string_view::npos) svg.remove_prefix(header);
    while ((svg = svg.substr(std::min(svg.find('<'), svg.size()))).size() > 1) {
      const std::string_view tag = svg.substr(0, svg.find('>'));
      svg.remove_prefix(tag.size());
      if (tag.starts_with("<path")) take_path(tag);
      if (tag.starts_with("<ellipse")) take_ellipse(tag);
      if (tag.starts_with("<text") && svg.size() > 1) take_letter(tag, svg.substr(1, svg.find("</text>") - 1));
      if (tag.starts_with("<text")) svg.remove_prefix(std::min(svg.find("</text>"), svg.size()));
    }
  }

  [[nodiscard]] std::string write() const {
    std::string svg = "<g stroke=\"#000\" stroke-linejoin=\"round\">";
    for (const auto& [style, path] : paths_) svg += fmt::format("<path {} d=\"{}\"/>", style, path);
    svg += "</g>";
    if (texts_.empty()) return svg;
    const double usual = std::ranges::max_element(texts_, {}, &Letters::size)->size;
    svg += "<g fill=\"#000\" font-family=\"sans-serif\" font-size=\"";
    append_number(svg, usual);
    svg += "\">";
    for (const Letters& letters : texts_) {
      svg += fmt::format("<text x=\"{}\" y=\"", letters.x);
      append_number(svg, letters.y);
      svg += '"';
      if (letters.size != usual) {
        svg += " font-size=\"";
        append_number(svg, letters.size);
        svg += '"';
      }
      svg += fmt::format(">{}</text>", letters.text);
    }
    return svg + "</g>";
  }

 private:
  void take_path(std::string_view tag) {
    const std::string_view style = attribute(tag, "style");
    const std::string_view path = attribute(tag, "d");
    // It mends corners, which round ends of lines do as well.
    if (attribute(tag, "class").empty() && std::ranges::count(path, 'L') == 2) return;
    std::string key = property(style, "fill") == "none" ? "fill=\"none\"" : "";
    const double width = number_in(property(style, "stroke-width"));
    key += key.empty() ? "stroke-width=\"" : " stroke-width=\"";
    append_number(key, width);
    key += '"';
    const std::string_view dashes = property(style, "stroke-dasharray");
    if (!dashes.empty()) key += fmt::format(" stroke-dasharray=\"{}\" stroke-linecap=\"butt\"", xml_escaped(dashes));
    paths_[key] += short_path(path);
  }

  void take_ellipse(std::string_view tag) {
    const double x = std::round(number_in(attribute(tag, "cx")));
    const double y = std::round(number_in(attribute(tag, "cy")));
    const double r = std::max(1.0, std::round(number_in(attribute(tag, "rx"))));
    paths_["stroke-width=\"1\""] +=
        fmt::format("M{} {}a{} {} 0 1 0 {} 0a{} {} 0 1 0 {} 0Z", x - r, y, r, r, 2 * r, r, r, -2 * r);
  }

  void take_letter(std::string_view tag, std::string_view text) {
    const double y = std::round(number_in(attribute(tag, "y")));
    const double size = std::round(number_in(property(attribute(tag, "style"), "font-size")));
    std::string x;
    append_number(x, std::round(number_in(attribute(tag, "x"))));
    const bool is_reference = text == "&lt;" || text == "&gt;" || text == "&amp;" || text == "&quot;";
    // A hyphen is too short for the sign of a charge.
    const std::string letter = is_reference ? std::string(text) : text == "-" ? "−" : xml_escaped(text);
    if (!texts_.empty() && texts_.back().y == y && texts_.back().size == size && text.size() == 1 &&
        texts_.back().of == attribute(tag, "class")) {
      texts_.back().x += ' ' + x;
      texts_.back().text += letter;
    } else {
      texts_.push_back({attribute(tag, "class"), x, y, size, letter});
    }
  }

  struct Letters {
    std::string_view of;  // RDKit's name of the atom
    std::string x;        // of each letter
    double y, size;
    std::string text;
  };
  std::map<std::string, std::string> paths_;  // by how they are drawn
  std::vector<Letters> texts_;
};

// Atoms are dots, lines of no length with round ends: these need fewest bytes.
void append_atom(std::string& path, const Point2D& place) {
  path += 'M';
  append_point(path, std::round(place.x), std::round(place.y));
  path += "h0";
}

void append_bond(std::string& path, const Point2D& from, const Point2D& to) {
  path += 'M';
  append_point(path, std::round(from.x), std::round(from.y));
  path += 'L';
  append_point(path, std::round(to.x), std::round(to.y));
}

// What lies below the drawing: colours outside of the motif, the outline of the motif, and the colours in it.
class Highlights {
 public:
  Highlights(const RDKit::RWMol& molecule, const Marks& marks, const std::vector<Point2D>& places) {
    for (std::size_t k = 0; k < marks.bonds.size(); ++k) {
      const RDKit::Bond* bond = molecule.getBondWithIdx(static_cast<unsigned>(k));
      const Point2D& from = places[bond->getBeginAtomIdx()];
      const Point2D& to = places[bond->getEndAtomIdx()];
      const bool in_motif = marks.bond_in_motif[k] != 0;
      if (in_motif) append_bond(motif_bonds_, from, to);
      if (marks.bonds[k] != 0) append_bond(coloured(in_motif).bonds[marks.bonds[k]], from, to);
    }
    for (std::size_t a = 0; a < places.size(); ++a) {
      const bool in_motif = marks.atom_in_motif[a] != 0;
      if (in_motif) append_atom(motif_atoms_, places[a]);
      if (marks.atoms[a] != 0) append_atom(coloured(in_motif).atoms[marks.atoms[a]], places[a]);
    }
  }

  [[nodiscard]] std::string write() const {
    std::string svg;
    write_colours(svg, outside_);
    for (const auto& [colour, wider] : {std::pair("#222", 2 * kOutline), std::pair("#fff", 0.0)}) {
      write_path(svg, colour, kBondWidth + wider, motif_bonds_);
      write_path(svg, colour, kAtomWidth + wider, motif_atoms_);
    }
    write_colours(svg, inside_);
    return svg;
  }

 private:
  struct Coloured {
    std::map<double, std::string> bonds, atoms;  // paths by score
  };

  Coloured& coloured(bool in_motif) { return in_motif ? inside_ : outside_; }

  static void write_path(std::string& svg, std::string_view colour, double width, const std::string& path) {
    if (!path.empty()) svg += fmt::format("<path stroke=\"{}\" stroke-width=\"{}\" d=\"{}\"/>", colour, width, path);
  }

  static void write_colours(std::string& svg, const Coloured& coloured) {
    for (const auto& [score, path] : coloured.bonds) {
      write_path(svg, score_colour(score, Pale::white, kStrongest), kBondWidth, path);
    }
    for (const auto& [score, path] : coloured.atoms) {
      write_path(svg, score_colour(score, Pale::white, kStrongest), kAtomWidth, path);
    }
  }

  Coloured inside_, outside_;  // of the motif
  std::string motif_bonds_, motif_atoms_;
};

std::string picture_of(RDKit::RWMol& molecule, const MoleculeReading& reading, const Marks& marks) {
  const DrawnMolecule drawn = draw_black(molecule, reading);
  // RDKit knows nothing of what lies below its drawing.
  double left = 0;
  double top = 0;
  double right = drawn.width + kMargin;  // letters may be wider than RDKit thinks
  double bottom = drawn.height;
  constexpr double kAround = kAtomWidth / 2 + kOutline + kMargin;
  for (const Point2D& place : drawn.places) {
    left = std::min(left, std::floor(place.x - kAround));
    top = std::min(top, std::floor(place.y - kAround));
    right = std::max(right, std::ceil(place.x + kAround));
    bottom = std::max(bottom, std::ceil(place.y + kAround));
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{:.0f} {:.0f} {:.0f} {:.0f}\" width=\"{:.0f}\" "
      "height=\"{:.0f}\" stroke-linecap=\"round\" role=\"img\">{}{}</svg>",
      left, top, right - left, bottom - top, kPixels * (right - left), kPixels * (bottom - top),
      Highlights(molecule, marks, drawn.places).write(), Shrunk(drawn.svg).write());
}

// Calls body(i, molecule) on all threads for those that are molecules of at most `most_atoms`.
template <typename Body>
void for_sources(const std::vector<MoleculeSource>& sources, const MoleculeReading& reading, unsigned most_atoms,
                 const RunOptions& run, const char* stage, const Body& body) {
  const ThreadScope threads(run);
  prepare_conversion();
  parallel_tiles(sources.size(), kMoleculesAtATime, run, stage, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t per_atom = sources[i].is_mol_block ? kMostBytesPerAtom : kMostSmilesBytesPerAtom;
      if (sources[i].text.size() > per_atom * most_atoms) continue;
      const std::unique_ptr<RDKit::RWMol> molecule = molecule_of(sources[i], reading);
      if (molecule && molecule->getNumAtoms() <= most_atoms) body(i, *molecule);
    }
  });
}

std::vector<std::string> draw_as_svg(const std::vector<MoleculeSource>& molecules, const MoleculeReading& reading,
                                     const std::vector<MoleculeHighlights>& highlights, const RunOptions& run) {
  if (!highlights.empty() && highlights.size() != molecules.size()) {
    throw UsageError(fmt::format("{} molecules have {} highlights", molecules.size(), highlights.size()));
  }
  std::vector<std::string> pictures(molecules.size());
  const MoleculeHighlights none;
  for_sources(molecules, reading, kMostAtomsDrawn, run, "drawing molecules",
              [&](std::size_t i, RDKit::RWMol& molecule) {
                const Marks marks = marks_of(i, highlights.empty() ? none : highlights[i], molecule);
                try {
                  pictures[i] = picture_of(molecule, reading, marks);
                } catch (const std::exception&) {  // of many kinds: it stays without a picture
                }
              });
  return pictures;
}

std::vector<std::string> find_fragment_smiles(const std::vector<MoleculeSource>& molecules,
                                              const MoleculeReading& reading,
                                              const std::vector<std::vector<std::uint32_t>>& atoms,
                                              const RunOptions& run) {
  if (atoms.size() != molecules.size()) {
    throw UsageError(fmt::format("{} molecules have {} fragments", molecules.size(), atoms.size()));
  }
  std::vector<std::string> result(molecules.size());
  for_sources(molecules, reading, kMostAtomsOfText, run, "writing fragments",
              [&](std::size_t i, const RDKit::RWMol& molecule) {
                for (const std::uint32_t atom : atoms[i]) {
                  if (atom >= molecule.getNumAtoms()) throw_misfit(i, fmt::format("there is no atom {}", atom));
                }
                if (atoms[i].empty()) return;
                const std::vector<int> chosen(atoms[i].begin(), atoms[i].end());
                try {
                  result[i] = RDKit::MolFragmentToSmiles(molecule, chosen, nullptr, nullptr, nullptr, false);
                } catch (const std::exception&) {
                }
              });
  return result;
}

}  // namespace

const MoleculeDrawing& rdkit_drawing() {
  static const MoleculeDrawing drawing{draw_as_svg, find_fragment_smiles};
  return drawing;
}

}  // namespace gckn
