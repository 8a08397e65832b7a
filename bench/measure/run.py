# SPDX-License-Identifier: BSD-3-Clause
"""Runs benchmarks, and keeps what they measured in one file per machine."""
import json
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Iterable, Optional

import machine
from benchmarks import Benchmark
from wrong import Wrong

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/results/measured"
LIMIT = 420  # seconds of a launch
PETSC = ("star_forest", "petsc_graph", "petsc_matrix")  # programs that are linked with PETSc


def commit() -> str:
    run = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return run.stdout.strip() or "unknown"


def check_built() -> None:
    if not (ROOT / "build/release/weft").is_file():
        raise Wrong("build/release/weft is not built. Run make measure, which builds it.")


def missing(benchmark: Benchmark) -> Optional[str]:
    """Why the benchmark can't run here."""
    if "build/peers" in benchmark.command and not (ROOT / "build/peers/bin/python").exists():
        return "its packages are not installed (tools/measure --prepare)"
    for need in benchmark.needs:
        if need == "root" and os.geteuid() != 0:
            return "the emulated network needs root"
        if need.isupper():
            if need not in os.environ:
                return f"the environment variable {need} does not name its program"
            continue
        if "/" in need:
            if not (ROOT / need).is_file():
                return f"{need} is not built"
            continue
        if need in PETSC and not (ROOT / "build/release" / need).is_file():
            return "PETSc is not installed (Debian's petsc-dev)"
        if need == "smpi" and not (ROOT / "build/smpi/weft-simulated").is_file():
            return "the simulated machines are not built (tools/setup simulate, then tools/build smpi)"
        if need not in ("root", *PETSC, "smpi") and not shutil.which(need):
            return f"{need} is not installed"
    return None


def environment() -> dict:
    mpi = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
           "WEFT_BUILD": str(ROOT / "build/release"), "PYTHONPATH": str(ROOT / "python"), "MPI4PY_MPIABI": "openmpi"}
    return os.environ | mpi


def launch(benchmark: Benchmark) -> dict:
    """The report of one launch."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        command = benchmark.command.replace("{json}", str(path))
        if mpirun := shutil.which("mpirun.openmpi"):  # Debian's mpirun may be MPICH's
            command = command.replace("mpirun -n", f"{mpirun} -n")
        with subprocess.Popen(["bash", "-c", command], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as process:
            try:
                out, err = process.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired as error:
                end(process)
                raise Wrong(f"{benchmark.name}: not finished after {LIMIT} s.") from error
            except KeyboardInterrupt:
                end(process)
                raise
        if path.is_file():
            return json.loads(path.read_text())
        try:
            return json.loads(out.strip().splitlines()[-1])
        except (IndexError, ValueError):
            last = " ".join((err or out).strip().splitlines()[-1:])
            raise Wrong(f"{benchmark.name}: no report (exit status {process.returncode}: {last[:200]}).") from None


def end(process: subprocess.Popen) -> None:
    """Ends the command with all that it started: ranks that went on would disturb the next benchmark."""
    os.killpg(process.pid, signal.SIGTERM)  # mpirun ends its ranks, and the testbed its network
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)


def summary(samples: list[float]) -> dict:
    return {"median": statistics.median(samples), "low": min(samples), "high": max(samples), "launches": samples}


def of_reports(benchmark: Benchmark, reports: list[dict]) -> list[dict]:
    """The rows of a benchmark: the medians of its launches, and the ratios within each launch."""
    rows = []
    for row in benchmark.rows:
        values, first = {}, None
        for name, read in row.values.items():
            samples = [read(report) for report in reports]
            if any(sample is None for sample in samples):
                continue
            values[name] = summary(samples)
            if first is None:
                first = samples
            elif all(samples):
                values[name]["ratio"] = statistics.median(ours / theirs for ours, theirs in zip(first, samples))
        rows.append({"what": row.what, "unit": row.unit, "rate": row.rate, "values": values})
    return rows


def merged_curves(benchmark: Benchmark, reports: list[dict]) -> dict:
    if benchmark.curves is None:
        return {}
    all_of = [benchmark.curves(report) for report in reports]
    return {key: summary([curves[key] for curves in all_of if key in curves]) if isinstance(first, (int, float)) else first
            for key, first in all_of[0].items()}


def path_of(description: dict) -> Path:
    return FOLDER / f"{machine.slug(description)}.json"


def measure(benchmarks: Iterable[Benchmark], launches: Optional[int], busy: bool) -> bool:
    """Measures in turns: the first launch of each benchmark, then the second of each, and so on. Whether none failed."""
    description = machine.describe()
    path = path_of(description)
    document = json.loads(path.read_text()) if path.is_file() else {"benchmarks": {}}
    document["machine"] = document.get("machine", {}) | description
    chosen = []
    for benchmark in benchmarks:
        if reason := missing(benchmark):
            print(f"measure: {benchmark.name} is left out ({reason}).", flush=True)
        else:
            chosen.append(benchmark)
    reports: dict[str, list[dict]] = {b.name: [] for b in chosen}
    begin = time.monotonic()
    for turn in range(launches or max((b.launches for b in chosen), default=0)):
        for benchmark in chosen:
            if turn >= (launches or benchmark.launches) or benchmark.name not in reports:
                continue
            started = time.monotonic()
            try:
                reports[benchmark.name].append(launch(benchmark))
            except Wrong as error:
                print(f"measure: {error} Left out.", flush=True)
                del reports[benchmark.name]
                continue
            print(f"measure: {benchmark.name}, launch {turn + 1}: {time.monotonic() - started:.0f} s", flush=True)
            if benchmark.name == "kernel":
                document["machine"]["memory_gb_per_s"] = round(reports["kernel"][-1]["figures"]["stream_gb_per_s"], 1)
            document["benchmarks"][benchmark.name] = {
                "date": date.today().isoformat(), "commit": commit(), "busy": busy, "launches": len(reports[benchmark.name]),
                "command": benchmark.command.replace(" --json {json}", "").replace("{json}", "report.json"),
                "rows": of_reports(benchmark, reports[benchmark.name]), "curves": merged_curves(benchmark, reports[benchmark.name])}
            path.parent.mkdir(exist_ok=True)
            beside = path.with_suffix(".tmp")
            beside.write_text(json.dumps(document, indent=1) + "\n")
            beside.replace(path)
    if any(reports.values()):
        print(f"measure: {time.monotonic() - begin:.0f} s in all; written: {path.relative_to(ROOT)}")
    return len(reports) == len(chosen)
