# SPDX-License-Identifier: BSD-3-Clause
"""Communication of a step with 4 small modules (bench coalesce) over the latency of the emulated network, in ms. The last line is a JSON
object."""
import json
import os
import subprocess
import tempfile
from pathlib import Path

MODES = {"weft": "coalesced", "plain MPI": "plain MPI, one wait", "separate": "not coalesced"}
found = {}
for latency in ("50us", "200us", "500us", "1ms"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        subprocess.run(["tools/testbed", "once", "2", "--latency", latency, "--rate", "1gbit", "--", "-n", "2", "build/release/weft", "bench",
                        "coalesce", "--case", "examples/aneurysm/case.toml", "--clients", "4", "--seconds", "12", "--json", path],
                       env=os.environ | {"TESTBED_PRIO": os.environ.get("TESTBED_PRIO", "-20")}, stdout=subprocess.DEVNULL, check=True)
        medians = {r["what"]: r["median"] for r in json.loads(path.read_text())["results"]}
    found |= {f"{latency}, {name}": medians[f"4 small clients, {mode}: communication"] / 1e3 for name, mode in MODES.items()}
print(json.dumps(found))
