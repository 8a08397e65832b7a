# SPDX-License-Identifier: BSD-3-Clause
"""The command `weft` of the Python package. It chooses the MPI library, and runs the command from the extension module that was built
for it. `weft run`, `weft history`, `weft testbed` and `weft doctor` are programs."""
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import NoReturn, Optional, Sequence

from weft import _mpi_choice, _native
from weft.errors import is_first_rank

PACKAGE = Path(__file__).resolve().parent
TOOLS = PACKAGE / "_tools"  # programs without MPI
WITHOUT_MPI = ("run", "history", "testbed", "doctor")
HELP_OF_PACKAGE = """
The Python package adds:
  weft demo                   the flow in an aneurysm on two ranks: a picture and a summary in out/aneurysm
  weft flow --example NAME    runs an example of the package (also box, wave); without NAME it lists them
  weft --include              the folder of weft_region.h, weft_region.f90 and WeftOverlapTest.cmake
  weft --licences             licences of what the package contains
"""


# The case is coarser and shorter in the demo, which then takes seconds. As in the Makefile.
COARSE = ("--set", 'surface.voxel="0.18 mm"', "--set", 'lattice.time_step="47 us"', "--set", 'run.duration="200 ms"')

# Each launcher's variable for the rank on its node.
LOCAL_RANKS = ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", "FLUX_TASK_LOCAL_ID", "PALS_LOCAL_RANKID")


class Refused(Exception):
    """The command line is wrong. The text is one line, for all ranks."""


class NotInstalled(Refused):
    """Something is missing on this machine. The text is one line."""


def module() -> ModuleType:
    """The extension module with the commands, and the MPI library in this process."""
    try:
        loaded = _native.load("_programs")
    except ImportError as error:
        raise NotInstalled(str(error)) from None
    if not loaded.command_names():
        raise NotInstalled(f"This package has no commands ({PACKAGE} is a source tree). Build them with `make build`, or install a wheel.")
    return loaded


def chosen() -> _mpi_choice.Choice:
    try:
        return _mpi_choice.choose()
    except ImportError as error:
        raise NotInstalled(str(error)) from None


def set_environment() -> None:
    """For the commands and what they start: this Python (for pictures), this command, and a font."""
    os.environ.setdefault("WEFT_PYTHON", sys.executable)
    for script in (shutil.which(sys.argv[0]), os.path.join(os.path.dirname(sys.executable), "weft")):
        if script is not None and os.path.basename(script) == "weft" and os.access(script, os.X_OK):
            os.environ["WEFT_COMMAND"] = os.path.abspath(script)
            break
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


def abi_of_launcher(program: str) -> Optional[str]:
    """The ABI of the MPI library that an mpiexec belongs to; None if it doesn't say so."""
    try:
        done = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20,
                              check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    text = done.stdout.decode(errors="replace")
    if any(word in text for word in ("Open MPI", "OpenRTE", "PRRTE", "PMIx")):
        return "openmpi"
    return "mpich" if any(word in text for word in ("HYDRA", "Hydra", "Intel(R) MPI")) else None


def launcher_of(choice: _mpi_choice.Choice) -> str:
    """The mpiexec of an MPI library: beside it, or the one in PATH that belongs to it."""
    library = Path(choice.path)
    names = {"mpich": ("mpiexec.mpich", "mpiexec.hydra", "mpiexec", "mpirun"),
             "openmpi": ("mpiexec.openmpi", "mpirun.openmpi", "mpiexec", "mpirun", "prterun", "orterun"),
             "mpiabi": ("mpiexec", "mpirun")}[choice.abi]
    folders = [str(of.parent.parent / "bin") for of in (library, library.resolve()) if library.is_absolute()]
    for path in (*folders, None):  # None: PATH
        for name in names:
            found = shutil.which(name, path=path)
            if found is not None and (choice.abi == "mpiabi" or abi_of_launcher(found) in (choice.abi, None)):
                return found
    raise NotInstalled(f"There is no mpiexec of {_mpi_choice.NAMES[choice.abi]} beside {choice.path} or in PATH. Install it, or start the "
                       "program with the launcher of the MPI library yourself.")


