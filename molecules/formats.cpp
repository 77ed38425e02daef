// SPDX-License-Identifier: BSD-3-Clause
#include "formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "gckn/molecules.h"

namespace gckn {

std::string unpacked_name(std::string name) {
  for (const std::string_view suffix : {".gz", ".zip"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  return name;
}

std::optional<MoleculeFormat> molecule_format(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, MoleculeFormat>, 7> kSuffixes{{{".csv", MoleculeFormat::csv},
                                                                                  {".tsv", MoleculeFormat::csv},
                                                                                  {".tab", MoleculeFormat::csv},
                                                                                  {".smi", MoleculeFormat::smi},
                                                                                  {".smiles", MoleculeFormat::smi},
                                                                                  {".sdf", MoleculeFormat::sdf},
                                                                                  {".sd", MoleculeFormat::sdf}}};
  std::string extension = std::filesystem::path(unpacked_name(name)).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [suffix, format] : kSuffixes) {
    if (extension == suffix) return format;
  }
  return std::nullopt;
}

bool is_molecule_file(const std::filesystem::path& path) {
  return molecule_format(path.filename().string()).has_value();
}

}  // namespace gckn
