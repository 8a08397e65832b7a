# SPDX-License-Identifier: BSD-3-Clause
"""Overlap as a test of pytest and of CTest, with a weft-run that only runs the command, and the examples for forges."""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from command import Folder
from weft import regions

ROOT = Path(__file__).resolve().parents[2]
# Writes its options to the file said, runs the command, and ends as FAKE_STATUS says.
WEFT_RUN = """#!/bin/sh
while [ "$1" != -- ]; do echo "$1"; shift; done >"$FAKE_SAID"
shift
"$@" || { status=$?; echo "weft run: mpirun ended with status $status." >&2; exit $status; }
if [ "${FAKE_STATUS:-0}" = 3 ]; then echo 'weft run: The overlap fraction is 12.0 %, below the required 60 % (status 3).' >&2; fi
if [ "${FAKE_STATUS:-0}" = 4 ]; then echo 'weft run: The overlap fraction of this run is unknown: 3 steps were found (status 4).' >&2; fi
exit ${FAKE_STATUS:-0}
"""
MPIRUN = '#!/bin/sh\nranks=$2\nshift 2\nfor rank in $(seq $ranks); do RANK=$rank "$@" || exit; done\n'
TESTS = """
import os, pytest
def note(word):
    assert "RANK" not in os.environ or "PYTEST_ADDOPTS" not in os.environ
    with open(os.environ["FAKE_NOTES"], "a") as notes:
        notes.write(word + os.environ.get("RANK", "-") + " ")
@pytest.mark.overlap(at_least=0.6, ranks=3, launcher="mpirun")
def test_body():
    note("body")
@pytest.mark.overlap(at_least=0.6, region="halo", repeat=2, launcher="mpirun", command=["sh", "-c", "echo ran$RANK >>$FAKE_NOTES"])
def test_command():
    note("after")
@pytest.mark.overlap(at_least=0.6, launcher="mpirun", strict=True)
@pytest.mark.parametrize("n", [1, 2])
def test_strict(n):
    note(f"strict{n}")
@pytest.mark.overlap(at_least=0.6, launcher="mpirun")
def test_fails():
    assert 1 == 2
@pytest.mark.overlap(0.5, 3, launcher="mpirun")
@pytest.mark.overlap(at_least=0.6, region="halo")
@pytest.mark.overlap(at_least=1, region="step/sum", repeat=2)
def test_marks(size):
    note(f"size{size}")
def test_plain():
    note("plain")
"""
CONFTEST = """
def pytest_addoption(parser):
    parser.addoption("--size", type=int, default=1)
    parser.getgroup("mine").addoption("--kind", action="append", nargs=2)
    parser.addoption("--big", action="store_true")
def pytest_generate_tests(metafunc):
    if "size" in metafunc.fixturenames:
        kind = metafunc.config.getoption("--kind") or [["", ""]]
        metafunc.parametrize("size", [f"{metafunc.config.getoption('--size')}{''.join(kind[0])}{metafunc.config.getoption('big')}"])
"""
# Wrong marks, and words of their messages.
WRONG = [("at_least=60", "at_least is 60 (an overlap fraction is 0 to 1)"), ("at_least='60%'", "at_least is '60%'"), ("True", "at_least is True"),
         ("0.5, ranks='2'", "ranks is '2' (it must be a whole number from 1 on)"), ("0.5, ranks=2.5", "ranks is 2.5"), ("0.5, repeat=0", "repeat is 0"),
         ("0.5, repeat=1001", "from 1 to 1000"), ("0.5, region=''", "region is ''"), ("0.5, region=3", "region is 3"),
         ("0.5, command=[]", "command is [] (there is no program in it)"), ("0.5, command=7", "command is 7"),
         ("0.5, command='a \"b'", "No closing quotation"), ("0.5, launcher=' '", "launcher is ' '"), ("0.5, strict=1", "strict is 1"),
         ("", "at_least"), ("0.5, rank=2", "Its arguments are wrong (got an unexpected keyword argument 'rank'). Use overlap("), ("0.5, 2)\n@pytest.mark.overlap(0.6, ranks=3", "ranks is 3 in one mark and 2 in another")]
UNITTEST = """
import unittest
class Case(unittest.TestCase):
    @pytest.mark.overlap(at_least=0.6)
    def test_method(self):
        pass
"""


class Faked(Folder):
    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        for name, text in (("weft-run", WEFT_RUN), ("mpirun", MPIRUN)):
            (self.folder / "bin" / name).write_text(text)
            (self.folder / "bin" / name).chmod(0o755)
        self.environment = os.environ | {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "FAKE_SAID": f"{self.folder}/said",
                                         "FAKE_NOTES": f"{self.folder}/notes", "PYTHONPATH": str(ROOT / "python")}

    def said(self):
        return " ".join((self.folder / "said").read_text().split())


