# SPDX-License-Identifier: BSD-3-Clause
"""The notebooks of examples/ run from beginning to end, and are kept without what running them adds."""

import json
import pathlib
import re

import pytest

from gckn import _engine

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb")) if EXAMPLES.is_dir() else []
SECONDS = 120  # for a cell; a whole notebook needs less than twenty


@pytest.fixture(params=NOTEBOOKS or [None], ids=lambda path: path.stem if path else "none")
def notebook(request):
    if request.param is None:
        pytest.skip("the notebooks (examples/) are not here")
    return request.param


def code_of(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def test_it_runs(notebook, tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="nbclient, which runs notebooks, is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat, which reads notebooks, is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel, in which notebooks run, is not installed")
    code = code_of(notebook)
    for module in sorted(set(re.findall(r"^(?:import|from) ([\w.]+)", code, re.MULTILINE))):
        pytest.importorskip(module, reason=f"{module}, which {notebook.name} imports, is not installed")
    if "smiles" in code and not _engine.has_rdkit():
        pytest.skip("the engine was built without RDKit")
    if "results_frame" in code:
        pytest.importorskip("pandas", reason="pandas, which results_frame needs, is not installed")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))  # nothing of the user's own set-up
    content = nbformat.read(notebook, as_version=4)
    nbformat.validate(content)
    where = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(content, timeout=SECONDS, kernel_name="python3", resources=where).execute()


def test_it_is_kept_without_outputs(notebook):
    content = json.loads(notebook.read_text(encoding="utf-8"))
    assert content["nbformat"] == 4
    identifiers = [cell["id"] for cell in content["cells"]]
    assert len(set(identifiers)) == len(identifiers)
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, f"cell {cell['id']}: clear the outputs"
        assert cell["metadata"] == {}, f"cell {cell['id']}: clear the metadata"
