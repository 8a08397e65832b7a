#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks on simulated machines give right results, and a wrong barrier is found. The exit status is 77 if build/smpi is missing."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parents[3]


def run(*arguments: str) -> tuple[int, dict]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run([root / "tools/simulate", *arguments, "--json", report], capture_output=True, text=True, timeout=200, check=False)
        if not report.exists():
            sys.exit(f"no report of {arguments}:\n{done.stdout}{done.stderr}")
        return done.returncode, json.loads(report.read_text())


def barrier(kind: str) -> tuple[int, dict]:
    return run("--ranks", "32", "bench", "collectives", "--quick", "--operations", "barrier", "--kinds", kind, "--experiments",
               "delay", "--delayed", "5", "--deltas", "100")


def main() -> None:
    if not (root / "build/smpi/weft-simulated").exists():
        print("skipped: build/smpi is not built (cmake --preset smpi && cmake --build --preset smpi)")
        sys.exit(77)
    status, report = barrier("nonblocking")
    assert status == 1 and report["figures"]["failed_checks"] > 0, "SimGrid's own barrier does not synchronise, which was not found"
    status, report = barrier("rounds")
    assert status == 0 and report["figures"]["failed_checks"] == 0, "our barrier's rounds are found wrong"
    late = [r["median"] for r in report["results"] if r["key"]["what"] == "time" and round(r["key"]["delta_us"]) == 100]
    assert late and late[0] >= 100, late

    status, first = run("--network", "endpoints", "--ranks", "24", "bench", "halo-scaling", "--extents", "48", "--repeats", "1")
    medians = [r["median"] for r in first["results"]]
    assert status == 0 and len(medians) == 4 and all(10 < m < 10000 for m in medians), medians
    again = run("--network", "endpoints", "--ranks", "24", "bench", "halo-scaling", "--extents", "48", "--repeats", "1")[1]
    assert medians == [r["median"] for r in again["results"]], "a simulation does not repeat itself"
    slower = run("--network", "endpoints", "--set", "rank_rate=0.1e9", "--ranks", "24", "bench", "halo-scaling", "--extents", "48",
                 "--repeats", "1")[1]
    assert all(r["median"] > 1.5 * m for r, m in zip(slower["results"], medians)), "a slower network takes no longer"

    for network in ("flows", "cards"):
        status, report = run("--network", network, "--ranks", "24", "--per-node", "4", "bench", "nodes", "--bytes", "8", "--nodes", "3")
        assert status == 0 and report["figures"]["node_over_peer_8"] < 0.5, "one message a node saves nothing"

    with tempfile.TemporaryDirectory() as folder:
        for name in ("halo-48-24.json", "halo-a-24.json"):
            (Path(folder) / name).write_text(json.dumps(first))
        done = subprocess.run([root / "tools/simulate-summary", folder], capture_output=True, text=True, check=False)
        ratio = f"ratio {medians[1] / medians[0]:.3f}"
        assert done.returncode == 0 and ratio in done.stdout and done.stdout.count("\n") == 4, done
        (Path(folder) / "halo-48-24.json").write_text("{}")
        done = subprocess.run([root / "tools/simulate-summary", folder], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and done.stderr.startswith("simulate-summary: halo-48-24.json is no report"), done
    # With more ranks a commit has more rounds of its collectives, but not a message to each rank.
    few, many = (run("--machine", "xc30", "--network", "cards", "--ranks", ranks, "bench", "core", "--repeats", "1")[1]["figures"]
                 for ranks in ("64", "512"))
    assert 0 < few["commit_us"] < many["commit_us"] < 1.5 * few["commit_us"], (few, many)
    assert many["sparse_us"] < 1.3 * few["sparse_us"], (few, many)
    for wrong in (["--set", "speed=1"], ["--set", "call=fast"], ["--ranks", "0"], []):
        done = subprocess.run([root / "tools/simulate", *wrong], capture_output=True, text=True, check=False)
        assert done.returncode == 2, (wrong, done)
    done = subprocess.run([root / "tools/simulate", "--ranks", "3", "bench", "pipelines", "--progress", "thread"], capture_output=True,
                          text=True, check=False)
    refusal = "--progress: Unknown progress mode 'thread'. Use one of: passive, polling."
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and refusal in done.stderr, done

    status, report = run("--network", "cards", "--ranks", "48", "--progress", "calls", "bench", "collectives", "--quick", "--operations",
                         "barrier,allreduce", "--sizes", "8,65536", "--kinds", "rounds", "--experiments", "delay", "--deltas", "100")
    assert status == 0 and report["figures"]["failed_checks"] == 0, "collectives over cards are found wrong"

    # Messages that wait for their receiver are overlapped only with progress calls, unless the network cards make
    # progress.
    steps = ("--ranks", "32", "--per-node", "4", "--test", "0", "bench", "steps", "--sites", "600000", "--seconds-per-site", "1e-7", "--steps", "6",
             "--monitors", "none", "--modes", "coalesced", "--progress", "passive,polling")
    waiting = {}
    for progress in ("hardware", "calls"):
        report = run("--network", "cards", "--progress", progress, *steps)[1]
        waiting[progress] = {r["what"].split(", ")[3].split(":")[0]: r["median"] for r in report["results"] if r["what"].endswith("not computing")}
    assert waiting["hardware"]["passive"] < 1.2 * waiting["hardware"]["polling"], waiting
    assert waiting["calls"]["passive"] > 1.5 * waiting["calls"]["polling"], waiting

    report = run("--machine", "odin", "--network", "cards", "--ranks", "16", "bench", "pipelines", "--bytes", "2e7", "--compress-rate", "2e7", "--ratio", "1",
                 "--progress", "polling")[1]
    assert report["figures"]["fft_speedup"] > 1.03 and report["figures"]["compression_speedup"] > 1.2, report["figures"]


main()