@unittest.skipIf(importlib.util.find_spec("pytest") is None, "pytest is not installed")
class Pytest(Faked):
    def outcome(self, name, status=0, *words, text=TESTS, **environment):
        (self.folder / "test_it.py").write_text(text)
        (self.folder / "conftest.py").write_text(CONFTEST)
        done = subprocess.run([sys.executable, "-m", "pytest", "-p", "weft.pytest_overlap", "-q", "-rA", "-p", "no:cacheprovider", f"test_it.py{name}", *words],
                              cwd=self.folder, env=self.environment | {"FAKE_STATUS": str(status), **environment}, capture_output=True, text=True,
                              timeout=120, check=False)
        notes = self.folder / "notes"
        return done.returncode, done.stdout + done.stderr, notes.read_text().split() if notes.exists() else []

    def test_the_body_runs_on_the_ranks(self):
        status, out, notes = self.outcome("::test_body")
        self.assertEqual((status, notes), (0, ["body1", "body2", "body3"]), out)
        self.assertRegex(self.said(), r"--out \S+ --repeat 1 --fail-below 0.6$")
        self.assertEqual(self.outcome("::test_strict")[0], 0)

    def test_a_command_runs_on_the_ranks_and_the_body_afterwards(self):
        status, out, notes = self.outcome("::test_command")
        self.assertEqual((status, notes), (0, ["ran1", "ran2", "after-"]), out)
        self.assertIn("--repeat 2 --fail-below halo:0.6", self.said())

    def test_a_lost_overlap_fails_with_the_sentence(self):
        status, out, _ = self.outcome("::test_body", status=3)
        self.assertEqual(status, 1)
        self.assertIn("The overlap fraction is 12.0 %, below the required 60 % (status 3).", out)

    def test_an_unknown_overlap_skips_unless_strict(self):
        status, out, _ = self.outcome("::test_body", status=4)
        self.assertEqual(status, 0, out)
        self.assertRegex(out, r"SKIPPED.*The overlap fraction of this run is unknown: 3 steps were found")
        self.assertEqual(self.outcome("::test_strict", status=4)[0], 1)

    def test_a_failure_in_a_rank_fails(self):
        status, out, _ = self.outcome("::test_fails")
        self.assertEqual(status, 1)
        self.assertIn("mpirun ended with status 1", out)
        self.assertIn("FAILED test_it.py::test_fails - Failed: assert 1 == 2", out)

    def test_the_failure_is_that_of_the_first_rank_that_failed(self):
        text = """
import os, pytest
@pytest.mark.overlap(at_least=0.6, ranks=3, launcher="mpirun")
def test_reason():
    assert os.environ["RANK"] == "1", "my reason on " + os.environ["RANK"]
"""
        for color in ("no", "yes"):
            status, out, _ = self.outcome("::test_reason", 0, f"--color={color}", "--junitxml=results.xml", text=text, PY_COLORS="1")
            self.assertEqual(status, 1, out)
            self.assertIn("Failed: AssertionError: my reason on 2", out)
            self.assertEqual("\x1b[" in out, color == "yes")
            self.assertRegex((self.folder / "results.xml").read_text(), r'<failure message="Failed: AssertionError: my reason on 2')

    def test_wrong_marks(self):
        text = "import pytest\n" + "".join(f"@pytest.mark.overlap({mark})\ndef test_{n}():\n    pass\n" for n, (mark, _) in enumerate(WRONG))
        status, out, _ = self.outcome("", text=text + UNITTEST)
        self.assertEqual(status, 1, out)
        self.assertFalse((self.folder / "said").exists())
        for name, words in [(str(n), words) for n, (_, words) in enumerate(WRONG)] + [("Case::test_method", "on a method of a unittest.TestCase (Case)")]:
            with self.subTest(words):
                line = [line for line in out.splitlines() if line.startswith(f"test_it.py::{'' if '::' in name else 'test_'}{name}: ")]
                self.assertEqual(len(line), 1, out)
                self.assertIn("@pytest.mark.overlap: ", line[0])
                self.assertIn(words, line[0])
        for wrong in ("Traceback", "During handling"):
            self.assertNotIn(wrong, out)

    def test_all_marks_are_judged_with_the_options_of_the_user(self):
        (self.folder / "my.ini").write_text("[pytest]\naddopts = --size=7\n")
        status, out, notes = self.outcome("::test_marks", 0, "-c", "my.ini", "--kind", "a", "b", "--big", "--import-mode=importlib", "-x", "--maxfail=3",
                                          PYTEST_ADDOPTS="--no-header -k marks --junitxml=results.xml")
        self.assertEqual((status, notes), (0, [f"size7abTrue{rank}" for rank in (1, 2, 3)]), out)
        self.assertRegex(self.said(), r"--repeat 2 --fail-below step/sum:1.0 --fail-below halo:0.6 --fail-below 0.5$")
        self.assertIn("test_marks", (self.folder / "results.xml").read_text())  # of this process, not of a rank

    def test_a_test_that_the_ranks_do_not_find_fails(self):
        status, out, _ = self.outcome("::test_body", text=TESTS + "if 'WEFT_PYTEST_RANK' in os.environ:\n    del test_body\n")
        self.assertEqual(status, 1, out)
        self.assertIn("mpirun ended with status 1", out)
        self.assertIn("not found: ", out)

    @unittest.skipIf(importlib.util.find_spec("xdist") is None, "pytest-xdist is not installed")
    def test_beside_xdist(self):
        status, out, notes = self.outcome("::test_body", 0, "-n", "1", PYTEST_ADDOPTS="-n 2")
        self.assertEqual((status, notes), (0, ["body1", "body2", "body3"]), out)

    def test_other_tests(self):
        self.assertEqual(self.outcome("::test_plain")[0::2], (0, ["plain-"]))


