# SPDX-License-Identifier: BSD-3-Clause
"""Measures the figures of README.md and docs/results.md, weft and its opponents in turns, and writes them to
docs/results/measured/MACHINE.json and docs/results/measured.md. Documentation: docs/results.md"""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import machine  # noqa: E402
import page  # noqa: E402
import prepare  # noqa: E402
import run  # noqa: E402
from benchmarks import BENCHMARKS  # noqa: E402
from wrong import Wrong  # noqa: E402


EXAMPLES = """examples:
  make measure
  tools/measure --only halo,fft --launches 5
  tools/measure --write

documentation: docs/results/measured.md"""


def chosen(only: str) -> list:
    names = [b.name for b in BENCHMARKS]
    wanted = only.split(",") if only else names
    for name in wanted:
        if name not in names:
            raise Wrong(f"There is no benchmark '{name}'. Give some of {', '.join(names)}.")
    return [b for b in BENCHMARKS if b.name in wanted]


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/measure", description=(__doc__ or "").partition(" Documentation")[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter, epilog=EXAMPLES)
    parser.add_argument("--only", default="", metavar="NAMES", help="some benchmarks, separated by commas (default: all)")
    parser.add_argument("--launches", type=int, help="of each benchmark (default: 3, of long ones 1)")
    parser.add_argument("--busy", action="store_true", help="measure although other programs run; the figures are marked")
    parser.add_argument("--prepare", action="store_true", help="install and build the other programs, and measure nothing")
    parser.add_argument("--list", action="store_true", help="print the benchmarks and their commands, and measure nothing")
    parser.add_argument("--write", action="store_true", help="only write docs/results/measured.md and the plots from the files")
    options = parser.parse_args()
    try:
        benchmarks = chosen(options.only)
        if options.launches is not None and options.launches < 1:
            raise Wrong("--launches must be at least 1.")
        if options.list:
            for benchmark in benchmarks:
                print(f"{benchmark.name}: {benchmark.command}")
            return 0
        if options.prepare:
            prepare.prepare()
            return 0
        complete = True
        if not options.write:
            run.check_built()
            if not options.busy:
                machine.check_quiet()
            complete = run.measure(benchmarks, options.launches, options.busy)
        page.write()
        import plots  # matplotlib takes a second to load
        plots.draw(page.documents())
    except (Wrong, OSError) as error:
        print(f"measure: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
