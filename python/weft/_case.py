# SPDX-License-Identifier: BSD-3-Clause
"""What the cases and runs of weft.flow, weft.box and weft.wave share."""
from __future__ import annotations

import json
import operator
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from weft._native import load
from weft._shown import in_html
from weft.errors import Error, InputError

if TYPE_CHECKING:
    from types import FrameType

    import numpy
    from typing_extensions import Self

Path = str | os.PathLike

BARE_KEY = re.compile("[A-Za-z0-9_-]+")


def toml_key(key: str) -> str:
    """A key of TOML, in quotes if it needs them."""
    return key if BARE_KEY.fullmatch(key) else json.dumps(key)


def toml_value(value: Any) -> str:
    """A value of TOML on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml_key(k)} = {toml_value(v)}" for k, v in value.items()) + "}"
    return repr(value)  # of a float the shortest text that gives the same bits


def toml(content: dict) -> str:
    """The text of a case file with this content (a dict)."""
    def is_list_of_sections(value):
        return isinstance(value, list) and value != [] and all(isinstance(one, dict) for one in value)

    def lines(section):
        return [f"{toml_key(key)} = {toml_value(value)}" for key, value in section.items()]

    plain = {k: v for k, v in content.items() if not isinstance(v, dict) and not is_list_of_sections(v)}
    parts = [lines(plain)] if plain else []
    for key, value in content.items():
        if isinstance(value, dict):
            parts.append([f"[{toml_key(key)}]", *lines(value)])
        elif is_list_of_sections(value):
            parts += [[f"[[{toml_key(key)}]]", *lines(one)] for one in value]
    return "".join("\n".join(part) + "\n\n" for part in parts).rstrip("\n") + "\n"


class Values(list):
    """A list of a case, such as a position. It is a copy, so a change of it would be lost: refused."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("A list of a case can't be changed in place (it is a copy). Assign a whole list, for example "
                        "case.inlet[0].centre = [0, 0, 1].")

    __setitem__ = __delitem__ = append = extend = insert = pop = remove = clear = sort = reverse = _refuse  # type: ignore[assignment]

    def __iadd__(self, more):  # type: ignore[misc]
        return [*self, *more]  # which `case.section.key += more` assigns

    def __reduce__(self):
        return list, (list(self),)


def fixed(value):
    """The same, as Values if it is a list."""
    return Values(map(fixed, value)) if isinstance(value, list) else value


class Section:
    """A section of a case: its keys as attributes, or as items where a key is no name of Python (``["from"]``)."""

    def __init__(self, case: Case[Any], words: Sequence[str]) -> None:
        object.__setattr__(self, "_case", case)
        object.__setattr__(self, "_words", tuple(words))

    def _content(self):
        return self._case._find(self._words) or {}

    def to_dict(self) -> dict:
        """A copy of the section as a dict."""
        return dict(self._content())

    def __getitem__(self, key: str) -> Any:
        content = self._content()
        if key not in content:
            place = ".".join(self._words)
            there = ", ".join(content) or "no key"
            raise KeyError(f"{place}.{key} is not set in this case (set are: {there}). Its default applies, see "
                           "docs/keys.md.")
        return self._case._wrapped((*self._words, key), content[key])

    def __setitem__(self, key: str, value: object) -> None:
        self._case._set({(*self._words, key): value})

    def __delitem__(self, key: str) -> None:
        self[key]
        self._case._set({(*self._words, key): None})

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        try:
            return self[key]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __setattr__(self, key: str, value: object) -> None:
        self[key] = value

    def __delattr__(self, key: str) -> None:
        try:
            del self[key]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __contains__(self, key: object) -> bool:
        return key in self._content()

    def __iter__(self) -> Iterator[str]:
        return iter(self._content())

    def __len__(self) -> int:
        return len(self._content())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Section):
            other = other._content()
        return self._content() == other if isinstance(other, dict) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._content()]

    def __repr__(self) -> str:
        return f"[{'.'.join(self._words)}] {self._content()!r}"

    _repr_html_ = in_html


