# SPDX-License-Identifier: BSD-3-Clause
"""Draws what `weft flow` wrote: flow.png, monitors.png and ranks.png beside its files.

python -m weft.pictures DIRECTORY [--title TEXT]
"""
import argparse
import sys
from pathlib import Path
from typing import Optional, Sequence

from weft.errors import InputError
from weft.fields import last_fields, read_fields
from weft.monitors import read_monitors


def draw(directory: Path, title: Optional[str] = None) -> list[Path]:
    """Draws everything and returns the paths; all input is read and checked before the first picture is written."""
    if not directory.is_dir():
        raise InputError(f"{directory}: not a directory. Give the [output] directory of the case.")
    monitors = read_monitors(directory / "monitors.csv")
    fields = read_fields(last_fields(directory))

    from weft.flow_figure import draw_flow
    from weft.monitor_figure import draw_monitors
    from weft.rank_figure import draw_ranks
    from weft.view import best_view
    title = title or directory.resolve().name
    view = best_view(fields)
    paths = [directory / name for name in ("flow.png", "monitors.png", "ranks.png")]
    draw_flow(fields, view, title, paths[0])
    draw_monitors(monitors, title, paths[1])
    draw_ranks(fields, view, title, paths[2])
    return paths


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="weft.pictures", description="Draws what weft flow wrote.")
    parser.add_argument("directory", type=Path, help="the [output] directory of the case")
    parser.add_argument("--title", help="headline of the pictures; default: the directory's name")
    options = parser.parse_args(arguments)
    try:
        for path in draw(options.directory, options.title):
            print(path)
    except (InputError, OSError) as error:
        print(f"weft.pictures: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
