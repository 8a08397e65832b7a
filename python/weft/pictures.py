# SPDX-License-Identifier: BSD-3-Clause
"""Draws the output of a run into its directory: flow.png, monitors.png and ranks.png of `weft flow`; slice.png, and monitors.png
if there are monitors, of `weft box`; grids.png of `weft wave`.

python -m weft.pictures DIRECTORY [--title TEXT]
"""
import argparse
import sys
from pathlib import Path
from typing import Optional, Sequence

from weft.errors import InputError, check_plots, message
from weft.fields import kind_of, last_fields, read_fields
from weft.hierarchy import read_slice
from weft.monitors import REQUIRED_OF_BOX, read_monitors
from weft.plane import read_plane


def draw(directory: Path, title: Optional[str] = None) -> list[Path]:
    """Draws all pictures and returns their paths. All input is read and checked before the first picture is written."""
    if not directory.is_dir():
        raise InputError(f"{directory}: This is not a directory. Give the output directory of a run (output.directory of the case).")
    check_plots("h5py", "matplotlib")
    title = title or directory.resolve().name
    file = last_fields(directory)
    draw_kind = {"ImageData": _draw_box, "OverlappingAMR": _draw_hierarchy}.get(kind_of(file), _draw_vessel)
    return draw_kind(directory, file, title)


def _draw_vessel(directory: Path, file: Path, title: str) -> list[Path]:
    monitors = read_monitors(directory / "monitors.csv")
    fields = read_fields(file)

    from weft.flow_figure import draw_flow
    from weft.monitor_figure import draw_monitors
    from weft.rank_figure import draw_ranks
    from weft.view import best_view
    view = best_view(fields)
    paths = [directory / name for name in ("flow.png", "monitors.png", "ranks.png")]
    draw_flow(fields, view, title, paths[0])
    draw_monitors(monitors, title, paths[1])
    draw_ranks(fields, view, title, paths[2])
    return paths


def _draw_box(directory: Path, file: Path, title: str) -> list[Path]:
    history = directory / "monitors.csv"
    monitors = read_monitors(history, REQUIRED_OF_BOX) if history.exists() else None
    plane = read_plane(file)

    from weft.monitor_figure import draw_box_monitors
    from weft.slice_figure import draw_slice
    paths = [directory / "slice.png"]
    draw_slice(plane, title, paths[0])
    if monitors is not None:
        paths.append(directory / "monitors.png")
        draw_box_monitors(monitors, title, paths[1])
    return paths


def _draw_hierarchy(directory: Path, file: Path, title: str) -> list[Path]:
    plane = read_slice(file)

    from weft.grids_figure import draw_grids
    path = directory / "grids.png"
    draw_grids(plane, title, path)
    return [path]


EXAMPLES = """examples:
  python -m weft.pictures out/aneurysm
  python -m weft.pictures out/box --title "Suspension, 5 particles"

documentation: docs/formats.md
"""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="weft.pictures", description="Draws pictures (PNG) of the output of weft flow, weft box or weft wave, and prints their paths.",
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, help="output directory of a run; the pictures are written into it")
    parser.add_argument("--title", help="headline of the pictures (default: the directory's name)")
    options = parser.parse_args(arguments)
    try:
        for path in draw(options.directory, options.title):
            print(path)
    except (InputError, OSError) as error:
        print(f"weft.pictures: {message(error)}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
