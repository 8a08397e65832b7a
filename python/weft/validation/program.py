# SPDX-License-Identifier: BSD-3-Clause
"""Runs `weft flow` and reads its output."""
import json
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Sequence, Union

from weft.errors import InputError
from weft.fields import Fields, read_fields
from weft.monitors import Monitors, read_monitors


@dataclass(frozen=True)
class Run:
    directory: Path

    def fields(self) -> list[Fields]:
        """All fields that the run wrote, in time order."""
        return [read_fields(path) for path in sorted(self.directory.glob("fields_*.vtkhdf"))]

    def monitors(self) -> Monitors:
        return read_monitors(self.directory / "monitors.csv")


@dataclass
class Program:
    command: Sequence[str]      # the words before "flow": mpirun and its arguments, weft
    directory: Path             # of the cases and their output
    seconds: float = field(default=0.0, init=False)  # duration of all runs
    runs: int = field(default=0, init=False)

    def run(self, name: str, surface: object, case: dict) -> Run:
        """`surface` is one of surfaces.py. `case`: the sections by name; a list is an array of sections, for example of inlets."""
        folder = self.directory / name
        folder.mkdir(parents=True, exist_ok=True)
        out = folder / "out"
        for path in out.glob("fields_*"):  # left by an earlier validation
            path.unlink()
        surface.write(folder / "surface.stl")
        case = {**case, "surface": {"file": "surface.stl", "unit": "mm", **case["surface"]}}
        (folder / "case.toml").write_text(toml(case), encoding="utf-8")
        self._start([*self.command, "flow", str(folder / "case.toml"), "--out", str(out)], str(folder / "case.toml"))
        self.runs += 1
        return Run(out)

    def made_vessel(self, name: str, beats: float, folder_name: str = "", coarsen: float = 1, settings: Optional[dict] = None,
                    extract: Optional[dict] = None) -> Run:
        """Runs a vessel that `weft bench robustness --write` makes. `settings`: keys and values to set. `extract`: one more extract."""
        folder = self.directory / (folder_name or name)
        self._start([*self.command, "bench", "robustness", "--write", str(folder), "--vessel", name, "--beats", f"{beats:g}",
                     "--coarsen", f"{coarsen:g}"], name)
        if extract:
            with open(folder / "case.toml", "a", encoding="utf-8") as case:
                case.write("\n" + toml({"extract": [extract]}))
        sets = [word for key, value in (settings or {}).items() for word in ("--set", f"{key}={value}")]
        self._start([*self.command, "flow", str(folder / "case.toml"), *sets, "--out", str(folder / "out")], str(folder / "case.toml"))
        self.runs += 1
        return Run(folder / "out")

    def bench(self, name: str, *options: str) -> dict:
        """Runs a benchmark and returns its report."""
        self.directory.mkdir(parents=True, exist_ok=True)
        report = self.directory / f"bench-{name}.json"
        self._start([*self.command, "bench", name, *options, "--json", str(report)], f"weft bench {name}")
        return json.loads(report.read_text(encoding="utf-8"))

    def _start(self, command: Sequence[str], what: str) -> None:
        began = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise InputError(f"{command[0]} can't be started ({error.strerror}). Check the command after --.") from error
        self.seconds += time.monotonic() - began
        if done.returncode != 0:
            errors = [line.strip().rstrip(".") for line in (done.stdout + done.stderr).splitlines() if "error" in line.lower()]
            raise InputError(f"{what}: The command weft {command[len(self.command)]} failed (status {done.returncode}; it printed: "
                             f"{(errors or ['no error'])[0]}). Run it alone to see all of its output.")


def toml(case: dict) -> str:
    lines = [f"{key} = {_value(value)}" for key, value in case.items() if not isinstance(value, (dict, list))]
    for key, value in case.items():
        for section in value if isinstance(value, list) else [value] if isinstance(value, dict) else []:
            lines += ["", f"[[{key}]]" if isinstance(value, list) else f"[{key}]"]
            lines += [f"{name} = {_value(item)}" for name, item in section.items()]
    return "\n".join(lines) + "\n"


def _value(value: Union[str, bool, float, list, dict]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_value(item)}" for name, item in value.items()) + "}"
    return repr(value) if isinstance(value, int) else repr(float(value))
