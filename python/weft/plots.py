# SPDX-License-Identifier: BSD-3-Clause
"""Draws what `weft bench NAME --json REPORT.json` measured: PNG files beside the report, or in a directory.

python -m weft.plots REPORT.json [DIRECTORY]
"""
import argparse
import sys
from pathlib import Path
from typing import Optional, Sequence

from weft.errors import InputError
from weft.reports import read_report


def draw(path: Path, directory: Optional[Path] = None) -> list[Path]:
    report = read_report(path)
    directory = directory or path.parent
    if not directory.is_dir():
        raise InputError(f"{directory}: not a directory.")
    if report.benchmark != "halo":
        raise InputError(f"{path}: there are no plots of '{report.benchmark}' (there are of: halo).")
    from weft.halo_figure import draw_halo
    return draw_halo(report, directory)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="weft.plots", description="Draws what weft bench measured.")
    parser.add_argument("report", type=Path, help="the file that --json named")
    parser.add_argument("directory", type=Path, nargs="?", help="where the plots go; default: beside the report")
    options = parser.parse_args(arguments)
    try:
        for path in draw(options.report, options.directory):
            print(path)
    except (InputError, OSError) as error:
        print(f"weft.plots: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
