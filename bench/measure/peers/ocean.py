# SPDX-License-Identifier: BSD-3-Clause
"""Milliseconds of communication in a step of examples/ocean, a Fortran program, in plain MPI and with weft, on the emulated network, in turns.
The last line is a JSON object; fortran_app_over_plain is the median of the ratios of the same turn."""
import json
import os
import re
import statistics
import subprocess

TESTBED = ["tools/testbed", "once", "2", "--latency", "1ms", "--rate", "1gbit", "--", "-n", "2"]
FOLDER = "build/release/examples/ocean/"
PROGRAMS = {"plain MPI": "ocean0", "weft": "ocean5"}  # its first and its last stage
ARGUMENTS = ["256", "256", "8", "200"]  # points along x and y, levels, steps
OUTPUT = r"ms per step, communication ([\d.]+) ms"


def milliseconds(program: str) -> float:
    run = subprocess.run([*TESTBED, FOLDER + program, *ARGUMENTS], env=os.environ | {"TESTBED_PRIO": os.environ.get("TESTBED_PRIO", "-20")},
                         capture_output=True, text=True, check=True)
    return float(re.search(OUTPUT, run.stdout)[1])


samples = {name: [] for name in PROGRAMS}
for turn in range(5):
    for name, program in PROGRAMS.items():
        samples[name].append(milliseconds(program))
ratios = [ours / theirs for ours, theirs in zip(samples["weft"], samples["plain MPI"])]
print(json.dumps({name: statistics.median(values) for name, values in samples.items()} | {"fortran_app_over_plain": statistics.median(ratios)}))
