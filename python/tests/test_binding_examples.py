# SPDX-License-Identifier: BSD-3-Clause
"""The examples of docs/python run; the stub is that of the module."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from binding import BUILD, ROOT, Case, environment, needs_module, run
from mpi_of_tests import ABI, LIBRARY

EXAMPLES = ROOT / "examples/python"
OUTPUT = {"exchange": "heat of all ranks: 100.000000, at first 100", "mpi4py_communicator": f"ranks in this half, {LIBRARY}",
          "monitors": "step 100: ", "steps": "overlap: 101 steps on 2 ranks", "halo": "rank 1: 1 round, mean", "pipeline": "rank 1: 7916.100",
          "own_blocks": "own blocks: ", "cupy_heat": "heat 100.000000",
          "transform": "the derivative is right", "tuned": "chosen in"}


@needs_module
class Examples(Case):
    def test_all_run(self):
        stems = {file.stem for file in EXAMPLES.glob("*.py")}
        twins = {stem for stem in stems if stem.endswith("_mpi4py")}  # with their programs in test_python_examples
        imported = {"poisson_mesh"}  # by both programs of a pair
        self.assertEqual(stems - twins - imported - {stem.removesuffix("_mpi4py") for stem in twins}, set(OUTPUT))
        with tempfile.TemporaryDirectory() as folder:
            for name, text in OUTPUT.items():
                with self.subTest(name):
                    if name in ("transform", "own_blocks") and run('print(hasattr(weft, "Fft"))\n', 0).stdout.startswith("False"):
                        continue
                    done = run(str(EXAMPLES / f"{name}.py"), 2, arguments=["--test-device"] if name == "cupy_heat" else [], WEFT_TUNE_FILE=os.path.join(folder, "tuned.toml"))
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn(text, done.stdout)


@needs_module
class Stub(unittest.TestCase):
    def test_is_that_of_the_module(self):
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder, "_core.pyi")
            command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "_core", "-i", str(BUILD / f"python/weft/_{ABI}"), "-o", str(made)]
            done = subprocess.run(command, env=environment(WEFT_STUBGEN="1"), capture_output=True, text=True)
            if "No module named" in done.stderr:
                self.skipTest("nanobind is not installed (tools/setup-python test)")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(made.read_text(), (ROOT / "python/weft/_core.pyi").read_text(),
                             "build the target weft_python_stub, which writes python/weft/_core.pyi")

    def test_has_all_names(self):
        sys.path.insert(0, str(ROOT / "python"))
        import weft
        names = set(re.findall(r"^(?:class|def) (\w+)", (ROOT / "python/weft/_core.pyi").read_text(), re.MULTILINE))
        self.assertEqual(set(weft._CORE) | {"Computing"}, names)
        self.assertEqual(weft.__version__, re.search(r"project\(weft VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1])


if __name__ == "__main__":
    unittest.main()
