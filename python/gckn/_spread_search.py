# SPDX-License-Identifier: BSD-3-Clause
"""cross_validate on the workers of a Dask cluster.

A task is one candidate network (trained end to end: with one penalty) in all folds; the first has the baselines, too.
What it hands back are the lines that the engine would write to its journal. The caller joins them to one journal and
then lets the engine go on with it, which finds everything done and puts the result together: the same as without
workers.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import _engine
from ._runs import make_run
from .evaluation import plan_search
from .graphs import GraphSet

_BEGIN = b'{"gckn_journal"'


class _SharedJournal:
    """A journal as the engine has it (docs/evaluation.md): a line that says what is measured, and one for each result.
    What is there already is kept."""

    def __init__(self, path: str | os.PathLike[str], resume: bool) -> None:
        if os.path.exists(path) and not resume:
            raise ValueError(f"{path} exists: resume to go on with it, or remove it to begin anew")
        self._file = open(path, "a+b")  # noqa: SIM115  (closed by __exit__)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise ValueError(f"{path}: is in use by another run") from None
        self._file.seek(0)
        text = self._file.read()
        if not (text.startswith(_BEGIN) or _BEGIN.startswith(text)):
            self._file.close()
            raise ValueError(f"{path}: is no journal")
        self.known = _whole_lines(text)
        self._file.truncate(len(self.known))  # a line without its end was being written when the run was stopped
        self._header = self.known.partition(b"\n")[0]

    def __enter__(self) -> _SharedJournal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, header: bytes, results: bytes) -> None:
        if not self._header and header:
            self._header = header
            self._file.write(header + b"\n")
        if header != self._header and results:
            raise ValueError("a worker measures something else: has it another version of gckn?")
        self._file.write(results)
        self._file.flush()


def _whole_lines(text: bytes) -> bytes:
    return text[: text.rfind(b"\n") + 1]


def _measure(graphs: GraphSet, options: dict[str, Any], max_paths: int | None, known: bytes) -> tuple[bytes, bytes]:
    """Of a search with these options the first line of its journal, and the results that are not known. One core: a
    worker has as many threads as it is to do tasks at a time."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal"
        journal.write_bytes(known)
        # No network for these graphs, or wrong options: the caller's own search comes to it, and says it.
        with contextlib.suppress(ValueError):
            _engine.cross_validate(
                graphs._set, {**options, "journal": str(journal), "resume": True}, make_run(1, max_paths=max_paths)
            )
        text = _whole_lines(journal.read_bytes())
    header = text.partition(b"\n")[0]
    return header, text[max(len(known), len(header) + 1) :]


def _tasks(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    trained = options.get("supervised")
    baselines = options["baselines"]
    for network in options["networks"]:
        for penalty in trained["penalties"] if trained else [None]:
            task = {**options, "networks": [network], "baselines": baselines}
            if trained:
                task["supervised"] = {**trained, "penalties": [penalty]}
            yield task
            baselines = False


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    client: Any = None,
    journal: str | os.PathLike[str] | None = None,
    resume: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """gckn.cross_validate on the workers of a cluster, to the same result: a task for each candidate.

    client: of distributed; None: the present one. journal: a file here, to which results are added as they come;
    resume=True goes on with it, here or by `gckn cv --resume`. A task that is lost with its worker is done again.
    The other arguments are those of gckn.cross_validate. `paper-repeated` measures what it has chosen here.
    """
    from distributed import as_completed, get_client

    client = get_client() if client is None else client
    search = plan_search(estimator, X, y, **options)
    search.options.update(_engine.candidates(search.graphs._set, search.options))
    _, progress, max_paths = search.run
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal" if journal is None else journal
        with _SharedJournal(path, resume) as joined:
            # By keys of their own: Dask may still be dropping what an earlier search has sent.
            graphs, known = client.scatter([search.graphs, joined.known], broadcast=True, hash=False)
            tasks = list(_tasks(search.options))
            futures = [client.submit(_measure, graphs, task, max_paths, known, pure=False) for task in tasks]
            try:
                for done, (_, found) in enumerate(as_completed(futures, with_results=True), start=1):
                    joined.add(*found)
                    if progress is not None:
                        progress("candidates", done, len(tasks))
            finally:
                client.cancel(futures)
        return search.run_with(path, resume=True)
