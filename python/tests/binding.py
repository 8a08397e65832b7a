# SPDX-License-Identifier: BSD-3-Clause
"""Runs small Python programs on several ranks, for the tests of the extension module (test_binding_*.py)."""
import os
import subprocess
import sys
import textwrap
import unittest

from mpi_of_tests import LAUNCHER, PRESETS, ROOT, VARIABLES, build_with

BUILD = build_with("_core")


def missing():
    """Why the tests can't run; empty if they can."""
    if BUILD is None:
        return f"the extension module is not built (tools/build {PRESETS[0]} -DWEFT_PYTHON=ON weft_python)"
    if LAUNCHER is None:
        return "mpirun is not installed"
    try:
        import mpi4py  # noqa: F401
        import numpy  # noqa: F401
    except ImportError as error:
        return f"{error.name} is not installed (tools/setup-python test)"
    return ""


needs_module = unittest.skipIf(missing(), missing())


def environment(**more):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("OMPI_COMM", "PMI", "MPI4PY"))}
    env |= {"PYTHONPATH": str(ROOT / "python"), "WEFT_BUILD": str(BUILD), "WEFT_GIVE_UP_SECONDS": "30", "OPENBLAS_NUM_THREADS": "1",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none", **VARIABLES}
    for key, value in more.items():
        if value is None:
            env.pop(key, None)
        else:
            env[key] = value
    return env


PREFACE = """
import numpy as np
import weft
rank, size = weft.rank(), weft.size()
right, left = (rank + 1) % size, (rank - 1) % size
"""


def run(code, ranks=2, preface=PREFACE, arguments=(), **more):
    """Runs a program on so many ranks (0: without a launcher)."""
    program = preface + textwrap.dedent(code) if "\n" in code else code
    command = [sys.executable, *(["-c", program] if "\n" in program else [program]), *arguments]
    if ranks:
        command = [LAUNCHER, "-n", str(ranks), *command]
    return subprocess.run(command, env=environment(**more), capture_output=True, text=True, timeout=120, cwd=ROOT)


class Case(unittest.TestCase):
    def ok(self, code, ranks=2, **more):
        """The program ends in order, and every rank prints ok. Returns its output."""
        done = run(textwrap.dedent(code) + '\nprint("ok", flush=True)\n', ranks, **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("ok"), max(ranks, 1), done.stdout + done.stderr)
        return done.stdout

    def fails(self, code, message, ranks=2, **more):
        """The program ends with a status other than 0, not by a signal, and prints the message."""
        done = run(code, ranks, **more)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn(message, done.stdout + done.stderr)
        for word in ("Segmentation", "Signal:", "signal 11", "Fatal Python error", "Aborted", "AddressSanitizer", "runtime error:"):
            self.assertNotIn(word, done.stdout + done.stderr)
        return done
