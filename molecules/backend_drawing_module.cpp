// SPDX-License-Identifier: BSD-3-Clause
// The door of the second module that backend_late.cpp loads.
#include "backend.h"

extern "C" const gckn::MoleculeDrawing* gckn_molecule_drawing() {
  return &gckn::rdkit_drawing();
}
