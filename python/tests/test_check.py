# SPDX-License-Identifier: BSD-3-Clause
"""The plan of `make check` (tools/check, tools/sanitize, tools/touched), with commands that only advance a clock."""
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from command import Folder

ROOT = Path(__file__).resolve().parents[2]
DATE = """#!/bin/sh
cat "$CHECK/clock"
"""
# take NAME: advances the clock by the duration of NAME in $CHECK/seconds, times $FACTOR.
TAKE = """#!/bin/sh
echo "$1" >>"$CHECK/log"
seconds=$(sed -n "s/^$1 //p" "$CHECK/seconds")
echo $(($(cat "$CHECK/clock") + ${seconds:?} * $FACTOR / 10)) >"$CHECK/clock"
"""
MAKE = """#!/bin/sh
take "$2"
"""
QUICK = """#!/bin/sh
take quick
"""
BUILD = """#!/bin/sh
[ -e "build/$1/build.log" ] && exit
mkdir -p "build/$1"
: >"build/$1/build.log"
take "$1"
"""
CTEST = """#!/bin/sh
case " $* " in
  *' --show-only '*) awk '{ printf "  Test #%d: %s\\n", NR, $1 }' "$CHECK/names"; echo "Total Tests: $(wc -l <"$CHECK/names")" ;;
  *) take batch; for word in "$@"; do case $word in *,*) echo "$2 $word" >>"$CHECK/batches" ;; esac; done ;;
esac
"""
SECONDS = """check-format 5
test 609
quick 30
check-python 234
model 60
check-mpich 383
check-browser 90
check-shared 90
check-wheel 245
asan 420
tsan 200
batch 25
"""
ALL = ["check-format", "test", "quick", "check-python", "model", "check-mpich", "check-browser", "check-shared", "asan", "tsan", "check-wheel"]


class Check(Folder):
    def setUp(self):
        super().setUp()
        for name, text in (("bin/date", DATE), ("bin/take", TAKE), ("bin/make", MAKE), ("bin/ctest", CTEST), ("tools/quick", QUICK),
                           ("tools/build", BUILD)):
            file = self.folder / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
            file.chmod(0o755)
        for name in ("check", "sanitize", "touched", "not-checked"):
            shutil.copy(ROOT / "tools" / name, self.folder / "tools")
        (self.folder / "seconds").write_text(SECONDS)
        (self.folder / "names").write_text("".join(f"{part}.{n}\n" for part in ("weft", "flow", "wave") for n in range(20)))

    def run_check(self, factor, limit=""):
        """Runs it on a machine that takes `factor` times as long. Returns what was run, the last line and the duration."""
        (self.folder / "clock").write_text("1000\n")
        environment = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "CHECK": str(self.folder),
                       "FACTOR": str(round(10 * factor)), "WEFT_CHECK_SECONDS": str(limit), "JOBS": "2", "GIT_CEILING_DIRECTORIES": "/"}
        done = subprocess.run([self.folder / "tools/check"], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        return (self.folder / "log").read_text().split(), done.stdout.splitlines()[-1], int((self.folder / "clock").read_text()) - 1000

    def commit(self, *files, when="2026-01-10T12:00:00Z"):
        for name in files:
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a") as out:
                out.write("changed\n")
        for words in (["init", "-q"], ["add", "-f", *files], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "A change"]):
            subprocess.run(["git", *words], cwd=self.folder, check=True, env={**os.environ, "GIT_COMMITTER_DATE": when})

    def test_all_runs_without_a_limit(self):
        log, last, _ = self.run_check(4)
        self.assertEqual([name for name in log if name != "batch"], ALL)
        self.assertEqual(log.count("batch"), 10)
        self.assertNotIn("not checked", last)

    def test_all_runs_within_the_limit_of_a_fast_machine(self):
        log, last, took = self.run_check(1, 4800)
        self.assertEqual([name for name in log if name != "batch"], ALL)
        self.assertNotIn("not checked", last)
        self.assertLess(took, 4800)

    def test_no_machine_exceeds_the_limit(self):
        self.commit("docs/a.md")
        self.commit("core/weft/a.cpp")
        for factor in (1, 1.5, 2, 2.5, 3, 4, 5):
            with self.subTest(factor=factor):
                shutil.rmtree(self.folder / "build", ignore_errors=True)
                (self.folder / "log").unlink(missing_ok=True)
                log, last, took = self.run_check(factor, 4800)
                self.assertLessEqual(took, 4800, last)
                self.assertEqual(log[:4], ALL[:4])
                self.assertEqual("wheel" in last, "check-wheel" not in log)
                self.assertEqual("MPICH" in last, "check-mpich" not in log)
                self.assertEqual("address sanitizer, what" in last, "asan" not in log, last)

    def test_the_tests_of_changes_are_sanitized_first(self):
        self.commit("programs/wave/a.cpp", "docs/a.md", "flow/view/a.cpp", when="2026-01-01T12:00:00Z")
        self.commit("programs/wave/a.cpp")
        self.commit("flow/tests/flow/a_test.cpp", "docs/a.md", when="2026-01-10T13:00:00Z")
        log, _, _ = self.run_check(1)
        built = [name for name in log if name in ("asan", "tsan", "check-mpich")]
        self.assertEqual(built, ["asan", "tsan", "check-mpich"])
        batches = [line.split() for line in (self.folder / "batches").read_text().splitlines()]
        order = [int(n) for preset, numbers in batches if preset == "asan" for n in numbers.split(",")[3:]]
        self.assertEqual(order, [*range(21, 61), *range(1, 21)])

    def test_the_order_does_not_need_a_history(self):
        self.commit("core/weft/a.cpp")  # as a shallow clone
        log, _, _ = self.run_check(1)
        self.assertEqual([name for name in log if name != "batch"], ALL)

    def test_a_sanitizer_ends_in_time(self):
        (self.folder / "seconds").write_text(SECONDS.replace("batch 25", "batch 200"))
        _, last, took = self.run_check(1, 2500)
        self.assertIn("of 60 tests of the preset asan, from ", last)
        self.assertLessEqual(took, 2500)


if __name__ == "__main__":
    unittest.main()
