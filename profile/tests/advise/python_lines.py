#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Call sites of programs in Python are source lines, with libweft_advise.so.

    python_lines.py LIBRARY LAUNCHER PYTHON...

Each PYTHON that exists calls Open MPI with ctypes, and with mpi4py if it is installed. WEFT_TEST_PYTHONS has more of
them, separated by colons.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

LIBRARY, LAUNCHER = os.path.realpath(sys.argv[1]), sys.argv[2]
SUPPORTED = "import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))"
PYTHONS = [p for p in (*sys.argv[3:], *os.environ.get("WEFT_TEST_PYTHONS", "").split(":"))
           if p and shutil.which(p) and subprocess.run([p, "-c", SUPPORTED], check=False).returncode == 0]
STEPS = 50

# Lines with a comment that names them are the expected places.
WITH_CTYPES = """
import ctypes
mpi = ctypes.CDLL("libmpi.so.40")
mpi.MPI_Init(None, None)
world, number, add = (ctypes.c_void_p(ctypes.addressof(ctypes.c_byte.in_dll(mpi, "ompi_" + name)))
                      for name in ("mpi_comm_world", "mpi_double", "mpi_op_sum"))
mine, all_ = (ctypes.c_double * 1)(1.0), (ctypes.c_double * 1)()


def add_up():
    try:
        return mpi.MPI_Allreduce(mine, all_, 1, number, add, world)  # reduce
    finally:
        pass


class Größe:
    def step(self):
        for _ in [0]:
            (lambda: mpi.MPI_Barrier(
                world))()
        add_up()  # caller


for _ in range(50):
    Größe().step()
    mpi.MPI_Barrier(world)  # main
    made = {"mpi": mpi, "world": world}
    exec(compile("def again():\\n  mpi.MPI_Barrier(world)\\nagain()", "made.py", "exec"), made)
mpi.MPI_Finalize()
"""
# The interpreter ends while threads are in MPI or about to call it.
WITH_DAEMONS = """
import ctypes, threading, time
mpi = ctypes.CDLL("libmpi.so.40")
mpi.MPI_Init_thread(None, None, 3, ctypes.byref(ctypes.c_int()))
alone = ctypes.c_void_p(ctypes.addressof(ctypes.c_byte.in_dll(mpi, "ompi_mpi_comm_self")))


def probe(depth):
    if depth > 0:
        return probe(depth - 1)
    found = ctypes.c_int()
    while True:
        mpi.MPI_Iprobe(-1, -1, alone, ctypes.byref(found), None)
        mpi.MPI_Barrier(alone)


for depth in range(4):
    threading.Thread(target=probe, args=(200 * depth,), daemon=True).start()
time.sleep(0.1)
"""
WITH_MPI4PY = """
from mpi4py import MPI
import array, threading
comm = MPI.COMM_WORLD
other = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
out, into = array.array("d", [comm.rank] * 1000), array.array("d", [0] * 1000)


class Halo:
    def exchange(self):
        requests = [comm.Irecv(into, other[1]),  # receive
                    comm.Isend(out, other[0])]  # send
        yield
        MPI.Request.Waitall(requests)  # wait


def solve():
    for step in range(50):
        for _ in Halo().exchange():  # caller
            sum(out)
        comm.allreduce(1)  # reduce
        comm.recv(source=comm.isend({}, comm.rank) and comm.rank)  # objects


solve()
thread = threading.Thread(target=lambda: [comm.Barrier() for _ in range(10)])  # thread
thread.start()
thread.join()
"""


# Rank 0 never sends.
THAT_HANGS = """
import ctypes, time
mpi = ctypes.CDLL("libmpi.so.40")
mpi.MPI_Init(None, None)
rank, text = ctypes.c_int(), (ctypes.c_char * 8)()
world, char = (ctypes.c_void_p(ctypes.addressof(ctypes.c_byte.in_dll(mpi, "ompi_" + name))) for name in ("mpi_comm_world", "mpi_char"))
mpi.MPI_Comm_rank(world, ctypes.byref(rank))


def expect():
    mpi.MPI_Recv(text, 8, char, 0, 7, world, None)  # receive


mpi.MPI_Barrier(world)
if rank.value == 1:
    expect()  # caller
print("ready", flush=True)
time.sleep(60)
"""


def line_of(program, comment):
    return next(i for i, line in enumerate(program.split("\n"), 1) if line.endswith("# " + comment))


