// SPDX-License-Identifier: BSD-3-Clause
// Loads the module with RDKit when it is first needed. It lies where it was built or installed, as seen from the
// program.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "backend.h"

namespace gckn {

namespace {

std::filesystem::path module_file() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  constexpr std::array<const char*, 2> kPlaces{GCKN_MODULE_INSTALLED, GCKN_MODULE_BUILT};
  for (const char* place : kPlaces) {
    std::error_code error;
    if (std::filesystem::exists(program / place, error)) return program / place;
  }
  throw std::runtime_error(fmt::format("the part that reads molecules is missing: {}",
                                       (program / kPlaces.front()).lexically_normal().string()));
}

const MoleculeBackend* load() {
  const std::filesystem::path file = module_file();
  void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  using Door = const MoleculeBackend* (*)();
  Door door = nullptr;
  if (module != nullptr) door = reinterpret_cast<Door>(dlsym(module, "gckn_molecule_backend"));
  if (door == nullptr) {
    throw std::runtime_error(fmt::format("the part that reads molecules cannot be loaded: {}", dlerror()));
  }
  return door();
}

}  // namespace

const MoleculeBackend* molecule_backend() {
  static const MoleculeBackend* backend = load();
  return backend;
}

}  // namespace gckn
