# SPDX-License-Identifier: BSD-3-Clause
"""Million cell updates per second of `weft bench wave` and of AMReX's Wave example ($AMREX_WAVE) on one core, blocks of 32^3. The last line
is a JSON object."""
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

mpirun = shutil.which("mpirun.openmpi") or "mpirun"
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "report.json"
    subprocess.run([mpirun, "-n", "1", "--bind-to", "core", "build/release/weft", "bench", "wave", "--quick", "--block", "32", "--seconds", "8", "--json",
                    path], stdout=subprocess.DEVNULL, check=True)
    weft = next(r["median"] for r in json.loads(path.read_text())["results"] if r["what"] == "cell updates, all ranks")
theirs = subprocess.run(["bench/measure/peers/amrex.sh", os.environ["AMREX_WAVE"], "32"], capture_output=True, text=True, check=True).stdout
print(json.dumps({"weft": weft, "AMReX": json.loads(theirs.strip().splitlines()[-1])["million cell updates per second"]}))
