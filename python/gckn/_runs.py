# SPDX-License-Identifier: BSD-3-Clause
"""How long calls run: threads, progress, limits."""

from __future__ import annotations

import os
import sys
import time
from numbers import Integral
from typing import Any, Callable, Optional

Progress = Callable[[str, int, int], None]
Run = tuple[int, Optional[Progress], Optional[int]]


def num_threads(n_jobs: int | None) -> int:
    """As scikit-learn counts: -1 all cores, -2 all but one. None: OMP_NUM_THREADS, which joblib sets for its workers,
    or else all cores."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        given = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, int(given)) if given.isdigit() and int(given) > 0 else cores
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral):
        raise TypeError(f"n_jobs is a whole number or None, and not {n_jobs!r}")
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning: -1 is all cores, 1 is one of them")
    # More threads than cores would only stand in each other's way.
    return min(int(n_jobs), cores) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))


class _Bar:
    """One bar (tqdm's, where it is installed) or a line now and then on stderr."""

    def __init__(self) -> None:
        self.stage = ""
        self.bar: Any = None
        self.said = 0.0
        try:
            from tqdm.auto import tqdm

            self.tqdm: Any = tqdm
        except ImportError:
            self.tqdm = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self.tqdm is None:
            if time.monotonic() - self.said > 5:
                self.said = time.monotonic()
                print(f"gckn: {stage}: {done} of {total}", file=sys.stderr, flush=True)
            return
        if stage != self.stage or self.bar is None or self.bar.total != total:
            if self.bar is not None:
                self.bar.close()
            self.bar = self.tqdm(total=total, desc=stage, leave=False)
            self.stage = stage
        self.bar.update(done - self.bar.n)
        if done >= total:
            self.bar.close()
            self.bar = None


def make_run(
    n_jobs: int | None = None, verbose: int = 0, progress: Progress | None = None, max_paths: int | None = None
) -> Run:
    if max_paths is not None and (not isinstance(max_paths, Integral) or not 0 <= max_paths < 2**64):
        raise ValueError(f"max_paths is a whole number from 0, or None, and not {max_paths!r}")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is a function of stage, done and total, or None, and not {progress!r}")
    limit = None if max_paths is None else int(max_paths)
    return (num_threads(n_jobs), progress if progress is not None else _Bar() if verbose else None, limit)
