# SPDX-License-Identifier: BSD-3-Clause
"""The command `weft` of the Python package, in a package whose programs are scripts that print what they got."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHOW = """#!/bin/sh
echo "program $(basename $(dirname $(dirname $0)))/$(basename $0)"
for word in "$@"; do echo "word $word"; done
echo "python $WEFT_PYTHON"
echo "fonts $FONTCONFIG_FILE"
echo "libraries $LD_LIBRARY_PATH"
"""


class Launcher(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.package = self.folder / "site/weft"
        self.package.mkdir(parents=True)
        (self.package / "__init__.py").write_text("")
        for name in ("_launcher.py", "_native.py"):
            (self.package / name).write_text((ROOT / "python/weft" / name).read_text())
        for name in ("aneurysm/case.toml", "bifurcation/case.toml", "wave/plane.toml"):
            file = self.package / "_share/examples" / name
            file.parent.mkdir(parents=True)
            file.write_text("")
        (self.package / "_share/fonts").mkdir()
        (self.package / "_share/fonts/fonts.conf").write_text("")

    def program(self, abi, name):
        file = self.package / f"_{abi}/bin" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(SHOW)
        file.chmod(0o755)

    def library(self, name):
        """A file that is called like an MPI library. The programs here don't load it."""
        file = self.folder / "mpi/lib" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"")
        return str(file)

    def weft(self, *words, **variables):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMI", "MPI", "LD_", "FONTCONFIG", "WEFT_"))}
        environment = {**kept, "PYTHONPATH": str(self.folder / "site"), "XDG_CACHE_HOME": str(self.folder / "cache"), **variables}
        return subprocess.run([sys.executable, "-P", "-m", "weft._launcher", *words] if sys.version_info >= (3, 11) else
                              [sys.executable, "-m", "weft._launcher", *words], env=environment, cwd=self.folder, text=True,
                              capture_output=True, timeout=60)

    def refused(self, *words, text, **variables):
        run = self.weft(*words, **variables)
        self.assertEqual(2, run.returncode, run.stdout + run.stderr)
        self.assertEqual(1, len(run.stderr.splitlines()), run.stderr)
        self.assertIn(text, run.stderr)

    def test_the_named_library_decides_which_program_runs(self):
        for abi, name in (("openmpi", "libmpi.so.40"), ("mpich", "libmpi.so.12")):
            for each in ("openmpi", "mpich"):
                self.program(each, "weft-flow")
            path = self.library(name)
            run = self.weft("flow", "case.toml", "--steps", "1", MPI4PY_LIBMPI=path)
            lines = run.stdout.splitlines()
            self.assertEqual(f"program _{abi}/weft-flow", lines[0], run.stderr)
            self.assertEqual(["word case.toml", "word --steps", "word 1"], lines[1:4])
            self.assertIn(f"python {sys.executable}", lines)
            self.assertIn(f"fonts {self.package}/_share/fonts/fonts.conf", lines)
            self.assertIn(f"libraries {Path(path).parent}", lines)

    def test_a_library_with_another_file_name_gets_a_link(self):
        self.program("mpich", "weft-flow")
        path = self.library("libmpich.so.12")
        for _ in range(2):
            run = self.weft("flow", MPI4PY_LIBMPI=path)
            folder = next(line.split()[1] for line in run.stdout.splitlines() if line.startswith("libraries"))
            self.assertEqual(path, os.readlink(Path(folder) / "libmpi.so.12"))

    def test_examples_are_named(self):
        self.program("mpich", "weft-flow")
        self.program("mpich", "weft-wave")
        path = self.library("libmpi.so.12")
        run = self.weft("flow", "--steps", "3", "--example", "aneurysm", MPI4PY_LIBMPI=path)
        self.assertEqual(["word --steps", "word 3"], run.stdout.splitlines()[2:4], run.stderr)
        self.assertTrue(run.stdout.splitlines()[1].endswith("_share/examples/aneurysm/case.toml"))
        run = self.weft("wave", "--example=plane", MPI4PY_LIBMPI=path)
        self.assertTrue(run.stdout.splitlines()[1].endswith("_share/examples/wave/plane.toml"), run.stderr)
        self.refused("flow", "--example", "heart", MPI4PY_LIBMPI=path, text="The examples are: aneurysm, bifurcation.")
        self.refused("flow", "--example", MPI4PY_LIBMPI=path, text="--example needs a name")

    def test_missing_parts_are_reported_in_one_line(self):
        self.refused("flow", text="This package has no programs")
        self.program("openmpi", "weft-flow")
        self.refused("flow", MPI4PY_LIBMPI=self.library("libmpi.so.12"), text="MPI4PY_MPIABI=openmpi")
        self.refused("flow", MPI4PY_MPIABI="lam", text="MPI4PY_MPIABI is 'lam'")
        self.refused("demo", MPI4PY_LIBMPI=self.library("libmpi.so.40"), OMPI_COMM_WORLD_SIZE="2", text="without mpiexec")

    def test_run_and_doctor_need_no_library(self):
        self.program("openmpi", "weft-doctor")
        run = self.weft("doctor", MPI4PY_LIBMPI=self.library("libmpi.so.12"))
        self.assertIn("program _openmpi/weft-doctor", run.stdout, run.stderr)

    def test_the_demo_starts_two_ranks_with_the_launcher_beside_the_library(self):
        self.program("mpich", "weft-flow")
        path = Path(self.library("libmpi.so.12"))
        mpiexec = path.parents[1] / "bin/mpiexec"
        mpiexec.parent.mkdir()
        mpiexec.write_text(SHOW)
        mpiexec.chmod(0o755)
        run = self.weft("demo", "--steps", "5", MPI4PY_LIBMPI=str(path))
        words = [line[5:] for line in run.stdout.splitlines() if line.startswith("word ")]
        self.assertEqual(["-n", "2"], words[:2], run.stderr)
        self.assertEqual(["--steps", "5"], words[-2:])
        self.assertTrue(words[2].endswith("weft-flow") and words[3].endswith("aneurysm/case.toml"), words)

    def test_licences_of_a_package_built_here(self):
        run = self.weft("--licences")
        self.assertEqual(0, run.returncode, run.stderr)
        self.assertIn("BSD-3-Clause", run.stdout)


if __name__ == "__main__":
    unittest.main()
