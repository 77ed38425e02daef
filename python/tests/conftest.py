# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import signal

import pytest

import gckn

# Where tests run in the background, Ctrl-C is ignored, and so it would be in what they try with it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

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
