# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest: tests of how much communication is overlapped.

    @pytest.mark.overlap(at_least=0.6, ranks=2)
    def test_solver():
        solve(steps=200)                        # each rank runs it, under `weft run -- mpiexec -n 2 python -m pytest ...`

    @pytest.mark.overlap(at_least=0.6, ranks=4, region="halo", repeat=3, command=["./solver", "small.input"])
    def test_program():
        assert Path("result.txt").exists()      # runs afterwards, without ranks

The test fails with weft's sentence if the overlap fraction is smaller. If it is unknown, the test is skipped with the reason, or fails
with strict=True. `launcher` are the words before "-n RANKS" (default: the mpiexec of the MPI library). Neither numpy nor an MPI library
is imported here, since pytest loads this module in all projects."""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple, Optional, Sequence, Union

import pytest

# Set in the ranks, so that they run the test instead of starting ranks.
INSIDE = "WEFT_PYTEST_RANK"
HELP = ("overlap(at_least, ranks=2, region=None, repeat=1, command=None, launcher=None, strict=False): runs the test, or the command, on so "
        "many ranks; fails if less than at_least (0 to 1) of the communication is overlapped")
Words = Union[str, Sequence[object]]


class Wanted(NamedTuple):
    """What a mark says."""
    at_least: float
    ranks: int = 2
    region: Optional[str] = None
    repeat: int = 1
    command: Optional[Words] = None
    launcher: Optional[Words] = None
    strict: bool = False


def wanted(args: Sequence[Any], keywords: dict[str, Any]) -> Wanted:
    """Checks the arguments of a mark."""
    try:
        made = Wanted(*args, **keywords)
    except TypeError as error:
        raise pytest.UsageError(f"@pytest.mark.overlap: {str(error).replace('Wanted.', '').replace('__new__()', 'it')}. Use {HELP.partition(':')[0]}.") from None
    if not 0 <= made.at_least <= 1:
        raise pytest.UsageError(f"@pytest.mark.overlap: at_least is {made.at_least} (an overlap fraction is 0 to 1). Give, for example, 0.6.")
    if made.ranks < 1 or made.repeat < 1:
        raise pytest.UsageError("@pytest.mark.overlap: ranks and repeat are whole numbers from 1 on.")
    return made


def words_of(words: Words) -> list[str]:
    return shlex.split(words) if isinstance(words, str) else [str(word) for word in words]


def weft_run() -> list[str]:
    """The command `weft run`: of this package, or else of an installation in PATH."""
    own = Path(__file__).resolve().parent / "_tools/bin/weft-run"
    found = str(own) if own.exists() else shutil.which("weft-run")
    return [found] if found else [sys.executable, "-m", "weft", "run"]


def launcher_words(want: Wanted) -> list[str]:
    if want.launcher is not None:
        return words_of(want.launcher)
    from weft import _launcher
    try:
        return [_launcher.launcher_of(_launcher.chosen())]
    except _launcher.Refused as error:
        pytest.fail(str(error), pytrace=False)


def command_of(want: Wanted, nodeid: str, rootdir: Path, out: Path) -> list[str]:
    """The whole command of a test."""
    # Without the options of the project's settings: under pytest-xdist the test would run in a process that is no rank.
    test = [sys.executable, "-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "weft.pytest_overlap",
            f"--rootdir={rootdir}", nodeid]
    least = f"{want.region}:{want.at_least}" if want.region else str(want.at_least)
    return [*weft_run(), "--out", str(out), "--repeat", str(want.repeat), "--fail-below", least, "--", *launcher_words(want), "-n",
            str(want.ranks), *(words_of(want.command) if want.command is not None else test)]


def sentences(said: str) -> list[str]:
    """What weft run says about the overlap, an error, or a launcher that failed; not its report."""
    lines = [line.partition(": ")[2] for line in said.splitlines() if line.startswith(("weft run: ", "error: "))]
    chosen = [line for line in lines if line.startswith("The overlap fraction") and "the report is of the median run" not in line]
    return chosen or [line for line in lines if " ended " in line or "was ended by" in line] or lines[-1:] or said.splitlines()[-1:]


def conclude(status: int, said: str, strict: bool, page: Path) -> None:
    """Fails or skips the test, as the exit status of weft run wants."""
    if status == 0:
        return
    text = " ".join(sentences(said)) or f"weft run ended with status {status}."
    if status == 4 and not strict:
        pytest.skip(text)
    pytest.fail(text + (f"\nThe report is {page}." if page.exists() else ""), pytrace=False)


def run_on_ranks(item: pytest.Function, want: Wanted) -> None:
    folder = Path(tempfile.mkdtemp(prefix="weft-overlap-"))
    rootdir = Path(item.config.rootpath)
    # The environment as Python knows it: a test file that imports mpi4py has started MPI in this process, which adds variables that
    # would confuse a launcher.
    environment = {**os.environ, INSIDE: item.nodeid}
    done = subprocess.run(command_of(want, item.nodeid, rootdir, folder / "weft_run"), cwd=rootdir if want.command is None else None,
                          env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    if done.returncode == 0 or (done.returncode == 4 and not want.strict):
        shutil.rmtree(folder, ignore_errors=True)
    conclude(done.returncode, done.stderr, want.strict, folder / "weft_run.html")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", HELP)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Optional[bool]:
    mark = pyfuncitem.get_closest_marker("overlap")
    if mark is None or INSIDE in os.environ:
        return None  # pytest runs the test
    want = wanted(mark.args, mark.kwargs)
    run_on_ranks(pyfuncitem, want)
    return True if want.command is None else None


def pytest_unconfigure(config: pytest.Config) -> None:
    """A rank whose test failed ends at once, so that its launcher ends the others, which may wait for its messages."""
    status = int(getattr(config, "_weft_status", 0))
    if INSIDE in os.environ and status != 0:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config._weft_status = exitstatus  # type: ignore[attr-defined]
