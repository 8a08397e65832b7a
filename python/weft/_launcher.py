# SPDX-License-Identifier: BSD-3-Clause
"""The command `weft` of the Python package. It chooses the MPI library, and runs the command from the extension module that was built
for it. `weft run` and `weft doctor` are programs."""
import os
import shutil
import signal
import sys
from pathlib import Path
from types import ModuleType
from typing import NoReturn, Sequence

from weft import _native

PACKAGE = Path(__file__).resolve().parent
TOOLS = PACKAGE / "_tools"  # programs without MPI
WITHOUT_MPI = ("run", "doctor")
HELP_OF_PACKAGE = """
The Python package adds:
  weft demo                   the flow in an aneurysm on two ranks: a picture and a summary in out/aneurysm
  weft flow --example NAME    runs an example of the package (also box, wave); without NAME it lists them
  weft --licences             licences of what the package contains
"""


class Refused(Exception):
    """The command line or the installation is wrong. The text is one line."""


def module() -> ModuleType:
    """The extension module with the commands, and the MPI library in this process."""
    try:
        loaded = _native.load("_programs")
    except ImportError as error:
        raise Refused(str(error)) from None
    if not loaded.command_names():
        raise Refused(f"This package has no commands ({PACKAGE} is a source tree). Build them with `make build`, or install a wheel.")
    return loaded


def set_environment() -> None:
    """For the commands and what they start: this Python (for pictures), this command, the tools, and a font."""
    os.environ.setdefault("WEFT_PYTHON", sys.executable)
    os.environ["WEFT_TOOLS"] = str(TOOLS)
    script = shutil.which(sys.argv[0])
    if script is not None and Path(script).name == "weft":
        os.environ["WEFT_COMMAND"] = os.path.abspath(script)
    fonts = PACKAGE / "_share/fonts/fonts.conf"
    if fonts.exists():
        os.environ.setdefault("FONTCONFIG_FILE", str(fonts))


def examples(command: str) -> dict[str, Path]:
    """The example cases of a command, by name."""
    folder = PACKAGE / "_share/examples"
    if command == "flow":
        return {file.parent.name: file for file in sorted(folder.glob("*/case.toml"))}
    return {file.stem: file for file in sorted((folder / command).glob("*.toml"))}


def with_example(command: str, words: list[str]) -> list[str]:
    """Replaces `--example NAME` by the path of the example."""
    for at, word in enumerate(words):
        if word == "--":
            break
        if word == "--example" or word.startswith("--example="):
            known = examples(command)
            name = word.partition("=")[2] if "=" in word else words[at + 1] if at + 1 < len(words) else ""
            if name not in known:
                said = f"'{name}' is not an example of weft {command}" if name else "--example needs a name"
                listed = ", ".join(known) or "none in this package"
                raise Refused(f"{said}. The examples are: {listed}.")
            return [str(known[name]), *words[:at], *words[at + (1 if "=" in word else 2):]]
    return words


def launcher_of(choice: _native.Choice) -> str:
    """The mpiexec of an MPI library: beside it, or the one in PATH that belongs to it."""
    library = Path(choice.path)
    names = ("mpiexec.mpich", "mpiexec.hydra", "mpiexec") if choice.abi == "mpich" else ("mpiexec.openmpi", "mpirun.openmpi", "mpiexec")
    if library.is_absolute():
        for folder in (library.parent.parent / "bin", library.resolve().parent.parent / "bin"):
            for name in names:
                if (folder / name).exists():
                    return str(folder / name)
    for name in names:
        if (found := shutil.which(name)) is not None:
            return found
    raise Refused(f"There is no mpiexec of {_native.NAMES[choice.abi]} beside {choice.path} or in PATH. Install it, or start the program "
                  "with the launcher of the MPI library yourself.")


def demo(words: list[str]) -> NoReturn:
    """Runs the aneurysm on two ranks."""
    if words and words[0] in ("-h", "--help"):
        print("weft demo [OPTIONS OF weft flow]\nRuns the flow in an aneurysm on two ranks (weft flow --example aneurysm). It writes the "
              "picture and\nthe summary page to out/aneurysm of this folder.")
        sys.exit(0)
    if _native.launcher_abi() is not None:
        raise Refused("weft demo starts its two ranks by itself. Run it without mpiexec.")
    try:
        choice = _native.choose()
    except ImportError as error:
        raise Refused(str(error)) from None
    options = []
    if choice.abi == "openmpi":  # more ranks than cores, and any user
        os.environ.update(OMPI_MCA_rmaps_base_oversubscribe="1", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
                          OMPI_MCA_mpi_yield_when_idle="1")
        if os.geteuid() == 0:
            options = ["--allow-run-as-root"]
    os.environ.setdefault("MPI4PY_LIBMPI", choice.path)
    this = [os.environ["WEFT_COMMAND"]] if "WEFT_COMMAND" in os.environ else [sys.executable, "-m", "weft._launcher"]
    replace(launcher_of(choice), [*options, "-n", "2", *this, "flow", "--example", "aneurysm", *words])


def licences(words: Sequence[str]) -> NoReturn:
    """Lists the licences of what the package contains, or prints one."""
    folder = PACKAGE / "_share/licences"
    table = folder / "LICENCES.txt"
    if not table.exists():
        print("weft is under the BSD-3-Clause licence. This package contains no other libraries: it was built on this machine.")
        sys.exit(0)
    if not words:
        print(table.read_text(), end="")
        sys.exit(0)
    text = folder / f"{words[0]}.txt"
    if not text.exists():
        raise Refused(f"'{words[0]}' is not in this package. `weft --licences` lists what is.")
    print(text.read_text(), end="")
    sys.exit(0)


def replace(program: str, words: Sequence[str]) -> NoReturn:
    """Replaces this process by a program."""
    sys.stdout.flush()
    try:
        os.execv(program, [program, *words])
    except OSError as error:
        raise Refused(f"{program} can't be run ({error.strerror}). Install weft again.") from None


def run(words: list[str]) -> NoReturn:
    command = words[0] if words else ""
    if command in ("--licences", "--licenses"):
        licences(words[1:])
    set_environment()
    if command == "demo":
        demo(words[1:])
    if command in WITHOUT_MPI:
        replace(str(TOOLS / "bin" / f"weft-{command}"), words[1:])
    commands = module()
    if command in ("flow", "box", "wave"):
        words = [command, *with_example(command, words[1:])]
    if command not in commands.command_names() or command == "weft":
        command, words = "weft", ["weft", *words]
        if words[1:] in ([], ["-h"], ["--help"]):
            print(HELP_OF_PACKAGE.strip("\n") + "\n", flush=True)
    # As in a program of C++. Python would only note an interrupt, and ignore a closed pipe.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.stdout.flush()
    sys.exit(commands.run_command(command, words[1:]))


def main() -> NoReturn:
    try:
        run(sys.argv[1:])
    except Refused as error:
        # All ranks of a job get here. As in the commands, the first one prints.
        if all(os.environ.get(rank, "0") == "0" for rank in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")):
            print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