@unittest.skipUnless(shutil.which("ctest"), "ctest is not installed")
class CTest(Faked):
    def configured(self, call, *options, module=ROOT / "cmake/WeftOverlapTest.cmake"):
        (self.folder / "CMakeLists.txt").write_text(
            f'cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES NONE)\nenable_testing()\ninclude("{module}")\n{call}\n')
        return subprocess.run(["cmake", "-S", self.folder, "-B", self.folder / "build", f"-DMPIEXEC_EXECUTABLE={self.folder}/bin/mpirun", *options],
                              env=self.environment, capture_output=True, text=True, timeout=120, check=False)

    def test_from_the_wheel(self):
        """The files that the package installs; its weft-run is found beside them."""
        build, tree = self.folder / "package", self.folder / "site/weft/_tools"
        (build / "stage/weft").mkdir(parents=True)
        for words in (["-S", ROOT / "python", "-B", build], ["--install", build, "--prefix", self.folder / "site"]):
            done = subprocess.run(["cmake", *words], capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(file.name for file in (tree / "include").iterdir()), ["WeftOverlapTest.cmake", "weft_region.f90", "weft_region.h"])
        (tree / "bin").mkdir()
        (self.folder / "bin/weft-run").rename(tree / "bin/weft-run")
        self.environment["PATH"] = os.pathsep.join(one for one in self.environment["PATH"].split(os.pathsep) if not (Path(one) / "weft-run").exists())
        done = self.configured("weft_add_overlap_test(NAME halo COMMAND true)", module=tree / "include/WeftOverlapTest.cmake")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{tree}/bin/weft-run", (self.folder / "build/CMakeCache.txt").read_text().replace("/include/..", ""))

    def result(self, status):
        return subprocess.run(["ctest", "--test-dir", self.folder / "build", "--output-on-failure"], env=self.environment | {"FAKE_STATUS": str(status)},
                              capture_output=True, text=True, timeout=120, check=False)

    def test_passes_fails_and_skips(self):
        done = self.configured("weft_add_overlap_test(NAME halo RANKS 3 AT_LEAST 50% REGION step/halo REPEAT 4 COMMAND true)")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.result(0).returncode, 0)
        self.assertEqual(self.said(), f"--out {self.folder}/build/halo.overlap --repeat 4 --fail-below step/halo:50%")
        failed = self.result(3)
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("below the required 60 %", failed.stdout)
        skipped = self.result(4)
        self.assertEqual(skipped.returncode, 0)
        self.assertIn("***Skipped", skipped.stdout)

    def test_words_of_the_program_stay_as_they_are(self):
        (self.folder / "sub").mkdir()
        (self.folder / "sub/CMakeLists.txt").write_text("")
        words = ["", "a;b", "NAME", "RANKS", "3", "COMMAND", "WORKING_DIRECTORY", "two words", "", "--", 'q"$x\\', "REGION"]
        quoted = " ".join("[==[" + word + "]==]" for word in words)
        done = self.configured(f'add_subdirectory(sub)\nset(ARGV3 outer)\nweft_add_overlap_test(NAME sub RANKS 1 COMMAND sh -c [[printf "<%s>" "$@" >"$FAKE_NOTES"]] {quoted})',
                               "-Dname=cached", "-Dregion=cached")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.result(0)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual((self.folder / "notes").read_text(), "".join(f"<{word}>" for word in words[1:]))  # sh takes the first as its name
        self.assertEqual(self.said(), f"--out {self.folder}/build/sub.overlap --repeat 3 --fail-below 60%")

    def test_flags_of_the_launcher(self):
        done = self.configured("weft_add_overlap_test(NAME a/b COMMAND sh -c [[echo $FLAG $0 $1 >$FAKE_NOTES]] last)", "-DMPIEXEC_PREFLAGS=env;FLAG=1",
                               "-DMPIEXEC_POSTFLAGS=-e;-f")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.result(0).returncode, 0)
        self.assertEqual((self.folder / "notes").read_text().split(), ["1", "last"])
        self.assertIn("/build/a-b.overlap --repeat", self.said())

    def test_defaults_and_refusals(self):
        self.assertEqual(self.configured("weft_add_overlap_test(NAME all COMMAND true)").returncode, 0)
        self.assertEqual(self.result(0).returncode, 0)
        self.assertIn("--repeat 3 --fail-below 60%", self.said())
        for call, words in (("NAME x", "COMMAND is missing"), ("COMMAND true", "NAME is missing"), ("NAME x COMMAND", "COMMAND is missing"),
                            ("NAME x COMMAND \"${unset}\"", "names no program"), ("NAME x LEAST 3 COMMAND true", "'LEAST' is not known"),
                            ("NAME ${unset} COMMAND true", "NAME has no value"), ("NAME x AT_LEAST ${unset} COMMAND true", "AT_LEAST has no value"),
                            ("NAME x RANKS ${unset} REPEAT 2 COMMAND true", "RANKS has no value"), ("NAME x REGION \"${unset}\" COMMAND true", "REGION has no value"),
                            ("NAME x REPEAT", "REPEAT has no value"), ("NAME x RANKS 0 COMMAND true", "RANKS is '0'"), ("NAME x RANKS two COMMAND true", "RANKS is 'two'"),
                            ("NAME x REPEAT 1001 COMMAND true", "REPEAT is '1001'"), ("NAME x AT_LEAST 60 COMMAND true", "AT_LEAST is '60'"),
                            ("NAME x AT_LEAST 101% COMMAND true", "AT_LEAST is '101%'"), ("NAME x AT_LEAST high COMMAND true", "AT_LEAST is 'high'")):
            with self.subTest(call):
                done = self.configured(f"weft_add_overlap_test({call})")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words, " ".join(done.stderr.split()))
        for least in ("0", "0.6", ".5", "1", "1.0", "100%", "62.5%"):
            self.assertEqual(self.configured(f"weft_add_overlap_test(NAME x AT_LEAST {least} COMMAND true)").returncode, 0, least)


