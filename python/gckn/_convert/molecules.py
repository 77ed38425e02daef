# SPDX-License-Identifier: BSD-3-Clause
"""SMILES and RDKit's molecules, read by the engine's own reader, so that labels are those of the command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _engine
from .._runs import make_run
from ..graphs import GraphSet
from .parts import concatenate
from .reading import AS_EVER, PLAIN_MOLECULES, Molecules, Reading

_BLOCK = 2048  # texts between which Ctrl-C is heard


def _require_rdkit() -> None:
    if not _engine.has_rdkit():
        raise ValueError(
            "this gckn was built without RDKit, and reads no molecules: install librdkit-dev and build again"
        )


def _joined(blocks: list[Any], what: Callable[[int], str]) -> GraphSet:
    """what: by number what was read."""
    graph_of_row = np.concatenate([np.asarray(block[1]) for block in blocks])
    bad = np.flatnonzero(graph_of_row < 0)
    if len(bad):
        first = int(bad[0])
        errors = [error for block in blocks for error in block[3]]
        raise ValueError(
            f"graph {first}: {what(first)} is no molecule: {errors[first]} "
            f"({len(bad)} such in all); leave them out, or read a file with gckn.load(…, on_error='skip')"
        )
    return concatenate([GraphSet(block[0]) for block in blocks])


def of_smiles(smiles: list[str], reading: Molecules = PLAIN_MOLECULES, n_jobs: int | None = None) -> GraphSet:
    _require_rdkit()
    if not smiles:
        raise ValueError("the list of graphs is empty")
    for index, text in enumerate(smiles):
        if not isinstance(text, str):
            raise TypeError(f"graph {index}: {text!r} among SMILES, which are texts")
        if not text.isascii():  # none is; and what is no Unicode at all would not reach the engine
            raise ValueError(f"graph {index}: {text!r} is no molecule: SMILES are of ASCII characters")
    run = make_run(n_jobs)
    blocks = [
        _engine.molecules_of_smiles(smiles[begin : begin + _BLOCK], reading, True, run)
        for begin in range(0, len(smiles), _BLOCK)
    ]
    return GraphSet(_joined(blocks, lambda i: repr(smiles[i])), smiles=smiles)


def from_list(graphs: list[Any], reading: Reading = AS_EVER) -> GraphSet:
    return of_smiles(graphs, reading.molecules or PLAIN_MOLECULES)


def from_rdkit(molecules: list[Any], reading: Reading = AS_EVER) -> GraphSet:
    """By way of SDF, which keeps the order of the atoms. Hydrogens that are atoms are left out, as everywhere."""
    _require_rdkit()
    from rdkit import Chem

    blocks = [Chem.MolToMolBlock(molecule, forceV3000=molecule.GetNumAtoms() > 900) for molecule in molecules]
    text = "".join(f"{block}\n$$$$\n" for block in blocks)
    rows = _engine.molecules_of_sdf(text, reading.molecules or PLAIN_MOLECULES, True, make_run())
    return _joined([rows], lambda _: "an RDKit molecule")
