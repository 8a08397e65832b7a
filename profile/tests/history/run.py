#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""weft run --history, --markdown and --junit with a launcher that leaves made reports, and weft history.

    run.py WEFT_RUN WEFT_HISTORY
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree as xml

RUN, HISTORY = (os.path.abspath(program) for program in sys.argv[1:3])
FORGE = ("GITHUB_SHA", "GITHUB_REF_NAME", "CI_COMMIT_SHA", "CI_COMMIT_REF_NAME")
GIT = ("git", "-c", "user.name=jo", "-c", "user.email=jo@example.org")


def report(fraction=0.5, **mean):
    spans = [{"kind": "call", "from": 0.002, "to": 0.004, "call": "MPI_Wait", "lane": 0}]
    return {"format": 2, "ended": "finalize", "program": "/x/jacobi", "ranks": 2, "library": "Open MPI v4.1.4", "seconds": 1.5,
            "recorded_share": 1.0, "environment": {"nodes": 1, "cores_of_node": 4},
            "mean": {"steps": 100, "seconds": 1e-2, "mpi_seconds": 4e-3, "messages": 4, "needed_seconds": 1e-3, "late_seconds": 0,
                     "overlap_fraction": fraction, "matched": 1, **mean},
            "regions": [{"name": "step/halo", "seconds": 4e-3, "messages": 2, "needed_seconds": 1e-3, "overlappable_seconds": 1e-3, "overlap_fraction": fraction / 2, "interval": [fraction / 2 - 0.01,
                                                                                                             fraction / 2 + 0.01]}],
            "sites": [{"place": "a.c:7 exchange|<b>", "call": "MPI_Wait", "kind": "wait", "function": "exchange|<b>", "file": "/x/a.c",
                       "line": 7, "calls": 200, "seconds": 0.4, "a_step": {"calls": 2, "seconds": 3e-3, "exposed_seconds": 2e-3}}],
            "picture": {"seconds": 1e-2, "ranks": [{"rank": 0, "spans": spans}, {"rank": 1, "spans": spans}]}}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        (self.folder / "launch").write_text('if [ -n "$REPORT" ]; then cp "$REPORT" "$WEFT_ADVISE_OUT.json"; fi; exit ${END:-0}\n')

    def run_it(self, *words, made=None, cwd=None, end=0, env=None):
        environment = {k: v for k, v in os.environ.items() if k not in FORGE} | {"END": str(end), "GIT_CEILING_DIRECTORIES": str(self.folder.parent)}
        if made is not None:
            (self.folder / "made").write_text(json.dumps(made))
            environment["REPORT"] = str(self.folder / "made")
        return subprocess.run([RUN, *map(str, words), "--", "sh", str(self.folder / "launch")], cwd=cwd or self.folder,
                              env=environment | (env or {}), text=True, capture_output=True, timeout=100, check=False)

    def add(self, fraction, **settings):
        done = self.run_it("--history", self.folder / "overlap", made=report(fraction), **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        path = re.search(r"added to the history as (\S+)\.\n", done.stderr)
        return json.loads(pathlib.Path(path[1]).read_text())

    def history(self, *words):
        return subprocess.run([HISTORY, *map(str, words)], cwd=self.folder, text=True, capture_output=True, timeout=100, check=False)


class Adding(Folder):
    def test_a_run_without_git(self):
        run = self.add(0.5)
        self.assertEqual({"commit", "branch", "dirty", "unknown"} & set(run), set())
        self.assertEqual((run["format"], run["program"], run["machine"]["ranks"]), (1, "/x/jacobi", 2))
        self.assertEqual([one["name"] for one in run["regions"]], ["whole program", "step/halo"])
        self.assertEqual(run["command"][0], "sh")

    def test_variables_of_forges(self):
        run = self.add(0.5, env={"GITHUB_SHA": "a" * 40, "GITHUB_REF_NAME": "7/merge"})
        self.assertEqual((run["commit"], run["branch"]), ("a" * 40, "7/merge"))
        run = self.add(0.5, env={"CI_COMMIT_SHA": "b" * 40, "CI_COMMIT_REF_NAME": "trunk"})
        self.assertEqual((run["commit"], run["branch"]), ("b" * 40, "trunk"))
        self.assertNotIn("dirty", run)
        self.assertNotIn("commit", self.add(0.5, env={"GITHUB_SHA": "$(reboot)"}))

    def test_git(self):
        work = self.folder / "work"
        work.mkdir()
        (work / "a").write_text("1")
        for words in (["init", "--quiet", "-b", "trunk"], ["add", "a"], ["commit", "--quiet", "-m", "x"]):
            subprocess.run([*GIT, *words], cwd=work, check=True)
        commit = subprocess.run([*GIT, "rev-parse", "HEAD"], cwd=work, check=True, capture_output=True, text=True).stdout.strip()
        run = self.add(0.5, cwd=work)  # the report itself is a file that git does not know
        self.assertEqual((run["commit"], run["branch"], run["dirty"]), (commit, "trunk", False))
        (work / "a").write_text("2")
        self.assertIs(self.add(0.5, cwd=work)["dirty"], True)
        traced = self.add(0.5, cwd=work, env={"GIT_TRACE": "1"})
        self.assertEqual((traced["commit"], traced["branch"], traced["dirty"]), (commit, "trunk", True))
        (work / ".git/index").rename(work / ".git/kept")
        (work / ".git/index").write_text("damaged")
        damaged = self.add(0.5, cwd=work)
        self.assertEqual((damaged["commit"], "dirty" in damaged), (commit, False))
        (work / ".git/kept").rename(work / ".git/index")
        subprocess.run([*GIT, "checkout", "--quiet", "--detach"], cwd=work, check=True)
        self.assertEqual(self.add(0.5, cwd=work, env={"CI_COMMIT_REF_NAME": "trunk"})["branch"], "trunk")
        self.assertNotIn("branch", self.add(0.5, cwd=work))

    def test_runs_at_once_are_all_kept(self):
        (self.folder / "made").write_text(json.dumps(report()))
        threads = [threading.Thread(target=self.run_it, args=("--history", "overlap", "--out", f"out{i}"),
                                    kwargs={"env": {"REPORT": str(self.folder / "made")}}) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(list((self.folder / "overlap").iterdir())), 6)

    def test_only_runs_that_ended_well(self):
        self.assertEqual(self.run_it("--history", "overlap", made=report(), end=5).returncode, 5)
        self.assertFalse((self.folder / "overlap").exists())
        done = self.run_it("--history", "overlap", "--fail-below", "90%", made=report())
        self.assertEqual(done.returncode, 3)
        self.assertEqual(len(list((self.folder / "overlap").iterdir())), 1)  # a loss belongs to the history

    def test_a_folder_that_cannot_be_written(self):
        (self.folder / "file").write_text("")
        done = self.run_it("--history", "file", made=report())
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        done = self.run_it("--history", "/proc/no_such_folder", made=report())
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertFalse((self.folder / "weft_run.json").exists())

    def test_no_reports_of_earlier_runs(self):
        (self.folder / "old.json").write_text(json.dumps(report()))
        done = subprocess.run([RUN, "--report", "old.json", "--history", "overlap"], cwd=self.folder, text=True, capture_output=True,
                              timeout=100, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        self.assertFalse((self.folder / "overlap").exists())


class Page(Folder):
    def test_page_and_badge(self):
        for fraction in (0.6, 0.6, 0.6, 0.6, 0.2, 0.2, 0.2):
            self.add(fraction)
        (self.folder / "overlap/notes.txt").write_text("mine")
        done = self.history("overlap", "-o", "page")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "page/index.html\n", ""))
        page = (self.folder / "page/index.html").read_text()
        self.assertIn('id="change-1"', page)
        self.assertEqual(page.count("<h4>"), 3)
        xml.fromstring((self.folder / "page/badge.svg").read_text())
        self.assertEqual(self.history("overlap", "-o", "page").returncode, 0)
        self.assertEqual((self.folder / "overlap/notes.txt").read_text(), "mine")

    def test_a_damaged_file(self):
        self.add(0.5)
        file = next((self.folder / "overlap").iterdir())
        file.write_text(file.read_text()[:100])
        done = self.history("overlap", "-o", "page")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, rf"^error: .*{re.escape(file.name)} is no run of a history \(.+\)\. .+\.\n$")
        self.assertFalse((self.folder / "page").exists())
        self.add(0.5)
        done = self.history("overlap", "-o", "page")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, rf"^weft history: Left out: .*{re.escape(file.name)} is no run of a history [^\n]+\n$")
        self.assertIn(file.name, (self.folder / "page/index.html").read_text())

    def test_refusals(self):
        self.add(0.5)
        (self.folder / "mine").mkdir()
        (self.folder / "mine/index.html").write_text("mine")
        for words in ([], ["overlap"], ["nothing", "-o", "page"], ["overlap", "-o", "mine"], ["overlap", "-o", ""], ["mine", "-o", "page"],
                      ["overlap", "-o", "overlap/" + next((self.folder / "overlap").iterdir()).name]):
            with self.subTest(words):
                done = self.history(*words)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        self.assertEqual((self.folder / "mine/index.html").read_text(), "mine")
        (self.folder / "mine/index.html").unlink()
        (self.folder / "mine/badge.svg").write_text("<svg/>")
        done = self.history("overlap", "-o", "mine")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertEqual([file.name for file in (self.folder / "mine").iterdir()], ["badge.svg"])
        done = self.history("overlap", "-o", "page", "--branch", "mian")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("mian", done.stderr)
        self.assertIn("'one' is not expected here.", self.history("overlap", "one", "two", "-o", "page").stderr)
        self.assertFalse((self.folder / "page").exists())


