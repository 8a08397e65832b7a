# SPDX-License-Identifier: BSD-3-Clause
"""Time outside of computation per step of `weft bench steps` on 64 simulated nodes (a lattice with monitors), over the one-way latency, in
ms: all clients in one exchange, and one exchange each. The last line is a JSON object."""
import json
import subprocess
import tempfile
from pathlib import Path

HOPS = 4
found = {}
for us in (2, 10, 50, 200, 1000):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        subprocess.run(["tools/simulate", "--machine", "odin", "--network", "cards", "--ranks", "64", "--set", f"link_latency={us * 1e-6 / HOPS}", "bench",
                        "steps", "--sites", "1280000", "--monitors", "rounds", "--json", path], stdout=subprocess.DEVNULL, check=True)
        results = json.loads(path.read_text())["results"]
    for name, mode in (("weft", "coalesced"), ("separate", "separate")):
        found[f"{us} us, {name}"] = next(r["median"] for r in results if f"{mode}: not computing" in r["what"]) / 1e3
print(json.dumps(found))
