// SPDX-License-Identifier: BSD-3-Clause
#include "backend.h"

namespace gckn {

const MoleculeBackend* molecule_backend() {
  return &rdkit_backend();
}

const MoleculeDrawing* molecule_drawing() {
  return &rdkit_drawing();
}

}  // namespace gckn