class Sections:
    """The sections of one kind, for example all outlets: by number, or by their names."""

    def __init__(self, case: Case[Any], kind: str) -> None:
        object.__setattr__(self, "_case", case)
        object.__setattr__(self, "_kind", kind)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        raise AttributeError(f"{self._kind} is a list of sections. Choose one by number or name, such as "
                             f"{self._kind}[0].{key}.")

    def __setattr__(self, key: str, value: object) -> NoReturn:
        raise AttributeError(f"{self._kind} is a list of sections. Choose one by number or name, such as "
                             f"{self._kind}[0].{key}.")

    def _all(self):
        return self._case._find((self._kind,)) or []

    def _name(self, number):
        return self._all()[number].get("name", str(number))

    def names(self) -> list[str]:
        """The names of the sections; the number of one without a name."""
        return [self._name(number) for number in range(len(self))]

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[Section]:
        return (self[number] for number in range(len(self)))

    def __contains__(self, name: object) -> bool:
        return name in self.names()

    def _number(self, which):
        names = self.names()
        if isinstance(which, str):
            if which not in names:
                raise KeyError(f"There is no {self._kind} '{which}' (there are: {', '.join(names)}).")
            return names.index(which)
        if not hasattr(which, "__index__"):
            raise TypeError(f"{self._kind}[...] takes a number or a name, not {type(which).__name__}.")
        number = operator.index(which)
        if not -len(names) <= number < len(names):
            raise IndexError(f"There is no {self._kind} {number} (there are {len(names)}).")
        return number

    def __getitem__(self, which: int | str) -> Section:
        return Section(self._case, (self._kind, self._name(self._number(which))))

    def append(self, section: dict) -> None:
        """Adds a section, given as a dict."""
        self._case._set({(self._kind,): [*self._all(), dict(section)]})

    def __delitem__(self, which: int | str) -> None:
        rest = list(self._all())
        del rest[self._number(which)]
        self._case._set({(self._kind,): rest or None})

    def __repr__(self) -> str:
        return repr(self._all())

    _repr_html_ = in_html


RunOf = TypeVar("RunOf", bound="Run")


class RunSection(Section, Generic[RunOf]):
    """The section [run] of a case; called, it runs the case.

    ``case.run.steps = 100`` sets a key, ``case.run()`` runs.
    """

    def __call__(self, comm: Any = None, *, steps: int | None = None, on_step: Callable[[RunOf], Any] | None = None,
                 every: int = 1, output: Path | bool | None = None, restart: bool | Path = False, progress: bool = False,
                 quantities: Sequence[str] | None = None) -> RunOf:
        """Runs the case in this process, and returns when it has ended.

        It is the main loop of the program: fields and tables are bitwise identical to those of the command line.
        Collective: every rank of the communicator calls it with the same case and arguments. The GIL is released while
        the steps are computed.

        Parameters
        ----------
        comm : mpi4py.MPI.Comm, int or None
            The ranks that run the case; an int is a handle of Fortran, as of ``comm.py2f()``. None: all ranks
            (MPI_COMM_WORLD). MPI is started if it isn't running. weft sends its messages on a duplicate.
        steps : int, optional
            The number of steps, in place of the case's.
        on_step : callable, optional
            Called on every rank with the Run between two steps, after the steps' files were written. Returns False to
            end the run: after one more step, which is then the last one. If it returns False on one rank, it ends on
            all. If it raises an exception, the run ends on all ranks: that rank raises the exception, and the others
            raise an Error with its text.
        every : int
            The number of steps between two calls of `on_step`.
        output : path, False or None
            The folder of the files. None: the case's ``output.directory``. False: no file is written, and checkpoints,
            extracts, pictures and the summary are left out; fields and tables are in the returned object.
        restart : bool or path
            True: restarts from the newest checkpoint in the output folder. A path: from this checkpoint, or from the
            newest one in this folder.
        progress : bool
            Shows the progress bar on the standard error. Otherwise nothing is printed.
        quantities : sequence of str
            Only weft.flow: what `on_step` looks at. None: ``("pressure", "velocity")``. The run stores these in the
            steps of `on_step`, so a call costs about a third of a step more; ``()`` costs nothing.

        Returns
        -------
        Run
            Its fields are those of the last step.

        Raises
        ------
        InputError
            The case can't be run: the program's own sentence.
        Error
            The run failed, for example because the flow became unstable. Its attribute `run` is the Run so far. On
            several ranks every rank raises it. An error that only one rank has (no memory, a lost message) would leave
            the others waiting; it ends the job by MPI_Abort, as in the program.
        TypeError
            `comm` is no communicator, or `on_step` can't be called.
        """
        others = {} if quantities is None else {"quantities": quantities}
        return self._case._run(comm, steps=steps, on_step=on_step, every=every, output=output, restart=restart,
                               progress=progress, **others)


