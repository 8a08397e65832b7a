# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/results/measured.md, and checks the figures of README.md and docs/results.md against what was measured."""
import json
import math
import re
import subprocess
import textwrap
from pathlib import Path
from typing import Iterator, Optional

import machine
from benchmarks import BENCHMARKS, Benchmark
from run import FOLDER, ROOT

PAGE = ROOT / "docs/results/measured.md"
OLD = "†"
HEAD = f"""# Measured

What `make measure` measured: weft beside the best plain MPI, and beside other programs. README.md and [the ten
figures](../results.md) take their figures from here.

```
make measure                                    # builds, and measures everything: 40 minutes on a quiet machine
tools/measure --only halo,fft --launches 5      # replaces these sections
```

Each value is the median of so many launches of the section's command, with the smallest and largest in parentheses.
*Ratio* is weft's (the first) value / the other value, the median of the ratios within a launch. {OLD}: the measured
code has changed since. The emulated network is the [testbed](../testbed.md).

"""


def documents() -> list[dict]:
    """What was measured on each machine, the newest first."""
    found = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    return sorted(found, key=lambda d: max((b["date"] for b in d["benchmarks"].values()), default=""), reverse=True)


def has_changed(commit: str, paths: list[str]) -> Optional[bool]:
    """Whether files changed after a commit; None: that is not known here."""
    run = subprocess.run(["git", "diff", "--quiet", commit, "HEAD", "--", *paths], cwd=ROOT, capture_output=True, check=False)
    return {0: False, 1: True}.get(run.returncode)


def number(value: float) -> str:
    """Three significant digits."""
    if value == 0:
        return "0"
    decimals = 2 - math.floor(math.log10(abs(float(f"{value:.3g}"))))
    return f"{round(value, decimals):,.{max(0, decimals)}f}"


def cell(value: Optional[dict]) -> str:
    if value is None:
        return ""
    text = number(value["median"])
    if len(value["launches"]) > 1:
        text += f" ({number(value['low'])}, {number(value['high'])})"
    return text + (f", ratio **{value['ratio']:.2f}**" if "ratio" in value else "")


def machine_lines(all_of: list[dict]) -> Iterator[str]:
    yield "| machine | cores | caches | memory, one core | compiler | MPI |\n|---|---|---|---|---|---|\n"
    for document in all_of:
        m = document["machine"]
        caches = ", ".join(f"{level} {size}" for level, size in m["caches"].items())
        rate = f"{m['memory_gb_per_s']} GB/s" if "memory_gb_per_s" in m else ""
        yield f"| {machine.name(m)} ({m['vectors']}) | {m['cores']} | {caches} | {rate} | {m['compiler']} | {m['mpi']} |\n"
    yield "\n"


def section(benchmark: Benchmark, all_of: list[dict]) -> Iterator[str]:
    entries = [d["benchmarks"].get(benchmark.name) for d in all_of]
    if not any(entries):
        return
    command = next(e for e in entries if e)["command"]
    about = "\n".join(textwrap.wrap(f"{benchmark.about} [How]({benchmark.page}).", 118, break_long_words=False, break_on_hyphens=False))
    yield f"## {benchmark.name}\n\n{about}\n\n```\n{command}\n```\n\n"
    heads = []
    for document, entry in zip(all_of, entries):
        if entry:
            old = OLD if benchmark.depends and has_changed(entry["commit"], benchmark.depends) else ""
            busy = ", a busy machine" if entry["busy"] else ""
            launches = f"{entry['launches']} launch{'es' if entry['launches'] > 1 else ''}"
            heads.append(f"{document['machine']['processor']}, {entry['date']}, commit {entry['commit']}, {launches}{busy} {old}".strip())
    yield "| | " + " | ".join(heads) + " |\n|" + "---|" * (1 + len(heads)) + "\n"
    measured = [entry for entry in entries if entry]
    for row in benchmark.rows:
        found = [next((r["values"] for r in e["rows"] if r["what"] == row.what), {}) for e in measured]
        if not any(found):
            continue
        yield f"| **{row.what}{f', {row.unit}' if row.unit else ''}** |" + " |" * len(measured) + "\n"
        for name in row.values:
            if any(name in values for values in found):
                yield f"| {name} | " + " | ".join(cell(values.get(name)) for values in found) + " |\n"
    yield "\n"


def text() -> str:
    all_of = documents()
    return (HEAD + "".join(machine_lines(all_of)) + "".join(line for b in BENCHMARKS for line in section(b, all_of))).rstrip() + "\n"


def write() -> None:
    PAGE.write_text(text())


NUMBER = re.compile(r"(?<![\w.^-])\d[\d,]*(?:\.\d+)?(?![\w^]|\.\d)")
LINK = re.compile(r"measured\.md#([\w-]+)")


def figures_of(entry: dict) -> list[float]:
    """All that may be said of a benchmark: its values, and the ratios both ways."""
    found = []
    for row in entry["rows"]:
        for value in row["values"].values():
            found += [value["median"], value["low"], value["high"]]
            if "ratio" in value:
                found += [value["ratio"], 1 / value["ratio"]]
    return found


def is_one_of(text_of_number: str, figures: list[float]) -> bool:
    """Whether the number is one of the figures, rounded to as many digits as it shows."""
    plain = text_of_number.replace(",", "")
    digits = plain.replace(".", "").lstrip("0")
    counts = {len(digits), len(digits) if "." in plain else len(digits.rstrip("0"))}  # the last zeros of 2470 may be rounded
    return any(figure and float(f"{figure:.{max(1, n)}g}") == float(plain) for figure in figures for n in counts)


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """The last heading, and each row of a table, item of a list, or paragraph as one line. No code."""
    page = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    heading, block = "", ""
    for line in [*page.splitlines(), ""]:
        if not line or line.startswith(("#", "|", "- ")):
            if block:
                yield heading, block
            block = ""
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line:
            block += line if not block else " " + line.strip()


def unmeasured(page: str, document: dict) -> list[str]:
    """The errors of a page: bold numbers beside a link to measured.md that are not in the newest file. Each row of the table of the ten
    figures needs such a link."""
    errors = []
    for heading, block in blocks(page):
        named = LINK.findall(block)
        if not named:
            if heading.startswith("Ten figures") and block.startswith("|") and "**" in block:
                errors.append(f"no link to a measurement: {block[:100]}")
            continue
        entries = [document["benchmarks"].get(name) for name in named]
        if not all(entries):
            errors.append(f"not in the last measurement: {', '.join(n for n, e in zip(named, entries) if not e)}")
            continue
        figures = [figure for entry in entries for figure in figures_of(entry)]
        numbers = NUMBER.findall(" ".join(re.findall(r"\*\*(.+?)\*\*", block)))
        errors += [f"{n} was not measured by {', '.join(named)}: {block[:100]}" for n in numbers if not is_one_of(n, figures)]
    return errors
