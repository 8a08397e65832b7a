# SPDX-License-Identifier: BSD-3-Clause
"""The recipes in packaging/ have the version of CMakeLists.txt, and can be read. (Spack's is imported with a stand-in for Spack.)"""
import contextlib
import re
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.search(r"^project\(weft VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
OPTIONS = set(re.findall(r"^(?:option|set)\((WEFT_\w+) ", "".join(
    file.read_text() for file in [ROOT / "CMakeLists.txt", *sorted((ROOT / "cmake").glob("*.cmake"))]), re.MULTILINE))


def spack_recipe():
    """Runs Spack's recipe; its class, and what it says to Spack: {name: [arguments, ...]}."""
    said = {}

    def directive(name):
        return lambda *arguments, **options: said.setdefault(name, []).append((arguments, options))

    package = types.ModuleType("spack.package")
    for name in ("license", "version", "variant", "depends_on", "conflicts"):
        setattr(package, name, directive(name))
    package.default_args = package.when = lambda *arguments, **options: contextlib.nullcontext()
    package.run_after = lambda phase: lambda function: function
    cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    cmake.CMakePackage, cmake.generator = type("CMakePackage", (), {}), directive("generator")
    modules = {name: types.ModuleType(name) for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems")}
    names = {"__name__": "recipe"}
    with mock.patch.dict(sys.modules, {**modules, "spack.package": package, cmake.__name__: cmake}):
        exec(compile((ROOT / "packaging/spack/package.py").read_text(), "package.py", "exec"), names)
    return names["Weft"], said


class Recipes(unittest.TestCase):
    def test_have_this_version(self):
        self.assertRegex((ROOT / "packaging/debian/changelog").read_text(), rf"^weft \({re.escape(VERSION)}-\d+\) ")
        self.assertIn(f'set version = "{VERSION}"', (ROOT / "packaging/conda/meta.yaml").read_text())
        recipe = ROOT / f"packaging/easybuild/weft-{VERSION}.eb"
        self.assertIn(f"\nversion = '{VERSION}'\n", recipe.read_text())
        self.assertIn(f"libweft{VERSION.rpartition('.')[0]}\n", (ROOT / "packaging/debian/control").read_text())

    def test_name_options_that_exist(self):
        recipes = [file for file in sorted((ROOT / "packaging").rglob("*")) if file.is_file()]
        self.assertGreater(len(recipes), 8)
        for file in recipes:
            with self.subTest(file=file.name):
                found = re.findall(r"WEFT_[A-Z_]+", file.read_text())
                self.assertLessEqual(set(found), OPTIONS)

    def test_of_easybuild_can_be_read(self):
        names = {"__builtins__": {}}
        exec((ROOT / f"packaging/easybuild/weft-{VERSION}.eb").read_text(), names)
        self.assertEqual(names["name"], "weft")
        self.assertIn(f"weft_mpi-{VERSION}.tar.gz", [source.replace("%(version)s", VERSION) for source in names["sources"]])

    def test_of_spack_can_be_read(self):
        recipe, said = spack_recipe()
        self.assertIn(VERSION, [arguments[0] for arguments, _ in said["version"]])
        self.assertEqual({arguments[0] for arguments, _ in said["variant"]}, {"shared", "fortran", "flow"})
        package = mock.MagicMock(run_tests=False)
        package.define = lambda name, value: f"-D{name}={value}"
        package.spec.satisfies.return_value = False
        self.assertIn("-DWEFT_BUILD=core", recipe.cmake_args(package))


if __name__ == "__main__":
    unittest.main()