class Regions(unittest.TestCase):
    def test_names_that_are_refused(self):
        for name in ("", "a\0b", "a\udc80", b"halo", None):
            with self.subTest(name=name), self.assertRaisesRegex((TypeError, ValueError), r"^The name of a region is .*\)\.( Leave it out\.)?$") as caught:
                regions.region(name)
            self.assertNotIsInstance(caught.exception, UnicodeEncodeError)
        with regions.region("Rand ü"):
            pass


class Forges(unittest.TestCase):
    def test_their_files_can_be_read(self):
        for name in ("github.yml", "gitlab.yml"):
            text = (ROOT / "examples/ci" / name).read_text()
            with self.subTest(name):
                self.assertNotIn("\t", text)
                self.assertRegex(text, r"weft run [^\n]*--fail-below 60% --history \S+ --markdown \S+ --junit \S+\s+-- mpirun")
                if importlib.util.find_spec("yaml") is not None:
                    import yaml
                    read = yaml.safe_load(text)
                    self.assertIn("overlap", read.get("jobs", read))
                for line in text.splitlines():  # what a reader of YAML trips over
                    self.assertRegex(line, r"^ *(#.*|- .*|[\w./-]+:( .*)?|[^ ].*)?$")
                    self.assertEqual(len(re.match(" *", line)[0]) % 2, 0, line)

    def test_neither_needs_a_package_index_for_weft(self):
        for name in ("github.yml", "gitlab.yml"):
            installs = [line for line in (ROOT / "examples/ci" / name).read_text().splitlines() if "install" in line and "weft-mpi" in line]
            self.assertEqual(len(installs), 1)
            self.assertIn('--no-index --find-links "$WEFT_WHEELS"', installs[0])


