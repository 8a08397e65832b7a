#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""libweft_advise.so, preloaded into programs without weft.

    run.py RANKS LIBRARY FOLDER_OF_PROGRAMS openmpi|mpich LAUNCHER...

Checks the counts and findings, which have to be exact. Times are only checked for consistency.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

RANKS, LIBRARY, PROGRAMS, MPI = int(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
LAUNCHER = [*sys.argv[5:], str(RANKS)]
FORTRAN = [name for name in ("mpif", "mpi", "f08") if (PROGRAMS / f"advise_jacobi_{name}").exists()]
PREFIX = "weft_advise"


def ranks(*counts):
    return unittest.skipUnless(RANKS in counts, f"is for {counts} ranks")


class Run:
    """One run of a program, with or without the library, in a folder of its own."""

    def __init__(self, *words, watched=True, **environment):
        with tempfile.TemporaryDirectory() as folder:
            # Otherwise Open MPI waits a second for each rank of a failed job.
            env = dict(os.environ, OMPI_MCA_odls_base_sigkill_timeout="0", **environment)
            if watched:
                env["LD_PRELOAD"] = LIBRARY
            command = [*LAUNCHER, str(PROGRAMS / f"advise_{words[0]}"), *map(str, words[1:])]
            done = subprocess.run(command, env=env, cwd=folder,
                                  capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL)
            self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
            self.files = sorted(os.listdir(folder))
            read = lambda name: (pathlib.Path(folder) / name).read_text() if name in self.files else None
            self.table = read(PREFIX + ".txt")
            self.json = json.loads(read(PREFIX + ".json") or "null")
            self.trace = json.loads(read(PREFIX + ".trace.json") or "null")

    def sites(self, call):
        return [site for site in self.json["sites"] if site["call"] == call]

    def advice(self):
        return {advice["what"]: advice for advice in self.json["advice"]}


class Advise(unittest.TestCase):
    def watched(self, *words, **environment):
        """A run that leaves three files."""
        run = Run(*words, **environment)
        self.assertEqual(run.status, 0, run.err)
        self.assertEqual(run.files, [PREFIX + ".json", PREFIX + ".trace.json", PREFIX + ".txt"])
        self.assertIn(run.table, run.err)
        self.assertEqual(run.json["ranks"], RANKS)
        return run

    def unchanged(self, *words, **environment):
        """A run that prints the same as without the library."""
        plain, run = Run(*words, watched=False), self.watched(*words, **environment)
        self.assertEqual((plain.status, plain.out), (0, run.out), run.err)
        return run

    def check_trace(self, run, calls):
        events = run.trace["traceEvents"]
        self.assertEqual({event["pid"] for event in events}, set(range(RANKS)))
        starts = sorted(event["id"] for event in events if event["ph"] == "b")
        self.assertEqual(starts, sorted(event["id"] for event in events if event["ph"] == "e"))
        self.assertEqual(len(starts) > 0, RANKS > 1)
        self.assertLessEqual(calls, {event["name"] for event in events if event["ph"] == "X"})

    def test_jacobi(self):
        steps = 40
        run = self.unchanged("jacobi", "isend", 48, steps)
        self.assertEqual(run.json["step"]["found_by"], "period", run.table)
        posts = run.sites("MPI_Isend")
        self.assertEqual(len(posts), 2)
        self.assertEqual(sum(site["calls"] for site in posts), 8 * steps * RANKS)
        self.assertEqual({site["place"].split(":")[0] for site in posts}, {"jacobi.c"})
        self.assertTrue(all(site["place"].endswith(" post") for site in posts), posts)
        self.assertEqual(run.json["mean"]["calls"], 18)
        self.assertEqual(run.json["mean"]["waits"], 2)
        self.assertEqual(run.sites("MPI_Waitall")[0]["a_step"]["waits"], 1)
        self.assertEqual(run.sites("MPI_Allreduce")[0]["a_step"]["waits"], 1)
        self.check_trace(run, {"MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce"})
        self.assertIn("synchronise", run.advice())
        self.assertNotIn("progress_thread", run.advice())  # small messages are eager and need no progress calls
        self.assertEqual("coalesce" in run.advice(), RANKS > 1)
        if RANKS > 1:
            self.assertEqual(run.json["most"]["messages_to_a_peer"], 4)
            self.assertEqual(run.json["most"]["packed_to_a_peer"], 1)
            self.assertEqual(run.json["most"]["peers"], min(2, RANKS - 1))
            self.assertEqual(run.json["mean"]["messages"], 8 * (RANKS - 1) / RANKS)
            self.assertEqual(run.json["mean"]["matched"], 1)
            self.assertEqual(posts[0]["a_message"]["bytes"], 48 * 8)
            self.assertEqual(run.json["sent"], {"messages": 8 * steps * (RANKS - 1), "bytes": 8 * steps * (RANKS - 1) * 48 * 8})
            self.assertIn(" of 384 bytes to ", run.table)

    @unittest.skipUnless(MPI == "openmpi" and RANKS > 1, "sets Open MPI's eager limit, between ranks")
    def test_a_header_counts_in_the_eager_limit(self):
        limits = dict(OMPI_MCA_btl_vader_eager_limit="16384", OMPI_MCA_btl_sm_eager_limit="16384")
        found = self.watched("jacobi", "isend", 48, 40, **limits).json["network"]["eager_bytes"]
        self.assertTrue(16000 < found <= 16384, found)

    @ranks(3)
    def test_other_ways_of_jacobi(self):
        run = self.unchanged("jacobi", "sendrecv", 48, 40)
        self.assertEqual(run.json["mean"]["waits"], 9)
        self.assertEqual(run.json["most"]["messages_to_a_peer"], 4)
        self.assertEqual(run.json["most"]["packed_to_a_peer"], 4)
        self.assertNotIn("coalesce", run.advice())
        self.assertIn("9 waits per step could be 1", run.table)
        run = self.watched("jacobi", "persistent", 48, 40, WEFT_ADVISE_STEP="MPI_Allreduce")
        self.assertEqual(run.json["step"]["found_by"], "hint")
        self.assertTrue(run.json["step"]["ends_with"].startswith("MPI_Allreduce jacobi.c:"))
        self.assertEqual(run.json["mean"]["calls"], 3)
        self.assertEqual(run.json["most"]["messages_to_a_peer"], 4)
        self.assertEqual(run.json["most"]["packed_to_a_peer"], 1)
        self.assertEqual(run.json["mean"]["matched"], 1)

    @ranks(2, 3)
    def test_fortran(self):
        if not FORTRAN:
            self.skipTest("no Fortran compiler was installed (Debian: gfortran)")
        for name in FORTRAN if RANKS == 3 else FORTRAN[-1:]:
            with self.subTest(name):
                run = self.unchanged("jacobi_" + name, 48, 40, WEFT_PROGRESS="passive" if name == "mpi" else "thread")
                posts = run.sites("MPI_Isend")
                self.assertEqual(len(posts), 2)
                self.assertTrue(all(site["place"].startswith("jacobi.f90:") for site in posts), posts)
                self.assertEqual(sum(site["calls"] for site in posts), 4 * 40 * RANKS)
                self.assertEqual(run.json["mean"]["calls"], 10)
                self.assertEqual(run.json["most"]["messages_to_a_peer"], 2)
                self.assertEqual(run.json["most"]["packed_to_a_peer"], 1)
                self.assertEqual(run.json["mean"]["waits"], 2)
                self.assertEqual(run.json["mean"]["matched"], 1)

    @ranks(2)
    def test_who_should_have_a_progress_thread(self):
        """The findings are consistent. verdict_test.cpp checks the estimated gain of a progress thread."""
        large, rounds, work = 1 << 25, 8, 6
        for mode, bytes_ in (("overlap", large), ("at_once", large), ("late", large), ("overlap", 100)):
            with self.subTest(mode, bytes=bytes_):
                run = self.watched("exchange", mode, bytes_, rounds, work)
                mean, wait = run.json["mean"], run.sites("MPI_Waitall")[0]
                self.assertEqual((mean["calls"], mean["matched"], mean["waits"]), (3, 1, 1))
                self.assertEqual(run.sites("MPI_Isend")[0]["a_message"]["bytes"], bytes_)
                self.assertGreaterEqual(mean["progress_thread_gain_seconds"], 0, run.table)
                self.assertLessEqual(mean["progress_thread_gain_seconds"], mean["needed_seconds"] * 1.001, run.table)
                self.assertAlmostEqual(wait["a_step"]["progress_thread_gain_seconds"], mean["progress_thread_gain_seconds"],
                                       delta=1e-3 * mean["needed_seconds"] + 1e-9)
                self.assertEqual("progress_thread" in run.advice(),
                                 mean["progress_thread_gain_seconds"] >= max(0.01 * mean["seconds"], 1e-12))
                if bytes_ == 100:  # small messages need no progress calls
                    self.assertEqual(mean["progress_thread_gain_seconds"], 0, run.table)

    @ranks(2)
    def test_a_progress_thread(self):
        for words in (("jacobi", "isend", 48, 40), ("jacobi", "persistent", 48, 40),
                      ("exchange", "overlap", 1 << 22, 10, 2)):
            run = self.unchanged(*words, WEFT_PROGRESS="thread")
            self.assertTrue(run.json["progress_thread"] or run.json["waits_yield"] or "does not provide MPI_THREAD_MULTIPLE" in run.err, run.err)

    @ranks(2, 4)
    def test_any_rank_and_other_communicators(self):
        run = self.unchanged("exchange", "any", 100, 40)
        self.assertEqual(run.json["mean"]["messages_to_a_peer"], 2)
        self.assertEqual(run.json["mean"]["matched"], 1)
        self.assertEqual(run.sites("MPI_Waitany")[0]["a_step"]["calls"], 2)
        # With 4 ranks there may be more ranks than cores. Then waits yield the core.
        self.unchanged("exchange", "any", 100, 40, WEFT_PROGRESS="thread")
        run = self.watched("exchange", "loop", 100, 200)
        self.assertEqual(run.json["mean"]["messages_to_a_peer"], 1)
        self.assertEqual(run.json["mean"]["matched"], 1)
        self.assertAlmostEqual(run.json["mean"]["waits"], 1.1, delta=0.01)  # two consecutive waits are one

    @ranks(2)
    def test_marked_steps(self):
        plain = Run("exchange", "overlap", 100, 12, 0.1, "pcontrol")
        self.assertEqual(plain.json["step"]["found_by"], "mark", plain.err)
        self.assertEqual(plain.json["mean"]["steps"], 11)
        self.assertEqual(plain.json["mean"]["calls"], 3)

    @ranks(2)
    def test_the_users_step_has_precedence_over_marks(self):
        run = Run("exchange", "overlap", 100, 12, 0.1, "pcontrol", WEFT_ADVISE_STEP="MPI_Isend")
        self.assertEqual((run.json["step"]["found_by"], run.json["step"]["asked"]), ("hint", "MPI_Isend"), run.err)
        self.assertTrue(run.json["step"]["ends_with"].startswith("MPI_Isend "), run.err)
        self.assertEqual(run.json["step"]["warning"], "")

    @ranks(2)
    def test_a_step_by_any_text_of_a_report(self):
        plain = Run("jacobi", "isend", 48, 40)
        post = plain.sites("MPI_Isend")[0]
        line, function = post["place"].split()
        for text in (post["place"], f"{function} ({line})", f"MPI_Isend in {function} ({line})", f"MPI_Isend at {line}",
                     post["callers"][0]["place"]):
            with self.subTest(text):
                run = Run("jacobi", "isend", 48, 40, WEFT_ADVISE_STEP=text)
                self.assertEqual(run.json["step"]["found_by"], "hint", run.err)
                self.assertNotIn("WARNING", run.table)

    @ranks(2)
    def test_a_step_that_does_not_exist(self):
        for text, why, marks in (("nosuch.c:1", "neither an MPI call", ()), ("MPI_Wait", "neither", (0.1, "pcontrol")),
                                 ("MPI_Barrier", "less than twice", ())):
            with self.subTest(text):
                run = Run("exchange", "overlap", 100, 40, *marks, WEFT_ADVISE_STEP=text)
                self.assertEqual(run.json["step"]["found_by"], "mark" if marks else "period", run.err)
                self.assertIn(f"'{text}'", run.json["step"]["warning"])
                self.assertIn(why, run.json["step"]["warning"])
                self.assertIn("WARNING: " + run.json["step"]["warning"], run.table)

    @ranks(1)
    def test_many_calls_pass_unseen(self):
        if MPI != "openmpi":
            self.skipTest("would send a blocking message to the rank itself")
        run = Run("exchange", "latency", 8, 600000, WEFT_ADVISE_EVENTS="4096", WEFT_ADVISE_TRACE="0")
        self.assertLess(run.json["recorded_share"], 0.9)
        self.assertEqual(run.json["mean"]["calls"], 2)
        self.assertEqual(run.json["mean"]["messages_to_a_peer"], 1)
        self.assertEqual(run.files, [PREFIX + ".json", PREFIX + ".txt"])

    @ranks(2)
    def test_a_window_has_whole_steps_among_many_tests(self):
        run = Run("exchange", "tests", 8, 400)
        self.assertEqual(run.json["step"]["found_by"], "period", run.table)
        self.assertGreaterEqual(run.json["mean"]["steps"], 20)
        # Requests that are complete or MPI_REQUEST_NULL are tested in vain.
        self.assertLess(run.json["mean"]["waits"], 10)

    @ranks(2)
    def test_programs_that_end_otherwise(self):
        for mode in ("no_finalize", "abort"):
            run = Run("exchange", mode, 8, 10)
            self.assertNotEqual(run.status, 0)
            self.assertEqual(run.files, [f"{PREFIX}.rank-{r}.live" for r in range(RANKS)])
            if mode == "abort":  # with MPI_Abort the launcher may end the job before the last line is printed
                self.assertNotIn("no report", run.err)

    @ranks(3)
    def test_wrong_settings(self):
        for name, value, allowed in (("WEFT_ADVISE_EVENTS", "3", "1024 to"), ("WEFT_PROGRESS", "polling", "'thread' or 'passive'"),
                                     ("WEFT_ADVISE_OUT", "/dev/null/x", "This file can't be written")):
            run = Run("exchange", "latency", 8, 1, **{name: value})
            self.assertEqual(run.status, 2, run.err)
            lines = [line for line in run.err.splitlines() if line.startswith("weft advise:")]
            self.assertEqual(len(lines), 1, run.err)
            self.assertIn(allowed, lines[0])
            self.assertEqual(run.files, [])

    @ranks(1)
    def test_off(self):
        run = Run("jacobi", "isend", 48, 4, WEFT_ADVISE="off")
        self.assertEqual((run.status, run.files), (0, []))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