def demo(words: list[str]) -> NoReturn:
    """Runs the aneurysm on two ranks."""
    if words and words[0] in ("-h", "--help"):
        print("weft demo [OPTIONS OF weft flow]\nRuns the flow in an aneurysm on two ranks (weft flow --example aneurysm, coarser and "
              "shorter).\nIt writes the picture and the summary page to out/aneurysm of this folder.")
        sys.exit(0)
    if _mpi_choice.is_rank():
        raise Refused("weft demo starts its two ranks by itself. Run it without mpiexec or srun.")
    choice = chosen()
    options = []
    if choice.abi == "openmpi":  # more ranks than cores, and any user
        os.environ.update(OMPI_MCA_rmaps_base_oversubscribe="1", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
                          OMPI_MCA_mpi_yield_when_idle="1")
        if os.geteuid() == 0:
            options = ["--allow-run-as-root"]
    os.environ.setdefault("MPI4PY_LIBMPI", choice.path)
    this = [os.environ["WEFT_COMMAND"]] if "WEFT_COMMAND" in os.environ else [sys.executable, "-m", "weft"]
    replace(launcher_of(choice), [*options, "-n", "2", *this, "flow", "--example", "aneurysm", *COARSE, *words])


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


def include() -> NoReturn:
    """Prints the folder of the files for programs that name regions, and for their builds."""
    folder = TOOLS / "include"
    if not (folder / "weft_region.h").is_file():
        raise NotInstalled(f"This package has no weft_region.h ({PACKAGE} is a source tree). Use profile/run and cmake of it, or install a wheel.")
    print(folder)
    sys.exit(0)


def replace(program: str, words: Sequence[str]) -> NoReturn:
    """Replaces this process by a program."""
    sys.stdout.flush()
    try:
        os.execv(program, [program, *words])
    except OSError as error:
        raise NotInstalled(f"{program} can't be run ({error.strerror}). Install weft again.") from None


def run(words: list[str]) -> NoReturn:
    command = words[0] if words else ""
    if command in ("--licences", "--licenses"):
        licences(words[1:])
    if command == "--include":
        include()
    os.environ["WEFT_TOOLS"] = str(TOOLS)
    if command in WITHOUT_MPI:  # which start other programs: their environment stays as it is
        replace(str(TOOLS / "bin" / f"weft-{command}"), words[1:])
    set_environment()
    if command == "demo":
        demo(words[1:])
    commands = module()
    if command == "bench" and words[1:2] == ["foreign"] and not _mpi_choice.is_rank():  # it starts programs
        with contextlib.suppress(NotInstalled):  # --launcher may name another one
            os.environ.setdefault("WEFT_MPIEXEC", launcher_of(chosen()))
    if command in ("flow", "box", "wave"):
        words = [command, *with_example(command, words[1:])]
    if command not in commands.command_names() or command == "weft":
        command, words = "weft", ["weft", *words]
        if words[1:] in ([], ["-h"], ["--help"]):
            print(HELP_OF_PACKAGE.strip("\n") + "\n", flush=True)
    sys.stdout.flush()
    sys.exit(commands.run_command(command, [os.fsencode(word) for word in words[1:]]))


def main() -> NoReturn:
    # As in a program of C++. Python would only note an interrupt, and ignore a closed pipe.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        run(sys.argv[1:])
    except Refused as error:
        local = next((os.environ[name] for name in LOCAL_RANKS if name in os.environ), None)
        if is_first_rank():
            print(f"error: {error}", file=sys.stderr)
        elif isinstance(error, NotInstalled) and local == "0":  # on another node than rank 0
            print(f"error on {socket.gethostname()}: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
