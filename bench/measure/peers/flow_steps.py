# SPDX-License-Identifier: BSD-3-Clause
"""Million site updates per second of `weft flow` on the demo's vessel, on one and two ranks, as the run itself prints them. The last
line is a JSON object."""
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path


def rate(ranks: int) -> float:
    mpirun = shutil.which("mpirun.openmpi") or "mpirun"
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([mpirun, "-n", str(ranks), "--bind-to", "core", Path("build/release/weft").resolve(), "flow",
                              Path("examples/aneurysm/case.toml").resolve(), "--steps", "1500", "--set", "output.pictures=false", "--out", folder],
                             capture_output=True, text=True, check=True)
    found = re.search(r"([\d.]+) million site updates", run.stdout)
    if not found:
        raise SystemExit(f"weft flow printed no rate:\n{run.stdout[-500:]}")
    return float(found[1])


print(json.dumps({f"{n} rank{'s'[:n > 1]}": rate(n) for n in (1, 2)}))
