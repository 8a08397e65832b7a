# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest: tests of how much communication is overlapped.

    @pytest.mark.overlap(at_least=0.6, ranks=2)
    def test_solver():
        solve(steps=200)                        # each rank runs it, under `weft run -- mpiexec -n 2 python -m pytest ...`

    @pytest.mark.overlap(at_least=0.6, ranks=4, region="halo", repeat=3, command=["./solver", "small.input"])
    def test_program():
        assert Path("result.txt").exists()      # runs afterwards, without ranks

The test fails with weft's sentence if the overlap fraction is smaller. If it is unknown, the test is skipped with the reason, or fails
with strict=True. `launcher` are the words before "-n RANKS" (default: the mpiexec of the MPI library). Several marks, of regions for
example, are judged in one run.

The ranks' pytest has the options -c, -o, -p, -W, --import-mode, --noconftest and --confcutdir of this one and those that the project's
own conftest.py adds, but no others: reports and repetitions are not for ranks. Neither numpy nor an MPI library is imported here, since
pytest loads this module in all projects."""
import contextlib
import numbers
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Iterator, Mapping, NamedTuple, NoReturn, Optional, Sequence, Union

import pytest

# Set in the ranks, so that they run the test instead of starting ranks.
INSIDE = "WEFT_PYTEST_RANK"
# The file in which the first rank that fails leaves its error.
FAILURE = "WEFT_PYTEST_FAILURE"
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


class Wrong(Exception):
    """What is wrong with a mark. One line."""


def wanted(args: Sequence[Any], keywords: Mapping[str, Any]) -> Wanted:
    """Checks the arguments of a mark."""
    try:
        made = Wanted(*args, **keywords)
    except TypeError as error:
        raise Wrong(f"Its arguments are wrong ({str(error).replace('Wanted.__new__() ', '')}). Use {HELP.partition(':')[0]}.") from None
    if isinstance(made.at_least, bool) or not isinstance(made.at_least, numbers.Real) or not 0 <= made.at_least <= 1:
        raise Wrong(f"at_least is {made.at_least!r} (an overlap fraction is 0 to 1). Give, for example, 0.6.")
    for name, value, most in (("ranks", made.ranks, sys.maxsize), ("repeat", made.repeat, 1000)):
        if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not 1 <= value <= most:
            raise Wrong(f"{name} is {value!r} (it must be a whole number from 1 {'on' if most > 1000 else f'to {most}'}). Give, for example, 2.")
    if made.region is not None and (not isinstance(made.region, str) or not made.region.strip() or "\0" in made.region):
        raise Wrong(f"region is {made.region!r} (it must be the name of a region). Leave it out for the whole program.")
    for name, words in (("command", made.command), ("launcher", made.launcher)):
        if words is not None:
            try:
                made = made._replace(**{name: words_of(words)})
            except (TypeError, ValueError) as error:
                raise Wrong(f"{name} is {words!r} ({error}). Give a list of words.") from None
            if not getattr(made, name):
                raise Wrong(f"{name} is {words!r} (there is no program in it). Give its words, or leave it out.")
    if not isinstance(made.strict, bool):
        raise Wrong(f"strict is {made.strict!r} (it must be True or False).")
    return made


def wanted_of(item: pytest.Item) -> list[Wanted]:
    """All marks of a test. What one mark leaves out, it takes from the others: they are about the same run."""
    marks = list(item.iter_markers("overlap"))
    made = [wanted(mark.args, mark.kwargs) for mark in marks]
    if made and not isinstance(item, pytest.Function):
        raise Wrong("It is for functions only.")
    if made and isinstance(getattr(item, "cls", None), type) and issubclass(item.cls, unittest.TestCase):  # type: ignore[attr-defined]
        raise Wrong(f"It can't be on a method of a unittest.TestCase ({item.cls.__name__}), "  # type: ignore[attr-defined]
                    "which pytest does not run itself. Make the test a function, or the class a plain one.")
    common: dict[str, Any] = {}
    for mark, one in zip(marks, made):
        for name in (*Wanted._fields[:len(mark.args)], *mark.kwargs):
            value = getattr(one, name)
            if name not in ("at_least", "region") and common.setdefault(name, value) != value:
                raise Wrong(f"{name} is {common[name]!r} in one mark and {value!r} in another (all marks of a test are about the same run).")
    return [one._replace(**common) for one in made]


def refuse(item: pytest.Item, error: Wrong) -> NoReturn:
    raise pytest.fail.Exception(f"{item.nodeid}: @pytest.mark.overlap: {error}", pytrace=False) from None


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


class Added:
    """Stands for pytest's parser, and notes the options that a conftest.py adds."""

    def __init__(self) -> None:
        self.options: list[tuple[tuple[str, ...], dict[str, Any]]] = []

    def addoption(self, *names: str, **settings: Any) -> None:
        self.options.append((names, settings))

    def getgroup(self, *_: object, **__: object) -> "Added":
        return self

    def __getattr__(self, name: str) -> Any:  # addini and others
        return lambda *_, **__: None


