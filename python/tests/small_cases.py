# SPDX-License-Identifier: BSD-3-Clause
"""Small cases for the tests of weft.flow, weft.box and weft.wave, which run in a second."""
import importlib.util
import math
import os
import subprocess
import sys
from pathlib import Path

from mpi_of_tests import ABI, LAUNCHER, ROOT, VARIABLES, build_with

def write_tube(file, radius=1.0, length=4.0, sides=16):
    """An open tube along z as an STL file, in mm."""
    def point(k, z):
        angle = 2 * math.pi * (k % sides) / sides
        return radius * math.cos(angle), radius * math.sin(angle), z

    lines = ["solid tube"]
    for k in range(sides):
        a, b, c, d = point(k, 0), point(k + 1, 0), point(k + 1, length), point(k, length)
        for triangle in ((a, b, c), (a, c, d)):
            lines += ["facet normal 0 0 0", "outer loop"]
            lines += ["vertex " + " ".join(map(repr, corner)) for corner in triangle]
            lines += ["endloop", "endfacet"]
    Path(file).write_text("\n".join([*lines, "endsolid tube", ""]))


FLOW = """title = "A small tube"
[surface]
file = "tube.stl"
unit = "mm"
voxel = "0.25 mm"
[fluid]
density = 1060.0
viscosity = "4 mPa s"
[lattice]
time_step = "100 us"
[[inlet]]
name = "in"
centre = [0, 0, 0]
normal = [0, 0, 1]
radius = 1.0
velocity = 0.05
[[outlet]]
name = "out"
centre = [0, 0, 4]
normal = [0, 0, -1]
radius = 1.0
pressure = "0 mmHg"
[run]
steps = 60
[monitor]
every = 5
[output]
every = 30
quantities = ["pressure", "velocity", "wall_shear_stress"]
summary = false
"""

BOX = """title = "A small box"
[lattice]
velocities = "D3Q19"
viscosity = 0.05
[box]
size = [12, 10, 8]
[start]
flow = "taylor-green"
speed = 0.05
[[particle]]
position = [4.2, 5, 4]
radius = 2.3
[run]
steps = 20
[monitor]
every = 5
[output]
every = 10
"""

WAVE = """title = "A small pulse"
[domain]
cells = [16, 16, 16]
block = 8
length = 1.0
[boundary]
all = "radiating"
[[pulse]]
shape = "gaussian"
width = 0.1
amplitude = 1.0
[refinement]
levels = 1
criterion = "gradient"
threshold = 0.05
buffer = 2
every = 4
[run]
steps = 12
[monitor]
every = 4
[output]
every = 6
pictures = false
"""


def write_case(folder, program):
    """Writes the case of a program, and returns its file."""
    folder = Path(folder)
    if program == "flow":
        write_tube(folder / "tube.stl")
    file = folder / "case.toml"
    file.write_text({"flow": FLOW, "box": BOX, "wave": WAVE}[program])
    return file


BUILT = build_with("_programs")
NOT_BUILT = f"weft._{ABI}._programs is not built (cmake -DWEFT_PYTHON=ON, target weft_python)"

if BUILT is not None:
    os.environ["WEFT_BUILD"] = str(BUILT)
    os.environ.update(VARIABLES)
    sys.path.insert(0, str(ROOT / "python"))


def has(module):
    """Whether a module of Python is installed."""
    return importlib.util.find_spec(module) is not None


def environment():
    folders = [str(ROOT / "python"), str(ROOT / "python/tests"), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, **VARIABLES, "PYTHONPATH": os.pathsep.join(filter(None, folders))}


def launch(ranks, command, folder, status=0):
    """Runs a command on some ranks, and returns its output; fails for another exit status."""
    done = subprocess.run([LAUNCHER, "-n", str(ranks), *map(str, command)], cwd=folder, env=environment(), timeout=120,
                          capture_output=True, text=True, check=False)
    assert done.returncode == status, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def launch_script(ranks, text, folder, status=0):
    """The same for a script of Python, which finds `comm`, `case` (of weft.PROGRAM) and numpy as `np`."""
    file = Path(folder) / "script.py"
    file.write_text(text)
    return launch(ranks, [sys.executable, file], folder, status)


def start_of_script(program):
    return f"""
import warnings
import numpy as np
from mpi4py import MPI
import weft.{program} as program
from weft.errors import Error, InputError
warnings.simplefilter("ignore")
comm = MPI.COMM_WORLD
case = program.Case("case.toml")
"""
