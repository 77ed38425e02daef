# SPDX-License-Identifier: BSD-3-Clause
"""Python can end while its other threads are in the engine."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

BEGIN = """
import threading, time
import gckn
graphs = gckn.datasets.motif(graphs=600)
"""
HOURS = "gckn.GCKNClassifier(supervised=True, epochs=1_000_000, path_length=3, n_jobs=1).fit(graphs)"
IN_A_THREAD = f"""
threading.Thread(target=lambda: {HOURS}, daemon=True).start()
time.sleep(0.7)
"""
AGAIN_AND_AGAIN = """
def work():
    while True:
        gckn.GCKNTransformer(path_length=1, filters=4, n_jobs=1).fit_transform(graphs[:20])
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.7)
"""
JOBLIB = f"""
import joblib
print("ready", flush=True)
joblib.Parallel(2, backend="threading")(joblib.delayed(lambda: {HOURS})() for _ in range(2))
"""


@contextlib.contextmanager
def started(script):
    with subprocess.Popen(
        [sys.executable, "-c", BEGIN + script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("script", [IN_A_THREAD, AGAIN_AND_AGAIN], ids=["one long call", "many short ones"])
def test_while_a_thread_is_in_the_engine(script):
    with started(script + "print('end', flush=True)") as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "end\n", "")


def test_ctrl_c_among_threads_of_joblib():
    with started(JOBLIB) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode in (1, -signal.SIGINT)  # and not of SIGABRT or SIGSEGV
    assert "KeyboardInterrupt" in err and "terminate" not in err


def test_a_forked_process_waits_for_no_thread_that_it_has_not():
    fork = IN_A_THREAD + (
        "import os, sys\n"
        "child = os.fork()\n"
        "begin = time.monotonic()\n"
        "if child == 0: sys.exit(3)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), time.monotonic() - begin < 5, flush=True)\n"
    )
    with started(fork) as process:
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "3 True\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals as Unix has them")
@pytest.mark.parametrize("work", ["gckn.datasets.motif(3_000_000)", "gckn.GraphSet.from_smiles(['CCO'] * 2_000_000)"])
def test_ctrl_c_while_graphs_are_made(work):
    from gckn import _engine

    if "smiles" in work and not _engine.has_rdkit():
        pytest.skip("the engine was built without RDKit")
    with started(f"import gckn.datasets\nprint('ready', flush=True)\n{work}") as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        took = time.monotonic() - sent
    assert "KeyboardInterrupt" in err and took < 5
