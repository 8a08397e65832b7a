# SPDX-License-Identifier: BSD-3-Clause
"""weft.h compiles without a warning in every dialect, and its ABI is the one that core/c/abi.txt keeps.

A line of abi.txt is a function, `struct NAME BYTES`, or `value NAME NUMBER`. Lines may be added; what is there stays as long as the
library's SOVERSION does.

    python test_c_header.py --write    adds what is new
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "core/c/include/weft.h"
KEPT = ROOT / "core/c/abi.txt"
BUILD = Path(os.environ.get("WEFT_BUILD", ROOT / "build/release"))


def mpi_includes() -> list[str]:
    wrapper = shutil.which("mpicc.openmpi") or shutil.which("mpicc")
    if wrapper is None:
        raise unittest.SkipTest("mpicc is not installed")
    words = subprocess.run([wrapper, "-show"], capture_output=True, text=True).stdout.split()
    return [word for word in words if word.startswith("-I")]


def include_folders() -> list[str]:
    if not (BUILD / "include/weft_version.h").exists():
        raise unittest.SkipTest(f"{BUILD} is not configured")
    return [f"-I{HEADER.parent}", f"-I{BUILD}/include"]


def functions() -> set[str]:
    return set(re.findall(r"^WEFT_API [^;(]*?\b(weft_\w+)\(", HEADER.read_text(), re.MULTILINE))


def layout() -> list[str]:
    """The sizes of the structs and the values of the enumerators, from a program in C."""
    text = HEADER.read_text()
    structs = re.findall(r"^typedef struct (weft_\w+) \{", text, re.MULTILINE)
    values = [name for body in re.findall(r"^(?:typedef )?enum(?: \w+)? \{(.*?)\}", text, re.MULTILINE | re.DOTALL)
              for name in re.findall(r"\b(WEFT_\w+)(?: =|,|\s*$)", re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL), re.MULTILINE)]
    lines = [f'  printf("struct {name} %zu\\n", sizeof({name}));' for name in structs]
    lines += [f'  printf("value {name} %d\\n", (int)({name}));' for name in values]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "layout.c"
        source.write_text("#include <stdio.h>\n#include <weft.h>\nint main(void) {\n" + "\n".join(lines) + "\n  return 0;\n}\n")
        program = Path(folder) / "layout"
        subprocess.run(["cc", "-std=c99", *include_folders(), *mpi_includes(), source, "-fsyntax-only"], check=True)
        # No function is called, so no library is needed, but for handles that mpi.h names.
        subprocess.run(["cc", "-std=c99", "-O1", *include_folders(), *mpi_includes(), source, "-o", program], check=True)
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()


def abi() -> list[str]:
    return [*sorted(functions()), *layout()]


@unittest.skipIf(shutil.which("cc") is None, "no C compiler")
class Header(unittest.TestCase):
    def test_compiles_without_a_warning_in_every_dialect(self):
        use = ("#include <weft.h>\nint use(double* a);\nint use(double* a) {\n  weft_part part;\n"
               "  return weft_send(NULL, 0, 1, weft_contiguous(a, 3, WEFT_DOUBLE), 0, &part);\n}\n")
        compilers = {"c": [c for c in ("gcc", "clang", "clang-14") if shutil.which(c)],
                     "c++": [c for c in ("g++", "clang++", "clang++-14") if shutil.which(c)]}
        for language, dialects in {"c": ("c99", "c11", "gnu17"), "c++": ("c++11", "c++20")}.items():
            for compiler in compilers[language]:
                for dialect in dialects:
                    with self.subTest(compiler=compiler, dialect=dialect):
                        done = subprocess.run(
                            [compiler, "-x", language, f"-std={dialect}", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow",
                             "-Werror", "-DOMPI_SKIP_MPICXX", "-O1", *include_folders(),
                             *[word.replace("-I", "-isystem", 1) for word in mpi_includes()], "-c", "-", "-o", "/dev/null"],
                            input=use, capture_output=True, text=True)
                        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_abi_is_the_kept_one(self):
        now, kept = abi(), KEPT.read_text().splitlines()
        self.assertEqual([line for line in kept if line not in now], [], "what is kept may not go or change")
        self.assertEqual([line for line in now if line not in kept], [], "add it: python3 python/tests/test_c_header.py --write")

    def test_the_library_has_these_functions_and_no_other(self):
        archives = list(BUILD.glob("core/c/libweft_c.*"))
        if not archives:
            self.skipTest(f"{BUILD} has no libweft_c")
        names = set()
        for archive in archives:
            dynamic = ["--dynamic"] if archive.suffix != ".a" else []
            text = subprocess.run(["nm", "--defined-only", "--extern-only", *dynamic, archive], capture_output=True, text=True).stdout
            names |= set(re.findall(r" T (weft_\w+)", text))
        self.assertEqual({name for name in names if not name.startswith("weft_fortran_")}, functions())


if __name__ == "__main__":
    if "--write" in sys.argv:
        before = KEPT.read_text().splitlines() if KEPT.exists() else []
        KEPT.write_text("\n".join([*before, *[line for line in abi() if line not in before]]) + "\n")
    else:
        unittest.main()
