#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Bad use gives one sentence and a code in each language: a table of cases and languages. Each entry is run on two ranks.

    table.py FOLDER PYTHON LAUNCHER...

FOLDER has the programs misuse_cpp, misuse_c and misuse_fortran; those that were not built are left out. PYTHON is the folder of the extension
modules' build, or "-".
"""
import concurrent.futures
import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
FOLDER, MODULES, LAUNCHER = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
LANGUAGES = ("cpp", "c", "fortran", "python")

# The errors of ranks 0 and 1 by language.
ERROR = ("weft::Error", "WEFT_ERR", "weft_err", "weft.Error")  # of one rank, as far as weft knows
EVERYWHERE = ("weft::Error", "WEFT_ERR_EVERYWHERE", "weft_err_everywhere", "weft.Error")
PEER = ("weft::PeerError", "WEFT_ERR_PEER", "weft_err_peer", "weft.PeerError")


def each(codes, sentence):
    """The same sentence in each language."""
    return {language: (code, sentence) for language, code in zip(LANGUAGES, codes)}


# Case -> language -> (code, part of the sentence), or why the language has no such case. {other}: the other rank.
TABLE = {
    "wrong_rank_of_array": {
        "cpp": ("weft::Error", "A box has different numbers of extents, first indices and counts. Give one of each per dimension."),
        "c": ("WEFT_ERR", "A box has 65 dimensions. Use 0 to 64."),  # a pointer has no rank; what can be wrong is the number
        "fortran": ("weft_err", "first= or last= has 3 numbers, but the array has rank 1."),
        "python": ("weft.InputError", "Field 0 of a halo has the shape (4), which is not this rank's block")},
    "wrong_kind": {
        "cpp": "SendPart and ReceivePart are types: it does not compile",
        "c": ("WEFT_ERR_HANDLE", "weft_exchange_ready: The part is a receive. Pass a send."),
        "fortran": ("weft_err_handle", "The part is a receive. Pass a send."),
        "python": ("TypeError", "ready() does not take these arguments (given: ReceivePart). Use ready(part: SendPart")},
    "wrong_handle": {
        "cpp": "does not compile",
        "c": ("WEFT_ERR_HANDLE", "A handle of another kind (grid) was passed as the exchange."),
        "fortran": "does not compile",
        "python": ("TypeError", "Halo() does not take these arguments (given: Exchange, ndarray). Use Halo(grid: CartesianGrid, *fields: Any, ...).")},
    "never_made": {
        "cpp": ("weft::Error", "Call start() before wait()."),
        "c": ("WEFT_ERR_HANDLE", "weft_exchange_commit: The exchange is NULL. Create it first."),
        "fortran": ("weft_err_handle", "The exchange is NULL. Create it first."),
        "python": ("TypeError", "This Heat was not initialised (its __init__() does not call super().__init__()). Call that first.")},
    "freed": {
        "cpp": "an object ends with its variable; a dangling reference can't be found",
        "c": ("WEFT_ERR_HANDLE", "weft_exchange_commit: The exchange was freed, or the callback that got it has returned."),
        "fortran": ("weft_err_handle", "The list of requests was freed, or the callback that got it has returned."),
        "python": ("weft.Error", "The exchange was closed. Make a new one.")},
    "after_finalize": {
        **each(ERROR, "MPI was finalised"),
        "python": ("weft.Error", "MPI has ended, so weft can't communicate. Use weft before MPI ends.")},
    "sizes_differ": each(EVERYWHERE, "Client 'ring', key 1 has two sizes (rank 1 sends 32 bytes, rank 0 receives 24 bytes). "
                                     "Register the same size on both ends."),
    "types_differ": each(EVERYWHERE, "Client 'ring', key 1 has two types (rank 1 sends float64, rank 0 receives int64, "),
    "no_other_end": each(EVERYWHERE, "Client 'ring', key 2 has no receive (rank 0 sends 32 bytes, "),
    "not_committed": each(ERROR, "The exchange was not committed. Call commit() before start()."),
    "not_ready": each(ERROR, "Client 'ring', key 1 to rank {other} was not marked ready in round 0 (the wait would never end). "
                             "Call ready() before wait()."),
    "ready_twice": each(ERROR, "Client 'ring', key 1 to rank {other} is marked ready twice in one step. Call ready() once per start."),
    "start_twice": each(ERROR, "The last start was not waited for. Call wait() before start()."),
    "finish_without_start": each(ERROR, "A halo is finished before start(). Call start() first."),
    "wrong_peer": each(EVERYWHERE, "Client 'ring', key 2 names rank 7. Use 0 to 1."),
    "receives_overlap": each(EVERYWHERE, "are received into the same memory. Give each its own memory, or let both combine."),
    "nobodys_number": each(EVERYWHERE, "Number 77 is wanted by rank 0, but no rank owns it. Want only numbers that a rank owns."),
    "callback_fails": each(("std::runtime_error", "WEFT_ERR", "weft_err", "ValueError"), "The pressure is negative."),
}
# Where the error of rank 0 is another one.
OF_RANK_0 = {"callback_fails": PEER}


def missing(language):
    """Why the language can't be run; empty if it can."""
    if language == "python":
        if MODULES == "-":
            return "Python's extension modules were not built (WEFT_PYTHON)"
        if not list(pathlib.Path(MODULES).glob("python/weft/_*/_core.*")):
            return "Python's extension modules are not built yet"
        absent = [name for name in ("numpy", "mpi4py") if importlib.util.find_spec(name) is None]
        return f"{sys.executable} has no {' and no '.join(absent)}" if absent else ""
    return "" if (FOLDER / f"misuse_{language}").exists() else f"misuse_{language} was not built"


def run(language, case):
    """The status, and the lines of ranks 0 and 1."""
    program = [sys.executable, HERE / "misuse.py"] if language == "python" else [FOLDER / f"misuse_{language}"]
    environment = dict(os.environ, OMPI_MCA_odls_base_sigkill_timeout="0", OPENBLAS_NUM_THREADS="1")
    if language == "python":
        environment |= {"PYTHONPATH": str(HERE.parents[1] / "python"), "WEFT_BUILD": MODULES}
    done = subprocess.run([*LAUNCHER, "2", *map(str, program), case], capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL,
                          env=environment)
    return done.returncode, (done.stdout, done.stderr)


class Table(unittest.TestCase):
    def check(self, language):
        if why := missing(language):
            self.skipTest(why)
        cases = [case for case, row in TABLE.items() if not isinstance(row[language], str)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:  # an mpirun sleeps during most of the second that it takes
            done = list(pool.map(lambda case: run(language, case), cases))
        for case, (status, outputs) in zip(cases, done):
            for rank, output in enumerate(outputs):
                with self.subTest(f"{case}, rank {rank}"):
                    code, sentence = TABLE[case][language]
                    if rank == 0 and case in OF_RANK_0:
                        code = OF_RANK_0[case][LANGUAGES.index(language)]
                    lines = output.splitlines()
                    self.assertEqual((status, len(lines)), (0, 1), output)
                    self.assertTrue(lines[0].startswith(f"{code}: "), lines[0])
                    self.assertIn(sentence.replace("{other}", str(1 - rank)), lines[0])

    def test_cpp(self):
        self.check("cpp")

    def test_c(self):
        self.check("c")

    def test_fortran(self):
        self.check("fortran")

    def test_python(self):
        self.check("python")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
