// SPDX-License-Identifier: BSD-3-Clause
#include "page/drawings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

#include "util/random.h"

namespace gckn {
namespace {

struct Atom {
  double x, y;
  std::string label;  // empty: carbon
  double score;       // -1 to 1
  bool motif;
};

struct Bond {
  std::size_t from, to;
  bool twofold;
};

struct Group {
  const char* name;
  const char* smiles;
  const char* middle;                   // the atom on the ring
  std::array<const char*, 2> branches;  // and those behind it
};

constexpr std::array<Group, 6> kGroups = {{{"nitro group", "[N+](=O)[O-]", "N", {"O", "O"}},
                                           {"amino group", "N", "NH", {nullptr, nullptr}},
                                           {"carboxyl group", "C(=O)O", "", {"O", "OH"}},
                                           {"chlorine", "Cl", "Cl", {nullptr, nullptr}},
                                           {"nitroso group", "N=O", "N", {"O", nullptr}},
                                           {"ethyl group", "CC", "", {"", nullptr}}}};
constexpr std::array<std::array<std::string_view, 2>, 3> kRings = {
    {{"c1ccc(", ")cc1"}, {"c1ccc2cc(", ")ccc2c1"}, {"c1ccc2cc3cc(", ")ccc3cc2c1"}}};

struct Drawing {
  std::vector<Atom> atoms;
  std::vector<Bond> bonds;

  std::size_t add(double x, double y, const char* label, double score, bool motif) {
    atoms.push_back({x, y, label, score, motif});
    return atoms.size() - 1;
  }
};

// A halo in the colour of the score: orange for, blue against.
std::string halo(double score) {
  const int strength = static_cast<int>(std::lround(12 + 78 * std::min(1.0, std::abs(score))));
  return fmt::format("{}\" {}-opacity=\"0.{:02}", score >= 0 ? "#e8710a" : "#2b6cb0", "{}", strength);
}

std::string to_svg(const Drawing& drawing) {
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (const Atom& atom : drawing.atoms) {
    left = std::min(left, atom.x), right = std::max(right, atom.x);
    top = std::min(top, atom.y), bottom = std::max(bottom, atom.y);
  }
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{:.1f} {:.1f} {:.1f} {:.1f}\" "
      "font-family=\"sans-serif\" font-size=\"15\" stroke-linecap=\"round\">",
      left - 26, top - 26, right - left + 52, bottom - top + 52);
  const auto out = std::back_inserter(svg);
  for (const bool outline : {true, false}) {
    for (const Bond& bond : drawing.bonds) {
      const Atom &a = drawing.atoms[bond.from], &b = drawing.atoms[bond.to];
      if (outline && !(a.motif && b.motif)) continue;
      const std::string paint = outline ? "#222" : fmt::format(fmt::runtime(halo((a.score + b.score) / 2)), "stroke");
      fmt::format_to(out, R"(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="{}" stroke-width="{}"/>)", a.x, a.y, b.x,
                     b.y, outline ? "#222" : paint, outline ? 15 : 11);
      if (outline)
        fmt::format_to(out, R"(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="#fff" stroke-width="12"/>)", a.x, a.y,
                       b.x, b.y);
    }
    for (const Atom& atom : drawing.atoms) {
      if (outline && atom.motif)
        fmt::format_to(out,
                       R"(<circle cx="{:.1f}" cy="{:.1f}" r="11.5" fill="#fff" stroke="#222" stroke-width="1.5"/>)",
                       atom.x, atom.y);
      if (!outline)
        fmt::format_to(out, R"(<circle cx="{:.1f}" cy="{:.1f}" r="10" fill="{}"/>)", atom.x, atom.y,
                       fmt::format(fmt::runtime(halo(atom.score)), "fill"));
    }
  }
  for (const Bond& bond : drawing.bonds) {
    const Atom &a = drawing.atoms[bond.from], &b = drawing.atoms[bond.to];
    const double dx = (b.y - a.y) / 12, dy = (a.x - b.x) / 12;
    fmt::format_to(out, R"(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="#222" stroke-width="1.6"/>)", a.x, a.y, b.x,
                   b.y);
    if (bond.twofold)
      fmt::format_to(out, R"(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="#222" stroke-width="1.6"/>)", a.x + dx,
                     a.y + dy, b.x + dx, b.y + dy);
  }
  for (const Atom& atom : drawing.atoms)
    if (!atom.label.empty())
      fmt::format_to(out,
                     R"(<circle cx="{0:.1f}" cy="{1:.1f}" r="8" fill="#fff" fill-opacity="0.75"/>)"
                     R"(<text x="{0:.1f}" y="{2:.1f}" text-anchor="middle">{3}</text>)",
                     atom.x, atom.y, atom.y + 5.3, atom.label);
  return svg + "</svg>";
}

}  // namespace

