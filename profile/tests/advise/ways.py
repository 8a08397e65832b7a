#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Unusual ways to initialise and end MPI programs, and rare calls, with libweft_advise.so.

    ways.py LIBRARY PROGRAM openmpi|mpich LAUNCHER
"""
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import time
import unittest

LIBRARY, PROGRAM, MPI, LAUNCHER = sys.argv[1:5]
MPI_4 = MPI == "mpich"


# As Julia and others use MPI: they open the library and look up its functions.
LOOKS_UP = """
import ctypes
mpi = ctypes.CDLL("libmpi.so.40")
mpi.MPI_Init(None, None)
world, number, add = (ctypes.c_void_p(ctypes.addressof(ctypes.c_byte.in_dll(mpi, "ompi_" + name)))
                      for name in ("mpi_comm_world", "mpi_double", "mpi_op_sum"))
mine, all_ = (ctypes.c_double * 1)(1.0), (ctypes.c_double * 1)()
for _ in range(100):
    mpi.MPI_Allreduce(mine, all_, 1, number, add, world)
print("sum", all_[0])
mpi.MPI_Finalize()
"""


class Run:
    """One run of the program on two ranks, in a folder of its own."""

    def __init__(self, *words, ranks=2, watched=True, folder=None, program=(PROGRAM,), **environment):
        with tempfile.TemporaryDirectory() as own:
            self.folder = pathlib.Path(folder or own)
            env = dict(os.environ, OMPI_MCA_odls_base_sigkill_timeout="0", OMPI_MCA_rmaps_base_oversubscribe="1",
                       OMPI_MCA_mpi_yield_when_idle="1", **environment)
            if watched:
                env["LD_PRELOAD"] = LIBRARY
            began = time.monotonic()
            done = subprocess.run([LAUNCHER, "-n", str(ranks), *program, *map(str, words)], env=env, cwd=self.folder,
                                  capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL)
            self.seconds = time.monotonic() - began
            self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
            self.files = sorted(os.listdir(self.folder))
            report = self.folder / "weft_advise.json"
            self.json = json.loads(report.read_text()) if report.exists() else None

    def sites(self, call):
        return [site for site in self.json["sites"] if site["call"] == call]

    def calls(self, call):
        return sum(site["calls"] for site in self.sites(call))


CORES = os.cpu_count()


class Ways(unittest.TestCase):
    def same(self, *words, **options):
        """Returns a run that prints and ends as without the library, and wrote a report."""
        plain, run = Run(*words, watched=False), Run(*words, **options)
        self.assertEqual((plain.status, plain.out), (run.status, run.out), run.err)
        self.assertIsNotNone(run.json, run.err)
        self.assertFalse([name for name in run.files if name.endswith(".live")])
        return run

    def test_collectives_are_judged(self):
        run = self.same("steps")
        self.assertEqual(run.json["step"]["found_by"], "period", run.err)
        self.assertEqual(run.json["mean"]["matched"], 1)
        sums = run.sites("MPI_Allreduce")
        self.assertGreater(sum(site["a_message"]["needed_seconds"] for site in sums), 0, run.err)
        self.assertEqual(run.json["abi"], MPI)

    def test_more_ranks_than_cores_end_soon(self):
        plain = min(Run("steps", ranks=8, watched=False).seconds for _ in range(3))
        for _ in range(10 if MPI == "openmpi" else 3):
            run = Run("steps", ranks=8)
            self.assertEqual(run.status, 0, run.err)
            self.assertIsNotNone(run.json, run.err)
            # The defect took minutes: one rank slept while others were spinning. Beside programs of higher priority a run
            # takes up to half a minute.
            self.assertLess(run.seconds, 3 * plain + 60)

    @unittest.skipIf(CORES > 6, "takes more ranks than there are cores")
    def test_waits_give_cores_away(self):
        for words in ("steps", "matched", "freed"):
            with self.subTest(words):
                plain = Run(words, ranks=CORES + 2, watched=False)
                run = Run(words, ranks=CORES + 2, WEFT_PROGRESS="thread")
                self.assertEqual((run.status, run.out), (plain.status, plain.out), run.err)
                self.assertEqual((run.json["waits_yield"], run.json["progress_thread"]), (True, False), run.err)
                self.assertIn("more ranks than cores", run.err)

    def test_ranks_that_come_late(self):
        """No rank waits longer than the deadline. The waiting rank reports it in one line."""
        for late in (0, 1):
            run = Run("late", late, WEFT_ADVISE_DEADLINE="1")
            self.assertEqual(run.status, 0, run.err)
            self.assertLess(run.seconds, 60)
            self.assertIsNone(run.json)
            self.assertEqual(run.err.count("weft advise:"), 1, run.err)
            self.assertIn("within 1 s", run.err)
            self.assertEqual(run.files, ["weft_advise.rank-0.live", "weft_advise.rank-1.live"])
            self.assertEqual(run.out, Run("steps", watched=False).out)
        run = Run("late", 1, WEFT_ADVISE_DEADLINE="30")
        self.assertIsNotNone(run.json, run.err)

    def test_other_ends_leave_what_was_recorded(self):
        for end in ("abort", "crash", "killed", "exit"):
            with self.subTest(end):
                plain, run = Run(end, watched=False), Run(end)
                self.assertNotEqual(run.status, 0, run.err)
                if MPI == "openmpi":  # MPICH's launcher may print how it ended the other rank
                    self.assertEqual(plain.status, run.status, run.err)
                self.assertLess(run.seconds, plain.seconds + 60)  # it does not hang
                live = [name for name in run.files if name.endswith(".live")]
                self.assertEqual(live, ["weft_advise.rank-0.live", "weft_advise.rank-1.live"])

    def test_finalize_in_an_exit_handler(self):
        self.same("atexit")

    @unittest.skipUnless(MPI == "openmpi", "is written for Open MPI's handles")
    def test_functions_that_a_program_looks_up_itself(self):
        run = Run(program=(sys.executable, "-c", LOOKS_UP))
        self.assertEqual((run.status, run.out.count("sum")), (0, 2), run.err)
        self.assertEqual(run.calls("MPI_Allreduce"), 200)

    def test_names_that_are_not_those_of_mpi_alone(self):
        """A plug-in may have its own function mpi_send. It would find that of libweft_advise, if that were exported."""
        shown = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout.split()
        names = [name for name in shown if name.lower().startswith("mpi_")]
        self.assertIn("mpi_send_", names)
        self.assertEqual([name for name in names if not re.fullmatch(r"MPI_[A-Z][a-z]\w*|mpi_\w+_", name)], [])

    def test_a_program_that_the_launcher_finds(self):
        folder, name = os.path.split(os.path.realpath(PROGRAM))
        run = Run("steps", program=(name,), PATH=folder + ":" + os.environ["PATH"])
        self.assertEqual(run.sites("MPI_Waitall")[0]["module"], os.path.join(folder, name), run.err)

    def test_two_worlds_with_one_prefix(self):
        """Each has its own files: neither replaces the other's live file or report."""
        with tempfile.TemporaryDirectory() as folder:
            script = f"'{PROGRAM}' late 0 & sleep 2; '{PROGRAM}' steps || exit 1; wait $!"
            done = subprocess.run(["sh", "-c", script], cwd=folder, env=dict(os.environ, LD_PRELOAD=LIBRARY), capture_output=True,
                                  text=True, timeout=100, stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stdout.count("in ")), (0, 2), done.stderr)
            self.assertEqual([name for name in os.listdir(folder) if name.endswith(".live")], [])

    def test_a_child_that_ends_is_not_the_program(self):
        run = self.same("fork", WEFT_PROGRESS="thread")
        self.assertNotIn("no report", run.err)

    def test_another_working_directory(self):
        run = Run("chdir")
        self.assertIsNotNone(run.json, run.err)

    def test_a_folder_that_cannot_be_written(self):
        if os.geteuid() == 0:
            folder = "/proc/self"  # root may write to any other folder
        else:
            folder = tempfile.mkdtemp()
            os.chmod(folder, stat.S_IRUSR | stat.S_IXUSR)
        run = Run("steps", folder=folder)
        self.assertEqual((run.status, run.out), (0, Run("steps", watched=False).out), run.err)
        self.assertEqual(run.err.count("can't be written"), 1, run.err)

    def test_threads_that_were_not_asked_for(self):
        run = self.same("threads", WEFT_PROGRESS="thread")
        self.assertIn("threads 1 1", run.out)

    def test_a_spawned_world_writes_no_report(self):
        if Run("spawn", watched=False).status != 0:
            self.skipTest("MPI_Comm_spawn does not work here")
        run = self.same("spawn")
        self.assertEqual(run.json["ranks"], 2)
        self.assertIn("MPI_Comm_spawn", [call["call"] for call in run.json["unwatched"]])

    def test_what_is_not_judged_is_counted(self):
        run = self.same("one_sided")
        self.assertEqual(run.json["unwatched"], [{"call": "MPI_Put", "calls": 100}])
        self.assertIn("MPI_Put (100 calls)", run.err)

    def test_steps_are_the_same_on_all_ranks(self):
        """One rank alone would find twenty steps where the other finds one; means over these would be of no common step."""
        run = self.same("uneven")
        mean, most = run.json["mean"], run.json["most"]
        self.assertEqual(mean["steps"], most["steps"], run.err)
        self.assertGreater(mean["steps"], 50, run.err)
        self.assertLess(mean["steps"] * mean["seconds"], run.json["seconds"], run.err)

    def test_matched_probes(self):
        run = self.same("matched")
        self.assertEqual((run.calls("MPI_Mprobe"), run.calls("MPI_Mrecv"), run.calls("MPI_Imrecv")), (100, 50, 50))
        self.assertGreater(run.json["mean"]["matched"], 0.95, run.err)

    def test_a_request_freed_while_active(self):
        self.same("freed", WEFT_PROGRESS="thread")
        run = self.same("freed")
        self.assertEqual(run.calls("MPI_Recv"), 100)

    def test_receives_that_outlive_their_communicator(self):
        run = self.same("communicator_freed")
        self.assertEqual(run.calls("MPI_Comm_free"), 120)
        self.assertEqual(run.json["mean"]["matched"], 1, run.err)
        self.assertEqual({site["bytes"] / site["calls"] for site in run.sites("MPI_Irecv") + run.sites("MPI_Mrecv")}, {800})
        self.same("communicator_freed", WEFT_PROGRESS="thread")
        run = self.same("persistent_freed")
        self.assertEqual(run.json["mean"]["matched"], 1, run.err)

    def test_outputs_of_calls_that_failed(self):
        run = self.same("errors")
        self.assertIn("waitall 1", run.out)
        self.assertEqual(run.calls("MPI_Waitall"), 4)

    def test_callers_that_take_turns(self):
        """Their shares are those of the time of their calls, as the program measures it."""
        run = self.same("turns")
        sums = max(run.sites("MPI_Allreduce"), key=lambda site: site["calls"])
        callers = {caller["place"].split()[-1]: caller["share"] for caller in sums["callers"]}
        truth = float(re.search("share of slow: (.*)", run.err)[1])
        self.assertAlmostEqual(callers["slow"], truth, delta=0.1, msg=run.err)

    def test_sizes_are_those_that_were_sent(self):
        run = self.same("sizes")
        self.assertEqual(run.sites("MPI_Irecv")[0]["a_message"]["bytes"], 80)
        for call, n in (("Irecv", 80), ("Isend", 80), ("Allgather", 800), ("Gather", 800), ("Scatter", 800), ("Alltoallv", 800),
                        ("Allgatherv", 800), ("Reduce_scatter", 800)):
            with self.subTest(call):
                self.assertEqual(sum(site["bytes"] for site in run.sites("MPI_" + call)), 100 * n)

    def test_a_rest_among_communicators(self):
        # One rank: with more, ranks that share cores are so slow that all calls are recorded.
        run = Run("many", ranks=1, WEFT_ADVISE_EVENTS="4096", WEFT_ADVISE_TRACE="0")
        plain = Run("many", ranks=1, watched=False)
        self.assertEqual((run.status, run.out), (plain.status, plain.out), run.err)
        self.assertLess(run.json["recorded_share"], 0.9)
        self.assertGreater(run.json["mpi_seconds"], 0.005 * run.json["seconds"], run.err)  # not 0 since most calls were not recorded

    @unittest.skipUnless(MPI_4, "needs functions of MPI 4")
    def test_large_counts(self):
        run = self.same("large")
        self.assertEqual((run.calls("MPI_Isend_c"), run.calls("MPI_Irecv_c")), (100, 100))
        self.assertEqual(run.sites("MPI_Isend_c")[0]["a_message"]["bytes"], 8000)
        self.assertEqual(run.json["mean"]["matched"], 1)

    @unittest.skipUnless(MPI_4, "needs functions of MPI 4")
    def test_partitioned_messages(self):
        run = self.same("partitioned")
        self.assertEqual(run.calls("MPI_Pready"), 400)
        self.assertEqual(run.json["mean"]["matched"], 1)

    @unittest.skipUnless(MPI_4, "needs functions of MPI 4")
    def test_persistent_collectives(self):
        run = self.same("persistent")
        self.assertEqual(run.calls("MPI_Start"), 100)
        self.assertGreater(run.json["mean"]["needed_seconds"], 0, run.err)

    @unittest.skipUnless(MPI_4, "needs functions of MPI 4")
    def test_sessions_alone(self):
        plain, run = Run("sessions", watched=False), Run("sessions")
        self.assertEqual((plain.status, plain.out), (run.status, run.out), run.err)
        self.assertEqual(run.files, ["weft_advise.rank-0.live", "weft_advise.rank-1.live"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