class Forge(Folder):
    def files(self, *words, **settings):
        done = self.run_it("--markdown", "a.md", "--junit", "a.xml", *words, **settings)
        return done.returncode, (self.folder / "a.md").read_text(), xml.parse(self.folder / "a.xml").getroot()[0]

    def test_a_test_that_passes(self):
        status, text, suite = self.files("--fail-below", "20%", made=report())
        self.assertEqual((status, suite.get("tests"), suite.get("failures"), suite.get("errors")), (0, "1", "0", "0"))
        self.assertEqual(suite[0].get("name"), "overlap of whole program")
        self.assertIn("| step/halo | 25.0 % | 24.0 % to 26.0 % | 4.00 ms |", text)
        self.assertIn("<details><summary>Where the program waits", text)
        self.assertIn(r"exchange\|\<b\>", text)

    def test_a_lost_overlap(self):
        status, text, suite = self.files("--fail-below", "90%", made=report())
        self.assertEqual((status, suite.get("failures"), suite.get("errors")), (3, "1", "0"))
        self.assertIn("below the required 90 %", suite[0][0].get("message"))
        self.assertIn("- **failed**: The overlap fraction is 50.0 %", text)
        self.assertIn("**Where the program waits**", text)
        self.assertIn("a.c:7", text)

    def test_an_unknown_overlap(self):
        status, text, suite = self.files("--fail-below", "20%", made=report(steps=3))
        self.assertEqual((status, suite.get("failures"), suite.get("errors")), (4, "0", "1"))
        self.assertIn("20 are needed", suite[0][0].text)
        self.assertIn("| whole program | unknown |", text)
        self.assertNotIn("overlap fraction is", text)
        self.assertEqual(self.files("--fail-below", "20%")[0], 4)
        self.assertIn("There is no report", self.files("--fail-below", "20%")[1])

    def test_a_failed_program(self):
        status, text, suite = self.files("--fail-below", "20%", made=report(), end=5)
        self.assertEqual((status, suite.get("errors")), (5, "1"))
        self.assertIn("ended with status 5", text)

    def test_no_tests(self):
        status, _, suite = self.files(made=report())
        self.assertEqual((status, suite.get("tests"), suite.get("errors")), (0, "1", "0"))

    def test_files_that_cannot_be_written(self):
        for option in ("--markdown", "--junit"):
            done = self.run_it(option, "no/folder/a", made=report())
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertFalse((self.folder / "weft_run.json").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
