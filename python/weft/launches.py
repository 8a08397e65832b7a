# SPDX-License-Identifier: BSD-3-Clause
"""Starts a benchmark several times and merges the reports, since one launch does not show the variation between launches.

python -m weft.launches [--launches 10] [--out FILE] -- mpirun -n 2 weft bench collectives ...
python -m weft.launches --merge [--out FILE] REPORT.json REPORT.json ...
"""
import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Optional, Sequence

from weft.errors import InputError, message
from weft.files import check_place, write_whole
from weft.merge import merged_text
from weft.reports import read_document

WRONG_RESULTS = 1  # exit status of a benchmark whose checks failed; its report lists the wrong results


BAD_INPUT = 2      # exit status of a benchmark after a wrong command line


class LaunchFailed(Exception):
    """The text is one line: which launch failed, and how."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


def launch(command: Sequence[str], number: int, count: int, directory: Path) -> tuple[Path, int]:
    """Starts the command once with `--json FILE` added. Its output goes to a file beside FILE."""
    report, output = directory / f"launch{number}.json", directory / f"launch{number}.txt"
    begin = time.monotonic()
    try:
        with output.open("wb") as printed:
            status = subprocess.run([*command, "--json", str(report)], stdin=subprocess.DEVNULL, stdout=printed,
                                    stderr=subprocess.STDOUT).returncode
    except OSError as error:
        raise InputError(f"{command[0]} can't be started ({error.strerror}). Check the command after --.") from error
    if not report.exists() or status not in (0, WRONG_RESULTS):
        how = f"status {status}" if status else "it wrote no report"
        printed_last = last_words(output.read_text(errors="replace").splitlines())
        raise LaunchFailed(f"Launch {number} of {count} failed ({how}{printed_last}). Run the command alone to see all of its output.",
                           BAD_INPUT if status == BAD_INPUT else 1)
    print(f"launch {number} of {count}: {time.monotonic() - begin:.1f} s{', FAILED checks' if status else ''}", flush=True)
    return report, status


def last_words(lines: Sequence[str]) -> str:
    """The program's own error message, else the last line. After an error mpirun prints many lines of its own."""
    spoken = [line.strip() for line in lines if line.strip(" -*=|")]
    own = [line for line in spoken if line.startswith("error: ")]
    return f"; it printed: {(own or spoken[-1:])[0][:300].rstrip('.')}" if spoken else ""


def run(command: Sequence[str], count: int, out: Path) -> int:
    """All launches, then the merged file. If one fails, the reports of those before it are kept for `--merge`."""
    directory = Path(tempfile.mkdtemp(prefix="launches-", dir=out.resolve().parent))
    reports, worst, whole = [], 0, False
    try:
        for number in range(1, count + 1):
            report, status = launch(command, number, count, directory)
            reports.append(report)
            worst = max(worst, status)
        write_whole(out, merged_text([(path, read_document(path)) for path in reports], shlex.join(command)))
        whole = True
    finally:
        if whole or not reports:
            shutil.rmtree(directory, ignore_errors=True)
        else:
            print(f"weft.launches: The reports of the launches before are in {directory}. Merge them with --merge.", file=sys.stderr)
    print(out)
    return worst


EXAMPLES = """examples:
  python -m weft.launches --launches 10 --out openmpi.json -- mpirun -n 2 weft bench collectives --operations allreduce
  python -m weft.launches --merge --out openmpi.json job1.json job2.json

documentation: docs/bench.md
"""


def parsed(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="weft.launches", description="Starts a benchmark several times and merges its reports into one JSON file.",
        usage="%(prog)s [--launches N] [--out FILE] -- COMMAND... | --merge [--out FILE] REPORT...", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=10, metavar="N", help="number of launches, at least 1 (default: 10)")
    parser.add_argument("--out", type=Path, default=Path("launches.json"), metavar="FILE", help="merged file (default: launches.json)")
    parser.add_argument("--merge", action="store_true", help="start nothing, but merge the given reports")
    parser.add_argument("command", nargs="+", metavar="COMMAND or REPORT",
                        help="whole command of one launch, without --json (each launch gets its own); with --merge: files to merge")
    return parser.parse_args(arguments)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    options = parsed(arguments)
    try:
        check_place(options.out)
        if options.merge:
            reports = [Path(name) for name in options.command]
            write_whole(options.out, merged_text([(path, read_document(path)) for path in reports], ""))
            print(options.out)
            return 0
        if options.launches < 1:
            raise InputError(f"--launches is {options.launches} (at least one launch is needed). Give 1 or more.")
        if any(word == "--json" or word.startswith("--json=") for word in options.command):
            raise InputError("--json is in the command (each launch gets its own). Remove it, and name the merged file with --out.")
        return run(options.command, options.launches, options.out)
    except (InputError, OSError) as error:
        print(f"weft.launches: {message(error)}", file=sys.stderr)
        return 2
    except LaunchFailed as error:
        print(f"weft.launches: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        print("weft.launches: Interrupted.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
