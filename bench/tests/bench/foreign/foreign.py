# SPDX-License-Identifier: BSD-3-Clause
"""weft bench foreign: foreign.py WEFT-BENCH MPIRUN"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH, LAUNCHER = sys.argv[1:3]


def bench(*words, before=()):
    return subprocess.run([*before, BENCH, "foreign", *words], capture_output=True, text=True, timeout=200, stdin=subprocess.DEVNULL)


class Foreign(unittest.TestCase):
    def test_three_kinds_of_each_program(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "foreign.json"
            done = bench("--launcher", f"{LAUNCHER} -n 2", "--repeats", "1", "--seconds", "0.2", "--json", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(file.read_text())
        self.assertEqual((report["benchmark"], report["mpi"]["ranks"], report["machine"]["nodes"]), ("foreign", 2, 1))
        self.assertEqual(set(report["figures"]), {"worst_over_plain", "driven_over_plain", "start_and_end_seconds"})
        measured = {(r["key"]["program"], r["key"]["kind"]) for r in report["results"]}
        self.assertEqual(measured, {(p, k) for p in ("exchange", "jacobi", "pingpong") for k in ("plain", "watched", "driven")})
        self.assertTrue(all(r["median"] > 0 for r in report["results"]))

    def test_another_program(self):
        done = bench("--launcher", f"{LAUNCHER} -n 1", "--repeats", "1", "--", "sh", "-c", "echo $WEFT_PROGRESS >&2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(done.stderr.split()), ["passive", "thread"])
        self.assertIn("sh driven / plain", done.stdout)

    def test_an_odd_number_of_ranks(self):
        done = bench("--launcher", f"{LAUNCHER} -n 1", "--repeats", "1", "--seconds", "0.1", "--only", "exchange,pingpong")
        self.assertEqual(done.returncode, 0, done.stderr)

    def refused(self, said, status, *words, before=()):
        done = bench(*words, before=before)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn(said, done.stderr)

    def test_what_is_wrong_is_one_line(self):
        self.refused("There is no program 'no-such-launcher' in PATH", 2, "--launcher", "no-such-launcher -n 2")
        self.refused("--launcher is empty", 2, "--launcher", " ")
        self.refused("--only: fast not in", 2, "--only", "fast")
        self.refused("ended with status 7 (plain)", 1, "--launcher", f"{LAUNCHER} -n 1", "--", "sh", "-c", "exit 7")
        self.refused("Start it without mpirun", 2, before=("env", "OMPI_COMM_WORLD_SIZE=2"))

    def test_help(self):
        self.assertIn("--launcher", bench("--help").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