@unittest.skipUnless(shutil.which("git") and shutil.which("bash"), "git or bash is not installed")
class HistoryOnGithub(Folder):
    """The steps of github.yml that fetch and keep the history, with a folder in place of the forge."""

    def setUp(self):
        super().setUp()
        self.environment = {**{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
                            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        self.forge, self.work, self.temp = self.folder / "forge", self.folder / "runner/work", self.folder / "runner/temp"
        self.git("init", "--quiet", "--bare", self.forge)
        self.new_job()

    def git(self, *words, cwd=None):
        return subprocess.run(["git", *words], cwd=cwd or self.folder, env=self.environment, check=True, capture_output=True, text=True).stdout

    def new_job(self):
        shutil.rmtree(self.folder / "runner", ignore_errors=True)
        self.temp.mkdir(parents=True)
        self.git("init", "--quiet", self.work)
        self.git("remote", "add", "origin", self.forge, cwd=self.work)

    def step(self, name, **variables):
        """Runs the commands of a step as the runner would; the status, and the outputs."""
        text = (ROOT / "examples/ci/github.yml").read_text()
        commands = re.search(rf"- name: {name}\n(?:        .*\n)*?        run: \|\n((?:          .*\n)+)", text)[1]
        outputs = self.folder / "outputs"
        outputs.write_text("")
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", commands], cwd=self.work, capture_output=True, text=True,
                              env=self.environment | {"RUNNER_TEMP": str(self.temp), "GITHUB_WORKSPACE": str(self.work), "GITHUB_OUTPUT": str(outputs),
                                                      **variables}, check=False)
        return done.returncode, outputs.read_text().partition("commit=")[2].strip(), done.stderr

    def job(self, run, page=True):
        status, commit, said = self.step("Get the history")
        self.assertEqual(status, 0, said)
        runs = self.temp / "history/runs"
        if run is not None:
            runs.mkdir(exist_ok=True)
            (runs / run).write_text(run)
        if page:
            (self.work / "page").mkdir()
            (self.work / "page" / f"page of {run}").write_text("")
        return commit

    def keep(self, commit):
        return self.step("Keep the history", FETCHED=commit, GIT_INDEX_FILE=str(self.temp / "history.index"))

    def kept(self):
        return self.git("ls-tree", "-r", "--name-only", "overlap", cwd=self.forge).splitlines()

    def test_grows(self):
        for run, wanted in (("1", ["page/page of 1", "runs/1"]), ("2", ["page/page of 2", "runs/1", "runs/2"])):
            commit = self.job(run)
            self.assertEqual(self.keep(commit)[0], 0)
            self.assertEqual(self.kept(), wanted)
            self.assertEqual(self.git("rev-list", "--count", "overlap", cwd=self.forge), "1\n")
            self.new_job()
        (self.temp / "history").mkdir()  # of a runner that keeps its folder
        (self.temp / "history/runs").write_text("of another job")
        self.keep(self.job("3", page=False))
        self.assertEqual(self.kept(), ["page/page of 2", "runs/1", "runs/2", "runs/3"])

    def test_a_step_that_failed_before_the_run(self):
        self.assertEqual(self.keep(self.job(None, page=False))[0], 0)
        self.assertEqual(self.git("branch", cwd=self.forge), "")

    def test_a_failed_network_erases_nothing(self):
        self.keep(self.job("1"))
        self.new_job()
        self.git("remote", "set-url", "origin", self.folder / "away", cwd=self.work)
        self.assertNotIn(self.step("Get the history")[0], (0, 2))
        self.assertRegex((ROOT / "examples/ci/github.yml").read_text(), r"name: Keep the history\n(.*\n)?.* if: .*steps.history.outcome == 'success'")
        self.git("remote", "set-url", "origin", self.forge, cwd=self.work)
        (self.temp / "history/runs").mkdir()
        self.assertNotEqual(self.keep("")[0], 0)  # even without that condition
        self.assertEqual(self.kept(), ["page/page of 1", "runs/1"])

    def test_what_another_job_has_kept_stays(self):
        self.keep(self.job("1"))
        self.new_job()
        commit = self.job("2")
        other = self.git("-c", "user.name=x", "-c", "user.email=x@y", "commit-tree", "-m", "other", f"{commit}^{{tree}}", cwd=self.forge).strip()
        self.git("update-ref", "refs/heads/overlap", other, cwd=self.forge)
        self.assertNotEqual(self.keep(commit)[0], 0)
        self.assertEqual(self.git("rev-parse", "overlap", cwd=self.forge).strip(), other)


if __name__ == "__main__":
    unittest.main()