class PythonLines(unittest.TestCase):
    def test_a_hanging_program(self):
        report = pathlib.Path(LIBRARY).parent / "weft-run"
        if not PYTHONS or not report.exists():
            self.skipTest("no interpreter, or weft-run is not built")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "heat.py").write_text(THAT_HANGS)
            env = dict(os.environ, LD_PRELOAD=LIBRARY, WEFT_ADVISE_OUT=f"{folder}/hangs", OMPI_MCA_rmaps_base_oversubscribe="1",
                       OMPI_MCA_mpi_yield_when_idle="1")
            with subprocess.Popen([LAUNCHER, "-n", "2", PYTHONS[0], "heat.py"], cwd=folder, env=env, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True) as running:
                try:
                    self.assertEqual(running.stdout.readline(), "ready\n")
                    until, said = time.monotonic() + 30, ""
                    while time.monotonic() < until and "in MPI_Recv" not in said:
                        said = subprocess.run([report, "--report", f"{folder}/hangs"], capture_output=True, text=True,
                                              timeout=60).stdout
                finally:
                    running.terminate()
            line, caller = line_of(THAT_HANGS, "receive"), line_of(THAT_HANGS, "caller")
            self.assertRegex(" ".join(said.split()), rf"rank 1: in MPI_Recv at expect \(heat.py:{line}\) for .*heat.py:{caller}")

    def run_it(self, python, program, preload=""):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "heat.py").write_text(program)
            env = dict(os.environ, LD_PRELOAD=f"{preload} {LIBRARY}", OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
                       MPI4PY_MPIABI="openmpi")
            done = subprocess.run([LAUNCHER, "-n", "2", python, "heat.py"], cwd=folder, env=env, capture_output=True, text=True,
                                  timeout=100, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("weft_advise.json", os.listdir(folder), done.stderr)
            return json.loads((folder / "weft_advise.json").read_text())

    def sites(self, report):
        return {(site["call"], site["line"]): site for site in report["sites"]}

    @unittest.skipUnless(PYTHONS, "needs CPython 3.10 to 3.14")
    def test_ctypes(self):
        for python in PYTHONS:
            with self.subTest(python):
                report = self.run_it(python, WITH_CTYPES)
                sites = self.sites(report)
                qualified = any("." in site["function"] for site in report["sites"])  # from Python 3.11 on
                reduce, main = line_of(WITH_CTYPES, "reduce"), line_of(WITH_CTYPES, "main")
                self.assertEqual({site["call"] for site in report["sites"] if not site["file"].endswith(".py")}, set(), sites)
                site = sites["MPI_Allreduce", reduce]
                self.assertEqual((site["place"], site["calls"]), (f"heat.py:{reduce} add_up", 2 * STEPS))
                self.assertTrue(site["file"].endswith("/heat.py"), site)
                step = "Größe.step" if qualified else "step"
                self.assertEqual([c["place"] for c in site["callers"]], [f"heat.py:{line_of(WITH_CTYPES, 'caller')} {step}"])
                self.assertEqual(sites["MPI_Barrier", main]["place"], f"heat.py:{main} <module>")
                self.assertEqual(sites["MPI_Barrier", main]["callers"], [])
                made = sites["MPI_Barrier", 2]  # code that is made again at every step is one place
                self.assertEqual((made["place"], made["calls"]), ("made.py:2 again", 2 * STEPS))
                inner = [site for site in report["sites"] if "<lambda>" in site["place"]]
                self.assertEqual([site["calls"] for site in inner], [2 * STEPS])

    @unittest.skipUnless(PYTHONS and shutil.which("cc"), "needs CPython 3.10 to 3.14, and cc")
    def test_other_layouts_do_no_harm(self):
        """An interpreter that says another version than its own has other structures in memory than expected."""
        own = subprocess.run([PYTHONS[0], "-c", "import sys; print(sys.version_info[1])"], capture_output=True, text=True, check=True)
        with tempfile.TemporaryDirectory() as name:
            for minor in (9, 10, 11, 12, 13, 14, 15):
                source, library = pathlib.Path(name, f"{minor}.c"), pathlib.Path(name, f"{minor}.so")
                source.write_text(f'const char* Py_GetVersion(void) {{ return "3.{minor}.0 (main)"; }}\n')
                subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
                with self.subTest(minor):
                    report = self.run_it(PYTHONS[0], WITH_CTYPES, preload=library)
                    has_lines = ("MPI_Allreduce", line_of(WITH_CTYPES, "reduce")) in self.sites(report)
                    self.assertTrue(has_lines or minor != int(own.stdout), report["sites"])
                    self.assertFalse(has_lines and minor in (9, 15), report["sites"])

    @unittest.skipUnless(PYTHONS, "needs CPython 3.10 to 3.14")
    def test_threads_that_outlive_the_interpreter(self):
        for python in PYTHONS:
            with self.subTest(python):
                for _ in range(5):
                    env = dict(os.environ, LD_PRELOAD=LIBRARY, WEFT_ADVISE_LIVE="off")
                    done = subprocess.run([python, "-c", WITH_DAEMONS], env=env, capture_output=True, text=True, timeout=60,
                                          stdin=subprocess.DEVNULL)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_mpi4py(self):
        found = [p for p in PYTHONS if subprocess.run([p, "-c", "import mpi4py"], capture_output=True, check=False).returncode == 0]
        if not found:
            self.skipTest("mpi4py is not installed")
        for python in found:
            with self.subTest(python):
                report = self.run_it(python, WITH_MPI4PY)
                sites = self.sites(report)
                self.assertEqual([s["place"] for s in report["sites"] if not s["file"].endswith("/heat.py") and s["calls"] >= STEPS], [])
                for call, comment in (("MPI_Irecv", "receive"), ("MPI_Isend", "send"), ("MPI_Waitall", "wait")):
                    site = sites[call, line_of(WITH_MPI4PY, comment)]
                    self.assertEqual(site["calls"], 2 * STEPS)
                    self.assertTrue(site["function"].endswith("exchange"), site)
                    caller = line_of(WITH_MPI4PY, "caller")
                    self.assertEqual([c["place"] for c in site["callers"]], [f"heat.py:{caller} solve"])
                self.assertTrue(any(line == line_of(WITH_MPI4PY, "reduce") for _, line in sites), sites.keys())
                calls = {call for call, line in sites if line == line_of(WITH_MPI4PY, "objects")}
                self.assertGreater(len(calls), 1, calls)  # several functions of MPI, called by one line
                thread = sites["MPI_Barrier", line_of(WITH_MPI4PY, "thread")]
                self.assertEqual(thread["calls"], 20)


if __name__ == "__main__":
    print("with", *PYTHONS)
    unittest.main(argv=sys.argv[:1])