const char* group_name(int group) {
  return kGroups.at(group).name;
}

MadeUpMolecule make_up_molecule(int rings, int groups, int group, bool rings_in_motif, std::uint64_t seed) {
  Random random(seed);
  const auto number = [&](double low, double high) { return low + (high - low) * random.uniform(); };
  constexpr double kSide = 34, kStep = kSide * 1.7320508;
  Drawing drawing;
  const auto at = [&](double x, double y) {  // the atom of an earlier ring that lies there, or a new one
    for (std::size_t i = 0; i < drawing.atoms.size(); ++i)
      if (std::hypot(drawing.atoms[i].x - x, drawing.atoms[i].y - y) < 1) return i;
    return drawing.add(x, y, random.below(14) == 0 ? "N" : "", rings_in_motif ? number(0.3, 0.8) : number(-0.35, 0.25),
                       rings_in_motif);
  };
  for (int ring = 0; ring < rings; ++ring) {
    std::array<std::size_t, 6> corner{};
    for (int i = 0; i < 6; ++i) {
      const double angle = (i + 0.5) * 1.0471976;
      corner[i] = at(ring * kStep + kSide * std::cos(angle), kSide * std::sin(angle));
    }
    for (int i = 0; i < 6; ++i) {
      const std::size_t a = corner[i], b = corner[(i + 1) % 6];
      const bool there = std::ranges::any_of(drawing.bonds, [&](const Bond& bond) {
        return (bond.from == a && bond.to == b) || (bond.from == b && bond.to == a);
      });
      if (!there) drawing.bonds.push_back({a, b, i % 2 == 0});
    }
  }
  const double middle = (rings - 1) * kStep / 2;
  std::vector<std::size_t> free;  // corners above and below the rings
  for (std::size_t i = 0; i < drawing.atoms.size(); ++i)
    if (std::abs(drawing.atoms[i].y) > kSide * 0.9) free.push_back(i);
  std::string smiles_end, smiles_start;
  for (int i = 0; i < groups && !free.empty(); ++i) {
    const std::size_t pick = random.below(free.size()), root = free[pick];
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(pick));
    const Group& kind = kGroups[i == 0 ? group : random.below(kGroups.size())];
    const double up = drawing.atoms[root].y < 0 ? -1 : 1, x = drawing.atoms[root].x,
                 y = drawing.atoms[root].y + up * kSide;
    const auto score = [&] { return i == 0 ? number(0.5, 1) : number(-0.9, 0.3); };
    const std::size_t joint = drawing.add(x, y, kind.middle, score(), i == 0);
    drawing.bonds.push_back({root, joint, false});
    const double side = x < middle ? -1 : 1;
    for (int branch = 0; branch < 2; ++branch)
      if (kind.branches[branch] != nullptr) {
        const double turn = branch == 0 ? side : -side;
        const std::size_t end =
            drawing.add(x + turn * kSide * 0.866, y + up * kSide * 0.5, kind.branches[branch], score(), i == 0);
        drawing.bonds.push_back({joint, end, branch == 0});
      }
    (i == 0 ? smiles_end : smiles_start) += i == 0 ? kind.smiles : i % 2 == 1 ? "C" : "O";
  }
  const auto& [before, after] = kRings[rings - 1];
  return {fmt::format("{}{}{}{}", smiles_start, before, smiles_end, after), to_svg(drawing)};
}

}  // namespace gckn
