# SPDX-License-Identifier: BSD-3-Clause
"""Makes one HTML page of reports of `weft bench NAME --json REPORT.json`: figures, settings, numbers, and a comparison of several files.

python -m weft.report REPORT.json [REPORT.json ...] [-o report.html]
"""
import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Iterator, Optional, Sequence

from weft.errors import InputError, check_plots, message
from weft.files import check_place, write_whole
from weft.reports import Report, read_report


def read_all(paths: Sequence[Path]) -> list[Report]:
    """Each report gets a unique name: if files have the same name, their directory's name or a number is added."""
    reports = [read_report(path) for path in paths]
    for name in (lambda r, _: f"{r.path.resolve().parent.name}/{r.path.stem}",
                 lambda r, number: f"{r.path.stem} ({number})"):
        if len({r.name for r in reports}) == len(reports):
            break
        reports = [replace(r, label=name(r, number)) for number, r in enumerate(reports, 1)]
    return reports


def groups(reports: Sequence[Report]) -> list[list[Report]]:
    """One group per benchmark, since only reports of one benchmark can be compared. Clock reports come last: they describe the clock
    of the other measurements."""
    found: dict[str, list[Report]] = {}
    for report in reports:
        found.setdefault(report.benchmark, []).append(report)
    return [found[name] for name in found if name != "clock"] + ([found["clock"]] if "clock" in found else [])


def build(reports: Sequence[Report]) -> tuple[str, list[str]]:
    """The page, and the lines for the terminal."""
    check_plots("matplotlib")
    from weft import page  # the drawing library takes a second to load, so it is loaded after the files were checked
    from weft.comparison import compare_all
    from weft.comparison_section import comparison_section, terminal_table
    from weft.sections import report_section

    lines: list[str] = []

    def parts() -> Iterator[str]:
        for group in groups(reports):
            if len(group) > 1 and group[0].benchmark != "clock":
                compared = compare_all(group[0], group[1:])
                lines.extend(terminal_table(compared))
                yield from comparison_section(compared)
        for group in groups(reports):
            for report in group:
                yield from report_section(report)

    benchmarks = list(dict.fromkeys(r.benchmark for r in reports))
    return page.page("weft bench: " + ", ".join(benchmarks), parts()), lines


EXAMPLES = """examples:
  python -m weft.report collectives.json
  python -m weft.report before.json after.json -o comparison.html

documentation: docs/bench.md
"""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="weft.report", description="Makes one HTML page of reports of weft bench, and compares reports of the same benchmark.",
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", type=Path, nargs="+", metavar="REPORT.json",
                        help="files that weft bench wrote with --json, or that weft.launches merged; the first one is the baseline, "
                             "with which the others are compared")
    parser.add_argument("-o", "--out", type=Path, default=Path("report.html"), metavar="FILE", help="page (default: report.html)")
    options = parser.parse_args(arguments)
    try:
        check_place(options.out)
        reports = read_all(options.reports)
        if any(path.resolve() == options.out.resolve() for path in options.reports):
            raise InputError(f"{options.out}: This file is one of the reports. Name another file with -o.")
        text, lines = build(reports)
        write_whole(options.out, text)
        print(*lines, options.out, sep="\n")
    except (InputError, OSError) as error:
        print(f"weft.report: {message(error)}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
