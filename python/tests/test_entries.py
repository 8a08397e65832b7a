# SPDX-License-Identifier: BSD-3-Clause
"""Every test case of every test program belongs to an entry of ctest. The entries' filters are read from the sources (cmake/WeftTest.cmake),
which could miss one."""
import fnmatch
import json
import os
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WEFT_BUILD", ROOT / "build" / "release"))
WITHOUT_CASES = ("weft_c_", "weft_fortran_")  # one program a source, without GoogleTest
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def cases(program):
    suite = ""
    listed = subprocess.run([program, "--gtest_list_tests"], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith("  "):
            yield suite + word
        elif word.endswith("."):
            suite = word


@unittest.skipUnless((BUILD / "CTestTestfile.cmake").exists(), "the tests are not built (make test)")
class Entries(unittest.TestCase):
    def test_run_every_case(self):
        shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=BUILD, capture_output=True, text=True, check=True)
        filters, run = {}, set()
        for entry in json.loads(shown.stdout)["tests"]:
            command = entry.get("command", [])
            run.update(Path(word).name for word in command)
            if command and command[-1].startswith("--gtest_filter="):
                filters.setdefault(command[-2], set()).update(command[-1].split("=", 1)[1].split(":"))
        programs = {program.name for program in BUILD.glob("*_test")}
        self.assertEqual(programs - run, set())
        self.assertEqual({Path(p).name for p in filters}, {name for name in programs if not name.startswith(WITHOUT_CASES)})
        for program, patterns in filters.items():
            for case in cases(program):
                with self.subTest(program=Path(program).name, case=case):
                    self.assertTrue(any(fnmatch.fnmatchcase(case, pattern) for pattern in patterns))

    def test_a_library_has_at_most_two_programs(self):
        for program in BUILD.glob("*_test"):
            if program.name.startswith(WITHOUT_CASES):
                continue
            part = program.name.removesuffix("_test").removesuffix("_mpi")
            self.assertIn(program.name, (f"{part}_test", f"{part}_mpi_test"))
            self.assertTrue(any((folder / name).is_dir() for folder in (ROOT / "tests", *ROOT.glob("*/tests"))
                                for name in (part, f"{part}_program")), program.name)


if __name__ == "__main__":
    unittest.main()
