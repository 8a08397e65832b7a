# SPDX-License-Identifier: BSD-3-Clause
"""Milliseconds of a step of examples/python/heat.py and of the same solver in mpi4py, on the emulated network, in turns. The last line
is a JSON object."""
import json
import os
import re
import statistics
import subprocess
import sys

TESTBED = ["tools/testbed", "once", "2", "--latency", "1ms", "--rate", "1gbit", "--", "-n", "2", sys.executable]
PROGRAMS = {"weft": ["examples/python/heat.py"], "mpi4py": ["examples/python/heat_mpi4py.py"],
            "mpi4py, overlapped": ["examples/python/heat_mpi4py.py", "--overlap"]}


def milliseconds(words: list) -> float:
    run = subprocess.run([*TESTBED, *words, "--points", "1024", "--steps", "200"], env=os.environ | {"TESTBED_PRIO": os.environ.get("TESTBED_PRIO", "-20")}, capture_output=True,
                         text=True, check=True)
    return float(re.search(r"([\d.]+) ms per step", run.stdout)[1])


samples = {name: [] for name in PROGRAMS}
for turn in range(3):
    for name, words in PROGRAMS.items():
        samples[name].append(milliseconds(words))
print(json.dumps({name: statistics.median(values) for name, values in samples.items()}))