def added_options(config: pytest.Config) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Name, value and settings of the options that the project's own files add and that are not at their default."""
    arguments = {"parser": (added := Added()), "pluginmanager": config.pluginmanager}
    for hook in config.pluginmanager.hook.pytest_addoption.get_hookimpls():
        file = Path(getattr(hook.plugin, "__file__", None) or os.sep)
        if file.name == "conftest.py" or (config.rootpath in file.parents and "site-packages" not in file.parts):
            with contextlib.suppress(Exception):  # it has run once; what it needs now can't be known
                hook.function(*(arguments[name] for name in hook.argnames))
    for names, settings in added.options:
        name = max(names, key=lambda word: (word.startswith("--"), len(word)))
        default = settings.get("default", {"store_true": False, "store_false": True}.get(settings.get("action", "")))
        value = config.getoption(name, default=default)
        if value != default:
            yield name, value, settings


def handed_on(config: pytest.Config) -> list[str]:
    """The words of the options that a test may need."""
    words: list[str] = []
    for name, value, settings in added_options(config):
        action = settings.get("action", "store")
        if action in ("store_true", "store_false", "store_const"):
            words.append(name)
        elif action == "count":
            words += [name] * value
        elif settings.get("nargs") not in (None, "?"):
            for one in value if action == "append" else [value]:
                words += [name, *map(str, one)]
        elif action in ("store", "append"):
            for one in value if action == "append" else [value]:
                words += [f"{name}={one}"] if name.startswith("--") else [f"{name}{one}"]
    option = config.option
    listed = (("-p", "plugins"), ("-W", "pythonwarnings"), ("-o", "override_ini"))
    several = [word for flag, of in listed for value in getattr(option, of, None) or []
               if value != "no:terminal"  # of the processes of pytest-xdist
               for word in (flag, str(value))]
    single = [f"--{flag}={value}" for flag, of in (("import-mode", "importmode"), ("confcutdir", "confcutdir"))
              if (value := getattr(option, of, None)) is not None]
    file = ["-c", str(config.inipath)] if config.inipath is not None else []
    return [*several, *single, *(["--noconftest"] if getattr(option, "noconftest", False) else []), *words, *file]


def color(config: pytest.Config) -> str:
    """The --color of the ranks: their output is not this process's terminal, but may be one of the launcher's."""
    if config.pluginmanager.has_plugin("terminalreporter"):
        return "yes" if config.get_terminal_writer().hasmarkup else "no"
    return "yes" if config.getoption("color", "no") == "yes" else "no"  # of the processes of pytest-xdist


