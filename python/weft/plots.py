# SPDX-License-Identifier: BSD-3-Clause
"""Draws a report of `weft bench halo --json REPORT.json` as PNG files, beside the report or in another directory.

python -m weft.plots REPORT.json [DIRECTORY]
"""
import argparse
import sys
from pathlib import Path
from typing import Optional, Sequence

from weft.errors import InputError, check_plots, message
from weft.reports import read_report


def draw(path: Path, directory: Optional[Path] = None) -> list[Path]:
    report = read_report(path)
    directory = directory or path.parent
    if not directory.is_dir():
        raise InputError(f"{directory}: This is not a directory. Name an existing directory for the plots.")
    if report.benchmark != "halo":
        raise InputError(f"{path}: There are no plots of '{report.benchmark}' (weft.plots draws reports of halo). Use weft.report.")
    check_plots("matplotlib")
    from weft.halo_figure import draw_halo
    return draw_halo(report, directory)


EXAMPLES = """examples:
  python -m weft.plots halo.json
  python -m weft.plots halo.json plots

documentation: docs/results/halo.md
"""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="weft.plots", description="Draws a report of weft bench halo as PNG files, and prints their paths.",
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path, help="JSON file that weft bench halo wrote with --json")
    parser.add_argument("directory", type=Path, nargs="?", help="existing directory for the plots (default: the report's)")
    options = parser.parse_args(arguments)
    try:
        for path in draw(options.report, options.directory):
            print(path)
    except (InputError, OSError) as error:
        print(f"weft.plots: {message(error)}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
