#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""weft run as its user sees it: with launchers that only print what they were given, and with those that are here.

    run.py WEFT_RUN FOLDER_OF_PROGRAMS
"""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

WEFT_RUN, PROGRAMS = sys.argv[1], pathlib.Path(sys.argv[2])
VERSIONS = {"mpirun": "mpirun (Open MPI) 4.1.4", "mpiexec": "HYDRA build details:", "srun": "slurm 22.05.8"}
REPORT = {"format": 2, "ended": "finalize", "ranks": 2, "library": "fake", "seconds": 1.0, "mpi_seconds": 0.4, "looked_at": 1.0,
          "step": {"found_by": "period", "ends_with": "MPI_Wait"},
          "mean": {"steps": 100, "seconds": 0.01, "mpi_seconds": 0.004, "needed_seconds": 0.002, "hidden_seconds": 0.001,
                   "hidden_fraction": 0.5, "matched": 1.0}, "sites": [], "advice": []}
# Prints its arguments; gives its "ranks" the variables and leaves a report, as the preloaded library would.
FAKE = """#!/bin/sh
[ "$1" = --version ] && {{ echo '{version}'; exit 0; }}
printf '%s\\n' "$@"
echo "preloaded: $LD_PRELOAD"
for word in "$@"; do case "$word" in WEFT_ADVISE_OUT=*|--export=*WEFT_ADVISE_OUT=*) out=${{word#*WEFT_ADVISE_OUT=}}; out=${{out%%,*}};; esac
  [ "$last" = WEFT_ADVISE_OUT ] && out=$word
  last=$word; done
[ -n "$REPORT" ] && cp "$REPORT" "$out.json"
{end}
"""


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def script(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def fake(self, name, end="exit 0"):
        return self.script(name, FAKE.format(version=VERSIONS[name], end=end))

    def report(self, **changes):
        path = self.folder / "made.json"
        path.write_text(json.dumps({**REPORT, **changes}))
        return str(path)

    def run_it(self, *words, report=None, **environment):
        env = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1", **environment)
        env.pop("LD_PRELOAD", None)
        if report:
            env["REPORT"] = report
        return subprocess.run([WEFT_RUN, *map(str, words)], cwd=self.folder, env=env, capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL)

    def test_each_launcher_hands_on_the_variables_and_the_status(self):
        ends = {"exit 0": 0, "exit 5": 5, "kill -9 $$": 137}
        for name in VERSIONS:
            for end, status in ends.items():
                with self.subTest(name, end=end):
                    done = self.run_it("--", self.fake(name, end), "-n", "2", "program", report=self.report())
                    self.assertEqual(done.returncode, status, done.stderr)
                    self.assertIn("libweft_advise.so", done.stdout)
                    self.assertIn("preloaded: \n", done.stdout)  # the launcher itself is not
                    self.assertIn("WEFT_ADVISE_TABLE", done.stdout)
                    self.assertTrue((self.folder / "weft_run.html").exists())
                    self.assertEqual("signal 9" in done.stderr, status == 137)
                    self.assertIn("50 % is hidden", done.stderr)

    def test_gates(self):
        fake = self.fake("mpirun")
        before = self.folder / "before.json"
        before.write_text(json.dumps({**REPORT, "mean": {**REPORT["mean"], "hidden_fraction": 0.9}}))
        few = {**REPORT["mean"], "steps": 3}
        for options, changes, status in ((["--fail-below", "40%"], {}, 0), (["--fail-below", "0.6"], {}, 3),
                                         (["--against", before], {}, 3), (["--fail-below", "40%"], {"mean": few}, 4)):
            done = self.run_it(*options, "--", fake, "program", report=self.report(**changes))
            self.assertEqual(done.returncode, status, done.stderr)
        done = self.run_it("--fail-below", "60%", "--", self.fake("mpiexec", "exit 7"), "program", report=self.report())
        self.assertEqual(done.returncode, 7)  # the program's own comes first

    def test_repeats_take_the_run_in_the_middle(self):
        fake = self.fake("mpirun")
        done = self.run_it("--repeat", 3, "--", fake, "program", report=self.report())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Of 3 runs", done.stderr)
        self.assertEqual(sorted(p.name for p in self.folder.glob("weft_run*")), ["weft_run.html", "weft_run.json"])

    def test_a_folder_that_cannot_be_written(self):
        done = self.run_it("--out", "/proc/nowhere/x", "--", self.fake("mpirun"), "program", report=self.report())
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_wrong_words(self):
        for words in (["--fail-below", "often", "--", "true"], ["--repeat", "0", "--", "true"], ["--nonsense"], [],
                      ["--", "./not-there"], ["--against", "no.json", "--", "true"], ["--report", "no.json"]):
            done = self.run_it(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("weft run: error: "), done.stderr)

    def test_a_report_again(self):
        done = self.run_it("--report", self.report())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "made.html").exists())

    def test_programs_that_cannot_be_watched(self):
        done = self.run_it("--", shutil.which("true"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("no MPI library", done.stderr)
        self.assertIn("there is no report", done.stderr)
        compiler = shutil.which("cc")
        if compiler:
            (self.folder / "a.c").write_text("int main(void) { return 6; }\n")
            subprocess.run([compiler, "-static", "-o", self.folder / "still", self.folder / "a.c"], check=True)
            done = self.run_it("--", self.folder / "still")
            self.assertEqual(done.returncode, 6)
            self.assertIn("linked statically", done.stderr)

    def real(self, launcher, program, *words):
        if not shutil.which(launcher) or not (PROGRAMS / program).exists():
            self.skipTest(f"{launcher} or {program} is not here")
        return self.run_it("--", launcher, "-n", "2", PROGRAMS / program, *words)

    def test_real_programs(self):
        for launcher, program in (("mpirun.openmpi", "advise_ways"), ("mpiexec.mpich", "advise_ways_mpich")):
            with self.subTest(launcher):
                done = self.real(launcher, program, "steps")
                self.assertEqual((done.returncode, done.stdout), (0, "in 2.000\n"), done.stderr)
                self.assertIn("not hidden", done.stderr)
                self.assertEqual(json.loads((self.folder / "weft_run.json").read_text())["ranks"], 2)

    def test_real_programs_that_end_early(self):
        for launcher, program in (("mpirun.openmpi", "advise_ways"), ("mpiexec.mpich", "advise_ways_mpich")):
            for end in ("abort", "killed", "crash", "exit"):
                with self.subTest(launcher, end=end):
                    done = self.real(launcher, program, end)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn("ENDED EARLY", done.stderr)
                    self.assertIn("ways.c:", done.stderr)
                    self.assertEqual(list(self.folder.glob("*.live")), [])
                    self.assertEqual(json.loads((self.folder / "weft_run.json").read_text())["left_by"], [0, 1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
