# SPDX-License-Identifier: BSD-3-Clause
"""SMILES and RDKit's molecules, read by the engine's own reader, so that labels are those of the command."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _engine
from .._runs import make_run
from ..graphs import GraphSet

Reading = tuple[str, bool, bool]
_DEFAULT: Reading = ("element", False, False)


def _require_rdkit() -> None:
    if not _engine.has_rdkit():
        raise ValueError(
            "this gckn was built without RDKit, and reads no molecules: install librdkit-dev and build again"
        )


def _checked(rows: Any, texts: list[str] | None, what: str) -> GraphSet:
    graphs, graph_of_row, _, errors, _ = rows
    bad = np.flatnonzero(np.asarray(graph_of_row) < 0)
    if len(bad):
        raise ValueError(
            f"graph {bad[0]}: {what(bad[0]) if callable(what) else what} is no molecule: {errors[bad[0]]} "
            f"({len(bad)} such in all); leave them out, or read a file with gckn.load(…, on_error='skip')"
        )
    return GraphSet(graphs, smiles=texts)


def of_smiles(smiles: list[str], reading: Reading = _DEFAULT, n_jobs: int | None = None) -> GraphSet:
    _require_rdkit()
    if not smiles:
        raise ValueError("the list of graphs is empty")
    for index, text in enumerate(smiles):
        if not isinstance(text, str):
            raise TypeError(f"graph {index}: {text!r} among SMILES, which are texts")
        if not text.isascii():  # none is; and what is no Unicode at all would not reach the engine
            raise ValueError(f"graph {index}: {text!r} is no molecule: SMILES are of ASCII characters")
    rows = _engine.molecules_of_smiles(smiles, reading, True, make_run(n_jobs))
    return _checked(rows, smiles, lambda i: repr(smiles[i]))  # type: ignore[arg-type]


def from_list(graphs: list[Any], reading: Reading | None) -> GraphSet:
    return of_smiles(graphs, reading or _DEFAULT)


def from_rdkit(molecules: list[Any], reading: Reading | None) -> GraphSet:
    """By way of SDF, which keeps the order of the atoms. Hydrogens that are atoms are left out, as everywhere."""
    _require_rdkit()
    from rdkit import Chem

    blocks = [Chem.MolToMolBlock(molecule, forceV3000=molecule.GetNumAtoms() > 900) for molecule in molecules]
    text = "".join(f"{block}\n$$$$\n" for block in blocks)
    rows = _engine.molecules_of_sdf(text, reading or _DEFAULT, True, make_run())
    return _checked(rows, None, "an RDKit molecule")