class Case(Generic[RunOf]):
    """A case of a program, as the content of its case file. See the subclasses in weft.flow, weft.box and weft.wave."""

    _program = ""
    _run_class: type[RunOf]
    _lists: tuple[str, ...] = ()  # the kinds of sections of which there may be several

    def __init__(self, source: Path | dict, *, name: str = "case", folder: Path | None = None):
        native = load("_programs")
        if isinstance(source, dict):
            document = native.Document.of(self._program, source, self._file(name, folder))
        elif isinstance(source, (str, os.PathLike)):
            document = native.Document.read(self._program, os.fspath(source))
        else:
            raise TypeError(f"A case is made from a path or a dict, not from {type(source).__name__}. See Case.from_text "
                            "for a text.")
        object.__setattr__(self, "_document", document)

    @staticmethod
    def _file(name, folder):
        return os.path.join(os.fspath(folder) if folder is not None else "", name + ".toml")

    @classmethod
    def from_text(cls, text: str, *, name: str = "case", folder: Path | None = None) -> Self:
        """A case from the text of a case file.

        Parameters
        ----------
        text : str
            TOML.
        name : str
            Stands for the file's name: in messages, in the title, and in the output folder ``out/NAME``.
        folder : path, optional
            Where relative paths of the case start. None: the working directory.

        Returns
        -------
        Case

        Raises
        ------
        InputError
            The program's own sentence, with the line.
        """
        if not isinstance(text, str):
            raise TypeError(f"The text of a case is {type(text).__name__}. Give the text of a case file.")
        case = cls.__new__(cls)
        object.__setattr__(case, "_document", load("_programs").Document.parse(cls._program, text, cls._file(name, folder)))
        return case

    def copy(self, changes: dict[str, Any] | None = None) -> Self:
        """A case with the same content, and with other values for some keys; see `set`."""
        case = type(self).__new__(type(self))
        object.__setattr__(case, "_document", self._document.copy())
        if changes:
            case.set(changes)
        return case

    def set(self, changes: dict[str, Any]) -> None:
        """Sets several keys at once, where one alone would not be a valid case.

        Parameters
        ----------
        changes : dict
            Values by key: ``{"run.steps": 100, "outlet.left.pressure": "10 mmHg", "inlet.0.velocity": 0.2}``. None
            removes a key. Keys that the new one excludes are removed (``run.duration`` by ``run.steps``).

        Raises
        ------
        InputError
            The program's reader refuses the result, which leaves the case as it was.
        """
        self._set({tuple(key.split(".")): value for key, value in changes.items()})

    def to_dict(self) -> dict:
        """The content of the case as a dict of sections."""
        return self._document.content()

    @property
    def file(self) -> str:
        """The path of the case file, also if the case is from a dict or a text and there is none."""
        return self._document.file

    @property
    def run(self) -> RunSection[RunOf]:
        return RunSection(self, ("run",))

    run.__doc__ = RunSection.__call__.__doc__

    def _set(self, changes):
        plain = {words: value.to_dict() if isinstance(value, Section) else value for words, value in changes.items()}
        self._document.set([(list(words), value) for words, value in plain.items()])

    def _find(self, words):
        place = self._document.content()
        for word in words:
            if isinstance(place, list):
                place = next((one for k, one in enumerate(place) if one.get("name", str(k)) == word), {})
            elif word in place:
                place = place[word]
            else:
                return None
        return place

    def _wrapped(self, words, value):
        if isinstance(value, dict):
            return Section(self, words)
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            return Sections(self, words[0])
        return fixed(value)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        value = self._document.content().get(key)
        if value is None and key == "title":  # the only key outside of a section
            raise AttributeError("title is not set in this case. Its default applies, see docs/keys.md.")
        if value is None:
            return Sections(self, key) if key in self._lists else Section(self, (key,))
        return self._wrapped((key,), value)

    def __setattr__(self, key: str, value: Any) -> None:
        if key == "run" and not isinstance(value, (dict, Section)):
            raise InputError("run is a section. Set its keys (case.run.steps = 100), or give a dict.")
        self._set({(key,): value})

    def __delattr__(self, key: str) -> None:
        self._set({(key,): None})

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._document.content()]

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, Case) and type(self) is type(other) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self):  # for copy.deepcopy, pickle, and comm.bcast of mpi4py
        return restored, (type(self), self.to_dict(), self.file)

    def __str__(self) -> str:
        return toml(self.to_dict())

    def __repr__(self) -> str:
        return f"<weft.{self._program}.Case {self.file}>"

    _repr_html_ = in_html

    def _run(self, comm, *, steps, on_step, every, output, restart, progress, **others):
        handle = handle_of(comm)
        if on_step is not None and not callable(on_step):
            raise TypeError(f"on_step is {type(on_step).__name__} (it is called between steps). Give a function of the run.")
        if isinstance(every, bool) or not hasattr(every, "__index__") or every < 1:
            raise InputError(f"every is {every!r}. Give a whole number of steps, at least 1.")
        every = operator.index(every)
        case = self.copy() if steps is None else self.copy({"run.steps": steps})
        run = self._run_class(case)
        run._start(handle, on_step, every, output, restart, progress, **others)
        return run


