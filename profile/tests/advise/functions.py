#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The table of MPI functions contains all functions that the MPI libraries of this machine export.

    functions.py FOLDER_OF_THE_TABLE
"""
import fnmatch
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, sys.argv[1])
import generate  # noqa: E402

TABLE = pathlib.Path(sys.argv[1]) / "mpi_functions.txt"


def installed():
    """The MPI libraries in the loader's cache, and those in active environments of Python."""
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    paths = re.findall(r"=> (\S*/lib(?:mpi|mpich|mpi_abi)\.so\.\S+)$", known, re.M)
    paths += map(str, pathlib.Path(sys.prefix, "lib").glob("libmpi*.so.*"))
    return sorted({str(pathlib.Path(path).resolve()) for path in paths})


def shown_by(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r" [TW] MPI_([A-Z][a-z]\w*)$", listed, re.M)) | set(re.findall(r" [TW] MPI_(T_\w+)$", listed, re.M))


class Functions(unittest.TestCase):
    def setUp(self):
        functions, by_hand, self.new, self.ignored = generate.parse(TABLE)
        self.names = {f.c_name[4:] for f in generate.expanded(functions)} | set(by_hand)

    def missing(self, shown):
        ignored = lambda name: any(fnmatch.fnmatchcase(name.removesuffix("_c"), pattern) for pattern in self.ignored)
        return sorted(name for name in shown if name not in self.names and not ignored(name))

    def test_every_function_of_each_library_is_in_the_table(self):
        libraries = [path for path in installed() if len(shown_by(path)) > 300]
        if not libraries:
            self.skipTest("no MPI library was found")
        for library in libraries:
            with self.subTest(library):
                self.assertEqual(self.missing(shown_by(library)), [])

    def test_what_is_not_in_the_table_is_found(self):
        self.assertEqual(self.missing({"Send", "Send_c", "Wtime", "Invented", "Ibcast", "Bcast_init"}), ["Invented"])

    def test_no_name_stands_for_two_functions(self):
        functions, by_hand, new, _ = generate.parse(TABLE)
        names = [f.c_name for f in generate.expanded(functions)] + [f"MPI_{name}" for name in by_hand]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual(set(new), {f.name for f in functions})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
