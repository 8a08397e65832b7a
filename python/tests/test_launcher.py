# SPDX-License-Identifier: BSD-3-Clause
"""The command `weft` of the Python package, in a package whose commands and tools print what they got."""
import os
import socket
import subprocess
import sys
import unittest
from pathlib import Path

from command import Folder

ROOT = Path(__file__).resolve().parents[2]
SHOW = """#!/bin/sh
echo "program $0"
for word in "$@"; do echo "word $word"; done
echo "python $WEFT_PYTHON"
echo "fonts $FONTCONFIG_FILE"
"""
# In place of the extension module, which needs a compiler and an MPI library.
LOAD = """

def load(name):
    import types
    choice = choose()
    if choice.abi not in os.environ.get("BUILT_FOR", "openmpi mpich"):
        raise ImportError("weft has no extension module for it")
    def run_command(command, words):
        print("program", choice.abi, command)
        for word in words:
            print("word", word.decode() if word.isascii() else word)
        print("python", os.environ["WEFT_PYTHON"])
        print("fonts", os.environ["FONTCONFIG_FILE"])
        print("launcher", os.environ.get("WEFT_MPIEXEC", ""))
        return 3
    names = os.environ.get("COMMANDS", "flow wave weft").split()
    return types.SimpleNamespace(run_command=run_command, command_names=lambda: names)
"""


