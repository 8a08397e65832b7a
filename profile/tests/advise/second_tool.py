#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every hook calls the next library: a second tool, preloaded behind libweft_advise.so, sees each of MPI's functions.

    second_tool.py LIBRARY FOLDER_OF_THE_TABLE openmpi|mpich LAUNCHER
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARY, FUNCTIONS, MPI, LAUNCHER = sys.argv[1:5]
sys.path.insert(0, FUNCTIONS)
import generate  # noqa: E402

VALUES = {
    "in": "memory", "buf": "memory", "n": "0", "ns": "zeros", "at": "(void*)zeros", "unit": "1", "long": "0", "aint": "0",
    "aints": "(void*)zeros", "int": "0", "ints": "zeros", "out": "&out", "request": "&request", "requests": "requests",
    "new": "&made_request", "value": "MPI_REQUEST_NULL", "status": "&status", "statuses": "statuses", "messages": "&message",
    "type": "MPI_INT", "types": "types", "comm": "MPI_COMM_WORLD", "comms": "&comm", "op": "MPI_SUM", "info": "MPI_INFO_NULL",
    "win": "window", "session": "0", "group": "MPI_GROUP_EMPTY", "file": "MPI_FILE_NULL", "text": "\"x\"", "ptr": "(void*)made",
}
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
void second_tool_swallows(int now);
long second_tool_saw(int function);
static char memory[4096], made[4096];
static int zeros[512], out;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Request request = MPI_REQUEST_NULL, made_request = MPI_REQUEST_NULL, requests[8];
  MPI_Status status, statuses[8];
  MPI_Message message = MPI_MESSAGE_NO_PROC;
  MPI_Datatype types[64];
  MPI_Comm comm, world = MPI_COMM_WORLD;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < 8; ++i) requests[i] = MPI_REQUEST_NULL;
  for (int i = 0; i < 64; ++i) types[i] = MPI_INT;
  memset(&status, 0, sizeof status);
  memset(statuses, 0, sizeof statuses);
#define RESET memcpy(made, &world, sizeof world)
  second_tool_swallows(1);
  CALLS
  second_tool_swallows(0);
  static const char* const names[] = {NAMES};
  for (int i = 0; i < sizeof names / sizeof *names; ++i)
    if (second_tool_saw(i) != 1) printf("%s was seen %ld times\n", names[i], second_tool_saw(i));
  printf("%d functions\n", (int)(sizeof names / sizeof *names));
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
"""


def exported(program):
    """The functions of the MPI library that a program is linked with."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    library = re.search(r"=> (\S*/lib(?:mpi|mpich)\.so\S*)", listed)[1]
    names = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r" [TW] (MPI_\w+)$", names, re.M))


class SecondTool(unittest.TestCase):
    def build(self, *words):
        done = subprocess.run([f"mpicc.{MPI}", "-w", "-g", *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_sees_every_function(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "empty.c").write_text("#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n")
            self.build(folder / "empty.c", "-o", folder / "empty")
            known = exported(folder / "empty")
            functions, _, _, _ = generate.parse(pathlib.Path(FUNCTIONS) / "mpi_functions.txt")
            functions = [f for f in generate.expanded(functions) if f.c_name in known]
            self.assertGreater(len(functions), 150)
            calls = "\n  ".join(f"RESET; {f.c_name}({', '.join(VALUES[kind] for kind, _ in f.arguments)});" for f in functions)
            names = ", ".join(f'"{f.c_name}"' for f in functions)
            (folder / "program.c").write_text(PROGRAM.replace("CALLS", calls).replace("NAMES", names))
            # Without mpi.h the tool needs no types: all arguments are words.
            words = lambda f: ", ".join(f"long a{i}" for i in range(len(f.arguments)))
            values = lambda f: ", ".join(f"a{i}" for i in range(len(f.arguments)))
            (folder / "tool.c").write_text(
                f"static int swallows;\nstatic long seen[{len(functions)}];\n"
                "void second_tool_swallows(int now) { swallows = now; }\nlong second_tool_saw(int function) { return seen[function]; }\n"
                + "".join(f"int P{f.c_name}({words(f)});\nint {f.c_name}({words(f)}) {{ if (!swallows) return P{f.c_name}({values(f)}); "
                          f"++seen[{i}]; return 0; }}\n" for i, f in enumerate(functions)))
            self.build("-shared", "-fPIC", folder / "tool.c", "-o", folder / "libtool.so")
            self.build(folder / "program.c", "-o", folder / "program", "-L", folder, "-ltool", f"-Wl,-rpath,{folder}")
            env = dict(os.environ, LD_PRELOAD=f"{LIBRARY}:{folder / 'libtool.so'}", WEFT_ADVISE_OUT=str(folder / "report"))
            done = subprocess.run([LAUNCHER, "-n", "1", folder / "program"], env=env, capture_output=True, text=True, timeout=100)
            self.assertEqual((done.returncode, done.stdout), (0, f"{len(functions)} functions\n"), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