def restored(kind, content, file):
    """The case that was pickled."""
    case = kind.__new__(kind)
    object.__setattr__(case, "_document", load("_programs").Document.of(kind._program, content, file))
    return case


def is_false(answer):
    """Whether it is False, of Python or of NumPy; other values of `on_step` mean nothing."""
    return answer is False or (type(answer).__module__ == "numpy" and getattr(answer, "shape", None) == () and
                               answer.dtype == bool and not answer)


def callers_level():
    """The stack level of the nearest caller outside this package, for the function that calls warnings.warn."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        frame, level = frame.f_back, level + 1
    return level


def handle_of(comm: Any) -> int | None:
    """Fortran's handle of a communicator; None for all ranks."""
    if comm is None:
        return None
    if hasattr(comm, "py2f"):
        return comm.py2f()
    if isinstance(comm, int) and not isinstance(comm, bool):
        return comm
    raise TypeError(f"comm is {type(comm).__name__}. Give a communicator of mpi4py, its py2f(), or None for all ranks.")


def path_of(name: str, value, allowed: str) -> str:
    """A path given as a str or as an object of pathlib."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} is {type(value).__name__}. Give {allowed}.")
    return os.fspath(value)


class Run:
    """A run of a case: during the run the argument of `on_step`, afterwards the result of ``case.run()``.

    Attributes
    ----------
    case : Case
        A copy of the case that is run.
    warnings : list of str
        What the program warns of, on rank 0. Each is also a RuntimeWarning.
    """

    _session_class = ""

    def __init__(self, case: Case[Any]):
        self.case = case
        self.warnings: list[str] = []
        self._session = getattr(load("_programs"), self._session_class)()

    def _start(self, handle, on_step, every, output, restart, progress):
        session = self._session
        session.every, session.progress = every, bool(progress)
        session.files = output is not False
        if output is not None and output is not False:
            if output is True:
                raise TypeError("output is True. Give the folder of the files, None (as the case says) or False (no files).")
            session.output = path_of("output", output, "a folder, None (as the case says) or False (no files)")
        if restart is not False and restart is not None:
            session.restart = "" if restart is True else path_of("restart", restart, "a checkpoint, True (the newest) or False")
        if on_step is not None:
            session.on_step = lambda: not is_false(on_step(self))
        session.on_warning = self._warn
        session.arguments = repr((self.case.file, self.case.to_dict(), on_step is None, every, session.output, session.files,
                                  session.restart, getattr(session, "quantities", None)))
        self._failed_warning: RuntimeWarning | None = None
        try:
            session.run(self.case._document, handle)
        except Error as error:
            error.run = self
            raise
        if self._failed_warning is not None:
            raise self._failed_warning

    def _warn(self, text):
        self.warnings.append(text)
        try:
            warnings.warn(text, RuntimeWarning, stacklevel=callers_level())
        except RuntimeWarning as error:  # a filter makes errors of warnings: raised after the run, for the other ranks
            self._failed_warning = error

    @property
    def step(self) -> int:
        """int : The number of steps done, with those before a restart."""
        return self._session.step

    @property
    def steps(self) -> int:
        """int : The number of steps of the case; after the run that of the last step."""
        return self._session.steps

    @property
    def first_step(self) -> int:
        """int : Where the run started: 0, or the step of the checkpoint."""
        return self._session.first_step

    @property
    def rank(self) -> int:
        """int : The number of this rank in the communicator."""
        return self._session.rank

    @property
    def ranks(self) -> int:
        """int : The number of ranks of the communicator."""
        return self._session.ranks

    @property
    def is_running(self) -> bool:
        """bool : Whether the run is between two of its steps (inside `on_step`)."""
        return self._session.is_running

    @property
    def stopped(self) -> bool:
        """bool : Whether `on_step` ended the run."""
        return self._session.stopped

    @property
    def converged(self) -> bool:
        """bool : Whether the run ended early because the flow was steady or periodic, as the case requests."""
        return self._session.converged

    @property
    def seconds(self) -> float:
        """float : Duration of the steps on the slowest rank, s, without output and set-up; with the calls of `on_step`
        taken as output. 0 during the run."""
        return self._session.seconds

    @property
    def files(self) -> list[str]:
        """list of str : The files that were written."""
        return list(self._session.written)

    @property
    def monitors(self) -> dict[str, numpy.ndarray]:
        """dict of str to numpy.ndarray : The columns of monitors.csv, with the rows of this run up to now.

        Bitwise identical on all ranks and to the file's numbers; a new copy at each access. `step` is int64, the others
        are float64, all of shape (rows,).
        """
        return self._session.table("monitors")

    @property
    def values(self) -> dict[str, float]:
        """dict of str to float : The last row of monitors.csv, on every rank; empty until the program knows the first one.

        weft sends the values of a step with the messages of the next one, so inside `on_step` the row is at least one
        step old; see its `step`.
        """
        return self._session.last_row("monitors")

    def table(self, name: str) -> dict[str, numpy.ndarray]:
        """Another table of the run, as `monitors`.

        Parameters
        ----------
        name : str
            The name of the file without .csv, for example ``"circulation"`` or ``"particles"``.

        Returns
        -------
        dict of str to numpy.ndarray
            Empty if there is no row on this rank.
        """
        return self._session.table(name)

    def __repr__(self) -> str:
        state = "running" if self.is_running else "ended"
        return f"<weft.{self.case._program}.Run of {self.case.file}, {state}, step {self.step} of {self.steps}>"

    _repr_html_ = in_html


def pyvista() -> Any:
    """The module pyvista, or a clear ImportError."""
    try:
        import pyvista as module
    except ImportError:
        raise ImportError("mesh() needs pyvista, which is not installed. Install it with: pip install pyvista") from None
    return module
