# SPDX-License-Identifier: BSD-3-Clause
import pathlib

import pytest

import gckn

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared"


@pytest.fixture(scope="session")
def motif():
    return gckn.datasets.motif(graphs=120, seed=1)


@pytest.fixture(scope="session")
def datasets():
    """The benchmark sets, which lie beside the project where it is developed."""
    if not (SHARED / "datasets").is_dir():
        pytest.skip("the benchmark sets (../shared/datasets) are not here")
    return SHARED / "datasets"
