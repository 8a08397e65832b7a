#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each stage of the tutorial, in C++, C and Fortran, prints the same numbers as the plain MPI program. The steps of the stencil in C and of
the ocean model in Fortran do so, too. The programs of the how-to pages print theirs.

    same_numbers.py BUILD LAUNCHER...
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

EXAMPLES, LAUNCHER = pathlib.Path(sys.argv[1]) / "examples", sys.argv[2:]
SIZE = ("48", "200")  # cells, steps
FORTRAN = (EXAMPLES / "ocean/ocean5").exists()


def run(ranks, program, *words, **environment):
    """The program's status, and its output without times."""
    done = subprocess.run([*LAUNCHER, str(ranks), str(EXAMPLES / program), *words], capture_output=True, text=True, timeout=100,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, OMPI_MCA_odls_base_sigkill_timeout="0", **environment))
    return done.returncode, done.stdout, done.stderr


def numbers(output):
    return re.findall(r"^(?:step \d+: .*|\w+: [0-9a-f]{16})$", output, re.MULTILINE)


class Tutorial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        status, output, errors = run(1, "tutorial/waits", *SIZE)
        assert status == 0, errors
        cls.plain = numbers(output)

    def check(self, runs):
        """By (ranks, stage, words...): the printed numbers, with moisture separate. Those of heat must equal the plain program's."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:  # an mpirun sleeps during most of the second that it takes
            done = list(pool.map(lambda one: run(one[0], f"tutorial/{one[1]}", *SIZE, *one[2:]), runs))
        others = set()
        for one, (status, output, errors) in zip(runs, done):
            with self.subTest(one):
                self.assertEqual(status, 0, errors)
                found = numbers(output)
                self.assertEqual([line for line in found if not line.startswith("moisture")], self.plain)
                others.add(tuple(line for line in found if line.startswith("moisture")))
        return others

    def test_plain(self):
        self.assertEqual([line.split(":")[0] for line in self.plain], ["step 100", "step 200", "heat"])

    def test_stages(self):
        self.check([(3, "waits"), (3, "exchange"), (2, "overlaps", "thread"), (3, "overlaps", "polling"),
                    (1, "one_wait", "thread"), (3, "one_wait", "polling"),
                    (1, "c/waits"), (3, "c/waits"), (3, "c/exchange"), (2, "c/overlaps", "thread"), (3, "c/overlaps", "polling"),
                    (1, "c/one_wait", "thread"), (3, "c/one_wait", "polling")])

    @unittest.skipUnless(FORTRAN, "built without Fortran")
    def test_fortran(self):
        self.check([(1, "fortran/waits"), (3, "fortran/waits"), (3, "fortran/exchange"), (2, "fortran/overlaps", "thread"),
                    (3, "fortran/overlaps", "polling"), (1, "fortran/one_wait", "thread"), (3, "fortran/one_wait", "polling")])
        moisture = self.check([(2, "modules"), (3, "fortran/modules", "passive", "separate"), (1, "fortran/modules"),
                               (3, "fortran/modules", "send_receive_threads")])
        self.assertEqual([len(lines) for lines in moisture], [1])

    def test_modules(self):
        moisture = self.check([(3, "modules", "passive", "separate"), (1, "modules", "polling", "aggregated"),
                               (3, "modules", "send_receive_threads", "aggregated"),
                               (3, "c/modules", "passive", "separate"), (2, "c/modules", "send_receive_threads", "aggregated")])
        self.assertEqual([len(lines) for lines in moisture], [1])

    def test_wrong_words(self):
        cases = [("overlaps", ("2",), "usage"), ("overlaps", ("64", "many"), "usage"), ("overlaps", ("64", "10", "nobody"), "passive, polling"),
                 ("c/overlaps", ("64x", "10"), "usage"), ("c/overlaps", ("64", "10", "nobody"), "passive, polling")]
        if FORTRAN:
            cases += [("fortran/overlaps", ("64x", "10"), "usage"), ("fortran/overlaps", ("64", "10", "nobody"), "passive, polling")]
        for program, words, told in cases:
            status, output, errors = run(2, f"tutorial/{program}", *words)
            self.assertEqual(status, 2, errors)
            lines = [line for line in errors.splitlines() if line.startswith("error:")]
            self.assertEqual(len(lines), 1, errors)
            self.assertIn(told, lines[0])


@unittest.skipUnless(FORTRAN, "built without Fortran")
class Ocean(unittest.TestCase):
    """Every step of docs/howto/from-fortran.md, on any number of ranks, computes what the plain program computes on one rank."""

    def test_steps(self):
        size = ("24", "16", "3", "60", "20")  # points in x and y, levels, steps, steps from line to line
        runs = [(ranks, f"ocean{step}", *size) for step in range(6) for ranks in (1, 2, 4)]
        runs += [(3, "ocean5", *size, "thread")]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            done = list(pool.map(lambda one: run(one[0], f"ocean/{one[1]}", *one[2:]), runs))
        plain = [line for line in done[0][1].splitlines() if line.startswith("step ")]
        self.assertEqual([line.split(":")[0] for line in plain], ["step 20", "step 40", "step 60"])
        self.assertEqual(len({line.split()[3][:12] for line in plain}), 1)  # the mean height of the surface stays the same
        self.assertEqual(len({line.split()[-1] for line in plain}), 3)      # ... but the surface moves
        for one, (status, output, errors) in zip(runs, done):
            with self.subTest(one):
                self.assertEqual(status, 0, errors)
                self.assertEqual([line for line in output.splitlines() if line.startswith("step ")], plain)

    def test_wrong_words(self):
        for words, told in ((("24", "none"), "positive number"), (("25",), "blocks")):
            status, output, errors = run(2, "ocean/ocean0", *words)
            self.assertEqual(status, 2, errors)
            lines = [line for line in errors.splitlines() if line.startswith("error:")]
            self.assertEqual(len(lines), 1, errors)
            self.assertIn(told, lines[0])


class Stencil(unittest.TestCase):
    def test_steps(self):
        runs = [(ranks, program) for program in ("stencil", "halo", "steps") for ranks in (1, 2, 3, 4)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            done = list(pool.map(lambda one: run(one[0], f"stencil/{one[1]}", "17x12x9", "100"), runs))
        plain = numbers(done[0][1])
        self.assertEqual([line.split(":")[0] for line in plain], ["step 50", "step 100", "heat"])
        for one, (status, output, errors) in zip(runs, done):
            with self.subTest(one):
                self.assertEqual((status, numbers(output)), (0, plain), errors)


class HowTo(unittest.TestCase):
    def test_numbers(self):
        for program, wanted in (("client", "6000 drops, there should be 6000"),
                                ("halo", "all points: 755e6d397170aec5"),  # as on one rank
                                ("pipeline", "power of 96 waves: 3.600433e+09")):
            with self.subTest(program):
                status, output, errors = run(3, f"howto/{program}")
                self.assertEqual((status, output), (0, wanted + "\n"), errors)

    def test_graph(self):
        for ranks in (1, 2, 3, 4):
            with self.subTest(ranks=ranks):
                status, output, errors = run(ranks, "howto/graph")
                self.assertEqual((status, output.splitlines()[-1:]), (0, ["This is the solution."]), errors)

    def test_tune(self):
        with tempfile.TemporaryDirectory() as folder:
            first, again = (run(2, "howto/tune", WEFT_TUNE_FILE=f"{folder}/tuned.toml") for _ in range(2))
        self.assertEqual((first[0], again[0]), (0, 0), first[2] + again[2])
        self.assertIn("chosen in ", first[1])
        self.assertIn("after 3000 steps: 3\n", first[1])
        self.assertEqual(first[1].splitlines()[-1], again[1].splitlines()[-1])
        self.assertNotIn("chosen in ", again[1])  # it was stored


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
