# SPDX-License-Identifier: BSD-3-Clause
"""Runs the studies of docs/validation.md, draws their plots and puts their figures into the page.

python -m weft.validation [--long] [--only STUDY ...] [--vessels N] [--page FILE] [--work DIR] -- mpirun -n 2 build/release/weft
"""
import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Optional, Sequence

from weft.errors import InputError
from weft.validation import aneurysm, delivered, nozzle, outlets, poiseuille, rheology, vessels, wall_shear, womersley
from weft.validation.page import put_into, read_page
from weft.validation.program import Program

STUDIES = {"poiseuille": poiseuille.study, "lattices": poiseuille.lattices, "womersley": womersley.study,
           "rheology": rheology.study, "wall-shear": wall_shear.study, "delivered": delivered.study,
           "windkessel": outlets.windkessels, "split": outlets.splits}
LONG = {"nozzle": nozzle.study, "aneurysm": aneurysm.study, "vessels": vessels.named, "robustness": vessels.random_ones}  # hours, together


def validate(program: Program, page: Path, names: Sequence[str]) -> bool:
    """Whether all that is checked holds. The page and its plots are written either way: they show what does not."""
    text = read_page(page)
    images = page.parent / "images"
    images.mkdir(exist_ok=True)
    good = True
    for name in names:
        outcome = (STUDIES | LONG)[name](program, images)
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
    parser.add_argument("--only", nargs="+", choices=[*STUDIES, *LONG], metavar="STUDY", help=f"of {', '.join([*STUDIES, *LONG])}")
    parser.add_argument("--long", action="store_true", help="those that take hours, too: " + ", ".join(LONG))
    parser.add_argument("--vessels", type=int, default=100, help="how many random ones robustness takes; default: 100")
    parser.add_argument("--trials", type=Path, help="trials.csv of robustness, made before by weft bench robustness --out: nothing is run for it")
    parser.add_argument("command", nargs="+", help="-- mpirun -n 2 build/release/weft")
    options = parser.parse_args(arguments)
    try:
        names = options.only or [*STUDIES, *(LONG if options.long else ())]
        if options.vessels < 1:
            raise InputError(f"--vessels {options.vessels}: not a number of vessels. Give at least 1.")
        LONG["robustness"] = partial(vessels.random_ones, count=options.vessels, trials=options.trials)
        return 0 if validate(Program(options.command, options.work), options.page, names) else 1
    except (InputError, OSError) as error:
        print(f"weft.validation: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
