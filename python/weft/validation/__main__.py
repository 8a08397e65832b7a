# SPDX-License-Identifier: BSD-3-Clause
"""Runs the studies of docs/validation.md, draws their plots and puts their figures into the page.

python -m weft.validation [--only STUDY ...] [--page FILE] [--work DIR] -- mpirun -n 2 build/release/weft
"""
import argparse
import sys
from pathlib import Path
from typing import Optional, Sequence

from weft.errors import InputError
from weft.validation import delivered, outlets, poiseuille, rheology, wall_shear, womersley
from weft.validation.page import put_into, read_page
from weft.validation.program import Program

STUDIES = {"poiseuille": poiseuille.study, "lattices": poiseuille.lattices, "womersley": womersley.study,
           "rheology": rheology.study, "wall-shear": wall_shear.study, "delivered": delivered.study,
           "windkessel": outlets.windkessels, "split": outlets.splits}


def validate(program: Program, page: Path, names: Sequence[str]) -> bool:
    """Whether all that is checked holds. The page and its plots are written either way: they show what does not."""
    text = read_page(page)
    images = page.parent / "images"
    images.mkdir(exist_ok=True)
    good = True
    for name in names:
        outcome = STUDIES[name](program, images)
        text = put_into(page, text, outcome)
        print(f"{name}: {len(outcome.checks)} checks, {program.runs} runs so far in {program.seconds:.0f} s", flush=True)
        for check in outcome.checks:
            if not check.holds:
                good = False
                print(f"FAILED {check.what}: {check.found:.4g} ({check.wanted})", flush=True)
    return good


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="weft.validation", description="Compares weft flow with known solutions.")
    parser.add_argument("--page", type=Path, default=Path("docs/validation.md"), help="its tables are replaced")
    parser.add_argument("--work", type=Path, default=Path("out/validation"), help="for cases and what they write")
    parser.add_argument("--only", nargs="+", choices=list(STUDIES), default=list(STUDIES), metavar="STUDY")
    parser.add_argument("command", nargs="+", help="-- mpirun -n 2 build/release/weft")
    options = parser.parse_args(arguments)
    try:
        return 0 if validate(Program(options.command, options.work), options.page, options.only) else 1
    except (InputError, OSError) as error:
        print(f"weft.validation: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