def command_of(wants: Sequence[Wanted], item: pytest.Item, out: Path) -> list[str]:
    """The whole command of a test."""
    # Without the options of the project's settings: under pytest-xdist the test would run in a process that is no rank.
    want, config = wants[0], item.config
    test = [sys.executable, "-m", "weft.pytest_overlap", item.nodeid, "-q", *handed_on(config), "-o", "addopts=", "-p", "no:cacheprovider",
            "-p", "weft.pytest_overlap", f"--rootdir={config.rootpath}", f"--color={color(config)}"]
    least = [word for one in wants for word in ("--fail-below", f"{one.region}:{float(one.at_least)}" if one.region else str(float(one.at_least)))]
    return [*weft_run(), "--out", str(out), "--repeat", str(want.repeat), *least, "--", *launcher_words(want), "-n",
            str(want.ranks), *(words_of(want.command) if want.command is not None else test)]


def sentences(said: str) -> list[str]:
    """What weft run says about the overlap, an error, or a launcher that failed; not its report."""
    lines = [line.partition(": ")[2] for line in said.splitlines() if line.startswith(("weft run: ", "error: "))]
    chosen = [line for line in lines if line.startswith("The overlap fraction") and "the report is of the median run" not in line]
    return chosen or [line for line in lines if " ended " in line or "was ended by" in line] or lines[-1:] or said.splitlines()[-1:]


def conclude(status: int, said: str, strict: bool, page: Path, failure: Path) -> None:
    """Fails or skips the test, as the exit status of weft run wants."""
    if status == 0:
        return
    text = " ".join(sentences(said)) or f"weft run ended with status {status}."
    if status == 4 and not strict:
        pytest.skip(text)
    with contextlib.suppress(OSError):
        text = f"{failure.read_text(encoding='utf-8')}\n{text}"
    pytest.fail(text + (f"\nThe report is {page}." if page.exists() else ""), pytrace=False)


def run_on_ranks(item: pytest.Item, wants: Sequence[Wanted]) -> None:
    want = wants[0]
    folder = Path(tempfile.mkdtemp(prefix="weft-overlap-"))
    # The environment as Python knows it: a test file that imports mpi4py has started MPI in this process, which adds variables that
    # would confuse a launcher.
    failure = folder / "failure.txt"
    environment = {**os.environ, INSIDE: item.nodeid, FAILURE: str(failure)}
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(command_of(wants, item, folder / "weft_run"), cwd=item.config.rootpath if want.command is None else None,
                          env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    if done.returncode == 0 or (done.returncode == 4 and not want.strict):
        shutil.rmtree(folder, ignore_errors=True)
    conclude(done.returncode, done.stderr, want.strict, folder / "weft_run.html", failure)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """In a rank: leaves its error, unless another rank has failed before. The first line is the short one."""
    if report.failed and INSIDE in os.environ:
        crash = getattr(report.longrepr, "reprcrash", None)
        with contextlib.suppress(OSError, KeyError), open(os.environ[FAILURE], "x", encoding="utf-8", errors="replace") as file:
            file.write((f"{crash.message}\n\n" if crash else "") + report.longreprtext)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", HELP)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Reports wrong marks before fixtures are made, and also on tests that pytest_pyfunc_call doesn't get."""
    try:
        wanted_of(item)
    except Wrong as error:
        refuse(item, error)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Optional[bool]:
    if INSIDE in os.environ:
        return None  # pytest runs the test
    try:
        wants = wanted_of(pyfuncitem)
    except Wrong as error:  # of a mark that a fixture has added
        refuse(pyfuncitem, error)
    if not wants:
        return None
    run_on_ranks(pyfuncitem, wants)
    return True if wants[0].command is None else None


if __name__ == "__main__":
    # pytest in a rank. Its statuses 3 and 4 (an error in pytest, a test that isn't found) are not those of weft run. A rank whose test failed
    # ends at once, so that its launcher ends the others, which may wait for its messages.
    status = pytest.main()
    sys.stdout.flush()
    sys.stderr.flush()
    if status != 0:
        os._exit(1)
