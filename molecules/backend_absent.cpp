// SPDX-License-Identifier: BSD-3-Clause
#include "backend.h"

namespace gckn {

const MoleculeBackend* molecule_backend() {
  return nullptr;
}

const MoleculeDrawing* molecule_drawing() {
  return nullptr;
}

}  // namespace gckn
