// SPDX-License-Identifier: BSD-3-Clause
// Loads the module with RDKit, of which the program's run path says where it is, when it is first needed.
#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

#include "backend.h"

namespace gckn {

namespace {

const MoleculeBackend* load() {
  void* module = dlopen(GCKN_MOLECULE_MODULE, RTLD_NOW | RTLD_LOCAL);
  using Door = const MoleculeBackend* (*)();
  Door door = nullptr;
  if (module != nullptr) door = reinterpret_cast<Door>(dlsym(module, "gckn_molecule_backend"));
  if (door == nullptr)
    throw std::runtime_error(fmt::format("the part that reads molecules cannot be loaded: {}", dlerror()));
  return door();
}

}  // namespace

const MoleculeBackend* molecule_backend() {
  static const MoleculeBackend* backend = load();
  return backend;
}

}  // namespace gckn