class Launcher(Folder):
    def setUp(self):
        super().setUp()
        self.package = self.folder / "site/weft"
        self.package.mkdir(parents=True)
        (self.package / "__init__.py").write_text("")
        for name, more in (("__main__.py", ""), ("_launcher.py", ""), ("_mpi_choice.py", ""), ("errors.py", ""), ("_native.py", LOAD)):
            (self.package / name).write_text((ROOT / "python/weft" / name).read_text() + more)
        for name in ("aneurysm/case.toml", "bifurcation/case.toml", "wave/plane.toml"):
            file = self.package / "_share/examples" / name
            file.parent.mkdir(parents=True)
            file.write_text("")
        (self.package / "_share/fonts").mkdir()
        (self.package / "_share/fonts/fonts.conf").write_text("")

    def script(self, file):
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
        return subprocess.run([sys.executable, "-P", "-m", "weft", *words] if sys.version_info >= (3, 11) else
                              [sys.executable, "-m", "weft", *words], env=environment, cwd=self.folder, text=True,
                              capture_output=True, timeout=60)

    def refused(self, *words, text, **variables):
        run = self.weft(*words, **variables)
        self.assertEqual(2, run.returncode, run.stdout + run.stderr)
        self.assertEqual(1, len(run.stderr.splitlines()), run.stderr)
        self.assertIn(text, run.stderr)

    def test_the_named_library_decides_which_module_runs(self):
        for abi, name in (("openmpi", "libmpi.so.40"), ("mpich", "libmpi.so.12"), ("mpich", "libmpich.so.12")):
            run = self.weft("flow", "case.toml", "--steps", "1", MPI4PY_LIBMPI=self.library(name))
            lines = run.stdout.splitlines()
            self.assertEqual([f"program {abi} flow", "word case.toml", "word --steps", "word 1"], lines[:4], run.stderr)
            self.assertIn(f"python {os.path.normpath(sys.executable)}", lines)
            self.assertIn(f"fonts {self.package}/_share/fonts/fonts.conf", lines)
            self.assertEqual(3, run.returncode)

    def test_unknown_words_go_to_weft_itself(self):
        for words in (["tune", "--show"], ["--version"], ["nothing"]):
            run = self.weft(*words, MPI4PY_LIBMPI=self.library("libmpi.so.12"))
            self.assertEqual(["program mpich weft", *(f"word {word}" for word in words)], run.stdout.splitlines()[:1 + len(words)], run.stderr)
        self.assertIn("weft demo", self.weft("--help", MPI4PY_LIBMPI=self.library("libmpi.so.12")).stdout)

    def test_examples_are_named(self):
        path = self.library("libmpi.so.12")
        run = self.weft("flow", "--steps", "3", "--example", "aneurysm", MPI4PY_LIBMPI=path)
        self.assertEqual(["word --steps", "word 3"], run.stdout.splitlines()[2:4], run.stderr)
        self.assertTrue(run.stdout.splitlines()[1].endswith("_share/examples/aneurysm/case.toml"))
        run = self.weft("wave", "--example=plane", MPI4PY_LIBMPI=path)
        self.assertTrue(run.stdout.splitlines()[1].endswith("_share/examples/wave/plane.toml"), run.stderr)
        self.refused("flow", "--example", "heart", MPI4PY_LIBMPI=path, text="The examples are: aneurysm, bifurcation.")
        self.refused("flow", "--example", MPI4PY_LIBMPI=path, text="--example needs a name")

    def test_missing_parts_are_reported_in_one_line(self):
        path = self.library("libmpi.so.12")
        self.refused("flow", MPI4PY_LIBMPI=path, COMMANDS="", text="This package has no commands")
        self.refused("flow", MPI4PY_LIBMPI=path, BUILT_FOR="openmpi", text="weft has no extension module")
        self.refused("flow", MPI4PY_MPIABI="lam", text="MPI4PY_MPIABI is 'lam'")
        for rank in ({"OMPI_COMM_WORLD_SIZE": "2"}, {"PMIX_RANK": "0"}, {"SLURM_STEP_NUM_TASKS": "2"}):
            self.refused("demo", MPI4PY_LIBMPI=self.library("libmpi.so.40"), **rank, text="without mpiexec or srun")
        self.refused("doctor", text="weft-doctor can't be run")

    def test_of_several_ranks_the_first_one_prints(self):
        for rank, lines in (("0", 1), ("1", 0)):
            run = self.weft("flow", "--example", "heart", PMI_RANK=rank, PMI_SIZE="2", MPI4PY_LIBMPI=self.library("libmpi.so.12"))
            self.assertEqual((2, lines), (run.returncode, len(run.stderr.splitlines())), run.stderr)

    def test_what_is_missing_on_another_node_is_reported_once_per_node(self):
        for local, lines in (("0", 1), ("1", 0)):
            run = self.weft("flow", OMPI_COMM_WORLD_SIZE="4", OMPI_COMM_WORLD_RANK="2", OMPI_COMM_WORLD_LOCAL_RANK=local, COMMANDS="",
                            MPI4PY_LIBMPI=self.library("libmpi.so.40"))
            self.assertEqual((2, lines), (run.returncode, len(run.stderr.splitlines())), run.stderr)
            self.assertEqual(lines == 1, f"error on {socket.gethostname()}: This package has no commands" in run.stderr, run.stderr)

    def test_words_of_any_bytes_reach_the_command(self):
        run = self.weft("flow", os.fsdecode(b"caf\xe9.toml"), MPI4PY_LIBMPI=self.library("libmpi.so.12"))
        self.assertEqual(3, run.returncode, run.stderr)
        self.assertIn(r"word b'caf\xe9.toml'", run.stdout)

    def test_a_closed_pipe_is_no_error(self):
        (self.package / "_share/licences").mkdir()
        (self.package / "_share/licences/LICENCES.txt").write_text("x\n" * 200000)
        words = [sys.executable, "-m", "weft", "--licences"]
        environment = {**os.environ, "PYTHONPATH": str(self.folder / "site")}
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, env=environment)
        process.stdout.close()
        self.assertEqual(b"", process.stderr.read())
        process.stderr.close()
        process.wait()

    def test_the_launcher_of_another_library_is_not_taken(self):
        path = Path(self.library("libmpi.so.40"))
        for name, said in (("mpiexec", "HYDRA build details:"), ("prterun", "prterun (PRRTE) 3.0")):
            self.script(path.parents[1] / "bin" / name)
            with (path.parents[1] / "bin" / name).open("a") as file:
                file.write(f"echo '{said}'\n")
        run = self.weft("demo", MPI4PY_LIBMPI=str(path), PATH=str(self.folder / "nothing"))
        self.assertEqual([f"program {path.parents[1]}/bin/prterun"], run.stdout.splitlines()[:1], run.stderr)
        (path.parents[1] / "bin/prterun").unlink()
        self.refused("demo", MPI4PY_LIBMPI=str(path), PATH=str(self.folder / "nothing"), text="There is no mpiexec of Open MPI")

    def test_bench_gets_the_launcher_beside_the_library_if_there_is_one(self):
        path = Path(self.library("libmpi.so.12"))
        nothing = str(self.folder / "nothing")
        for expected in ("", str(path.parents[1] / "bin/mpiexec")):
            if expected:
                self.script(Path(expected))
            run = self.weft("bench", "foreign", "--launcher", "other -n 2", MPI4PY_LIBMPI=str(path), COMMANDS="bench weft", PATH=nothing)
            self.assertEqual(3, run.returncode, run.stderr)
            self.assertIn(f"launcher {expected}\n", run.stdout)

    def test_programs_that_weft_run_starts_keep_their_environment(self):
        self.script(self.package / "_tools/bin/weft-run")
        run = self.weft("run", "--", "python")
        self.assertEqual([f"program {self.package}/_tools/bin/weft-run", "word --", "word python", "python ", "fonts "],
                         run.stdout.splitlines(), run.stderr)

    def test_run_and_doctor_need_no_library(self):
        self.script(self.package / "_tools/bin/weft-doctor")
        run = self.weft("doctor", "--json", MPI4PY_MPIABI="lam")
        self.assertEqual([f"program {self.package}/_tools/bin/weft-doctor", "word --json"], run.stdout.splitlines()[:2], run.stderr)

    def test_the_demo_starts_two_ranks_with_the_launcher_beside_the_library(self):
        path = Path(self.library("libmpi.so.12"))
        self.script(path.parents[1] / "bin/mpiexec")
        run = self.weft("demo", "--steps", "5", MPI4PY_LIBMPI=str(path))
        words = [line[5:] for line in run.stdout.splitlines() if line.startswith("word ")]
        self.assertEqual(["-n", "2"], words[:2], run.stderr)
        self.assertEqual(["flow", "--example", "aneurysm", "--set"], words[-11:-7])
        self.assertEqual(["--steps", "5"], words[-2:])

    def test_the_folder_of_files_for_programs(self):
        self.refused("--include", text="This package has no weft_region.h")
        folder = self.package / "_tools/include"
        folder.mkdir(parents=True)
        (folder / "weft_region.h").write_text("")
        run = self.weft("--include")
        self.assertEqual((run.returncode, run.stdout), (0, f"{folder}\n"), run.stderr)

    def test_licences_of_a_package_built_here(self):
        run = self.weft("--licences")
        self.assertEqual(0, run.returncode, run.stderr)
        self.assertIn("BSD-3-Clause", run.stdout)


if __name__ == "__main__":
    unittest.main()
