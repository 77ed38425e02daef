// SPDX-License-Identifier: BSD-3-Clause
// Loads the modules with RDKit when they are first needed. They lie where they were built or installed, as seen from
// the program.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "backend.h"

namespace gckn {

namespace {

// A module and what it is for.
struct Module {
  const char* file;
  const char* door;  // the function that gives its table
  const char* use;
};
constexpr Module kReading{"gckn_molecules" GCKN_MODULE_SUFFIX, "gckn_molecule_backend", "reads"};
constexpr Module kDrawing{"gckn_drawing" GCKN_MODULE_SUFFIX, "gckn_molecule_drawing", "draws"};

std::filesystem::path place_of(const Module& module) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  constexpr std::array<const char*, 2> kPlaces{GCKN_MODULES_INSTALLED, GCKN_MODULES_BUILT};
  for (const char* place : kPlaces) {
    std::error_code error;
    if (std::filesystem::exists(program / place / module.file, error)) return program / place / module.file;
  }
  throw std::runtime_error(fmt::format("the part that {} molecules is missing: {}", module.use,
                                       (program / kPlaces.front() / module.file).lexically_normal().string()));
}

template <typename Table>
const Table* load(const Module& module) {
  void* library = dlopen(place_of(module).c_str(), RTLD_NOW | RTLD_LOCAL);
  using Door = const Table* (*)();
  Door door = nullptr;
  if (library != nullptr) door = reinterpret_cast<Door>(dlsym(library, module.door));
  if (door == nullptr) {
    throw std::runtime_error(fmt::format("the part that {} molecules cannot be loaded: {}", module.use, dlerror()));
  }
  return door();
}

}  // namespace

const MoleculeBackend* molecule_backend() {
  static const MoleculeBackend* backend = load<MoleculeBackend>(kReading);
  return backend;
}

const MoleculeDrawing* molecule_drawing() {
  static const MoleculeDrawing* drawing = load<MoleculeDrawing>(kDrawing);
  return drawing;
}

}  // namespace gckn
