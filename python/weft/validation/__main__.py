# SPDX-License-Identifier: BSD-3-Clause
"""Runs the studies of docs/validation.md, draws their plots and replaces their tables in the page.

python -m weft.validation [--long] [--only STUDY ...] [--vessels N] [--page FILE] [--work DIR] -- mpirun -n 2 build/release/weft
"""
import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Optional, Sequence

from weft.errors import InputError, message
from weft.validation import aneurysm, delivered, nozzle, opening_pressure, outlets, poiseuille, rheology, stenosis, storage, tubes, vessels, wall_shear, womersley
from weft.validation.page import put_into, read_page
from weft.validation.program import Program

STUDIES = {"poiseuille": poiseuille.study, "lattices": poiseuille.lattices, "womersley": womersley.study,
           "rheology": rheology.study, "wall-shear": wall_shear.study, "delivered": delivered.study,
           "windkessel": outlets.windkessels, "split": outlets.splits,
           "openings": opening_pressure.study, "stenosis": stenosis.study, "storage": storage.study}
LONG = {"nozzle": nozzle.study, "aneurysm": aneurysm.study, "tubes": tubes.study, "vessels": vessels.named,
        "robustness": vessels.random_ones}  # hours in total
EXAMPLES = """examples:
  python -m weft.validation -- mpirun -n 2 build/release/weft
  python -m weft.validation --only poiseuille womersley --page page.md -- build/release/weft

documentation: docs/validation.md
"""


def validate(program: Program, page: Path, names: Sequence[str]) -> bool:
    """Whether all checks hold. The page and its plots are written either way, since they show what is wrong."""
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
    parser = argparse.ArgumentParser(
        prog="weft.validation", description="Compares flows that weft flow computes with known solutions, and writes the tables and plots "
        "of a page.", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", type=Path, default=Path("docs/validation.md"), metavar="FILE",
                        help="Markdown page whose tables are replaced (default: docs/validation.md)")
    parser.add_argument("--work", type=Path, default=Path("out/validation"), metavar="DIR",
                        help="directory of the cases and their output (default: out/validation)")
    parser.add_argument("--only", nargs="+", choices=[*STUDIES, *LONG], metavar="STUDY",
                        help=f"run only these studies, of {', '.join([*STUDIES, *LONG])} (default: all that take minutes)")
    parser.add_argument("--long", action="store_true", help="also run the studies that take hours: " + ", ".join(LONG))
    parser.add_argument("--vessels", type=int, default=100, metavar="N",
                        help="number of random vessels in the study robustness, at least 1 (default: 100)")
    parser.add_argument("--trials", type=Path, metavar="FILE",
                        help="trials.csv that weft bench robustness --out wrote: the study robustness reads it and runs nothing")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="command that starts weft, for example mpirun -n 2 build/release/weft")
    options = parser.parse_args(arguments)
    try:
        names = options.only or [*STUDIES, *(LONG if options.long else ())]
        if options.vessels < 1:
            raise InputError(f"--vessels is {options.vessels} (at least one vessel is needed). Give 1 or more.")
        LONG["robustness"] = partial(vessels.random_ones, count=options.vessels, trials=options.trials)
        return 0 if validate(Program(options.command, options.work), options.page, names) else 1
    except (InputError, OSError) as error:
        print(f"weft.validation: {message(error)}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
