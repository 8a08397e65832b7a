# SPDX-License-Identifier: BSD-3-Clause
"""The figures of README.md and docs/results.md are those of the last `make measure`."""
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/measure"))
import benchmarks  # noqa: E402
import machine  # noqa: E402
import page  # noqa: E402
import run  # noqa: E402
from wrong import Wrong  # noqa: E402

MEASURED = {"benchmarks": {"halo": {"rows": [{"values": {
    "weft": {"median": 512.4, "low": 500.0, "high": 530.0}, "plain MPI": {"median": 871.0, "low": 860.0, "high": 880.0, "ratio": 0.588}}}]}}}


class Figures(unittest.TestCase):
    def test_all_were_measured_last(self):
        newest = page.documents()[0]
        for name in ("README.md", "docs/results.md"):
            with self.subTest(name):
                text = (ROOT / name).read_text()
                self.assertEqual(page.unmeasured(text, newest), [])
                self.assertRegex(text, page.LINK)

    def test_the_page_is_that_of_the_files(self):
        """Apart from the marks of old figures, which each commit may change."""
        self.assertEqual(page.PAGE.read_text().replace(f" {page.OLD}", ""), page.text().replace(f" {page.OLD}", ""))

    def test_wrong_figures_are_found(self):
        link = "[measured](results/measured.md#halo)"
        for line, error in ((f"weft **0.51 ms**, {link}", "0.51 was not measured"), (f"weft **512 us**, plain MPI **871**, {link}", None),
                            (f"ratio **0.59**, or **1.7**, {link}", None), (f"weft **513**, {link}", "513 was not measured"),
                            (f"- weft **511**\n  us, {link}", "511 was not measured"), (f"```\nweft **3**, {link}\n```", None), ("**7**, [x](results/measured.md#nothing)", "not in the last measurement")):
            with self.subTest(line):
                found = page.unmeasured(line, MEASURED)
                self.assertEqual(len(found), 0 if error is None else 1, found)
                self.assertIn(error or "", "".join(found))

    def test_each_row_of_figures_has_a_link(self):
        self.assertEqual(len(page.unmeasured("## Ten figures\n\n| what | weft |\n|---|---|\n| a halo | **3 ms** |\n", MEASURED)), 1)


class Marks(unittest.TestCase):
    def test_a_figure_older_than_its_code(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(page, "ROOT", Path(folder)):
            def git(*words):
                return subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@y", *words], cwd=folder, check=True, capture_output=True,
                                      text=True).stdout.strip()
            git("init", "-q")
            for name, text in (("code", "1"), ("text", "1")):
                (Path(folder) / name).write_text(text)
            git("add", "."), git("commit", "-qm", "one")
            first = git("rev-parse", "HEAD")
            (Path(folder) / "text").write_text("2")
            git("commit", "-qam", "two")
            self.assertIs(page.has_changed(first, ["code"]), False)
            (Path(folder) / "code").write_text("2")
            git("commit", "-qam", "three")
            self.assertIs(page.has_changed(first, ["code"]), True)
            self.assertIsNone(page.has_changed("0123456789", ["code"]))


class Measuring(unittest.TestCase):
    def benchmark(self, command, **more):
        return benchmarks.Benchmark("fake", "A benchmark.", command, "halo.md",
                                    [benchmarks.Row("step", "ms", {"weft": benchmarks.value("a"), "other": benchmarks.value("b")})], [], **more)

    def measure(self, *of):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(run, "FOLDER", Path(folder)), mock.patch.object(run, "ROOT", Path(folder)):
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                complete = run.measure(of, None, False)
            files = list(Path(folder).glob("*.json"))
            return json.loads(files[0].read_text()) if files else None, said.getvalue(), complete

    def test_medians_and_ratios_within_a_launch(self):
        command = "n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) >count; echo '{\"a\": '$((n + 1))', \"b\": '$((4 * (n + 1)))'}'"
        document, _, complete = self.measure(self.benchmark(command))
        values = document["benchmarks"]["fake"]["rows"][0]["values"]
        self.assertEqual((values["weft"]["launches"], values["weft"]["median"], values["other"]["ratio"]), ([1, 2, 3], 2, 0.25))
        self.assertTrue(complete)

    def test_what_can_not_run_is_left_out(self):
        document, said, complete = self.measure(self.benchmark("false"), self.benchmark("echo", needs=["no-such-program"]))
        self.assertIsNone(document)
        self.assertIn("fake is left out (no-such-program is not installed)", said)
        self.assertIn("no report (exit status 1", said)
        self.assertFalse(complete)

    def test_a_hanging_benchmark_ends_with_all_that_it_started(self):
        with mock.patch.object(run, "LIMIT", 0.5):
            _, said, complete = self.measure(self.benchmark("sleep 1234.5 & sleep 1234.5"))
        self.assertIn("fake: not finished after 0.5 s. Left out.", said)
        self.assertFalse(complete)
        self.assertNotIn("sleep 1234.5", subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout)

    def test_a_busy_machine_is_refused(self):
        with mock.patch.object(machine, "busy_share", return_value=0.5), self.assertRaisesRegex(Wrong, "not quiet .*50 %"):
            machine.check_quiet()

    def test_every_benchmark_has_a_page(self):
        for benchmark in benchmarks.BENCHMARKS:
            self.assertTrue((ROOT / "docs/results" / benchmark.page.partition("#")[0]).is_file(), benchmark.name)
            for path in benchmark.depends:
                self.assertTrue((ROOT / path).exists(), path)

    def test_a_missing_build_is_refused(self):
        with mock.patch.object(run, "ROOT", Path("/nowhere")), self.assertRaisesRegex(Wrong, "Run make measure"):
            run.check_built()

    def test_wrong_options(self):
        done = subprocess.run([sys.executable, ROOT / "bench/measure", "--only", "nothing"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("There is no benchmark 'nothing'. Give some of modules, ", done.stderr)


if __name__ == "__main__":
    unittest.main()
