// SPDX-License-Identifier: BSD-3-Clause
// The door of the first module that backend_late.cpp loads.
#include "backend.h"

extern "C" const gckn::MoleculeBackend* gckn_molecule_backend() {
  return &gckn::rdkit_backend();
}
