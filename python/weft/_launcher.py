# SPDX-License-Identifier: BSD-3-Clause
"""The command `weft` of the Python package. It chooses the MPI library, and replaces itself by the program built for it."""
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NoReturn, Optional, Sequence

from weft import _native

PACKAGE = Path(__file__).resolve().parent
WITHOUT_MPI = ("run", "doctor")  # these start without an MPI library
HELP_OF_PACKAGE = """
The Python package adds:
  weft demo                   the flow in an aneurysm on two ranks: a picture and a summary in out/aneurysm
  weft flow --example NAME    runs an example of the package (also box, wave); without NAME it lists them
  weft --licences             licences of what the package contains
"""


class Refused(Exception):
    """The command line or the installation is wrong. The text is one line."""


def installed() -> dict[str, Path]:
    """The folders of programs in this package, by ABI."""
    folders = {abi: PACKAGE / f"_{abi}" / "bin" for abi in _native.NAMES}
    return {abi: folder for abi, folder in folders.items() if folder.is_dir()}


def programs(command: str) -> tuple[Path, Optional[_native.Choice]]:
    """The folder of programs to use, and the MPI library (None if the command needs none and there is none)."""
    folders = installed()
    if not folders:
        raise Refused(f"This package has no programs ({PACKAGE} is a source tree). Build them with `make build`, or install a wheel.")
    try:
        choice = _native.choose()
    except ImportError as error:
        if command not in WITHOUT_MPI:
            raise Refused(str(error)) from None
        return next(iter(folders.values())), None
    if choice.abi not in folders:
        if command in WITHOUT_MPI:
            return next(iter(folders.values())), choice
        have = " and ".join(_native.NAMES[abi] for abi in folders)
        raise Refused(f"The MPI library is {_native.NAMES[choice.abi]} ({choice.why}), but this package was built for {have}. Set "
                      f"MPI4PY_MPIABI={next(iter(folders))}, or install a wheel for both.")
    return folders[choice.abi], choice


def library_folder(choice: _native.Choice) -> Optional[str]:
    """A folder in which the dynamic linker finds the library by the name that the programs were linked with; None if it does so
    anyway."""
    wanted = _native.LIBRARIES[choice.abi][0]
    path = Path(choice.path)
    if not path.is_absolute():
        if path.name == wanted:
            return None
        found = next((Path(f) / path.name for f in _native.linker_folders() if (Path(f) / path.name).exists()), None)
        if found is None:
            return None
        path = found
    if path.name == wanted:
        return str(path.parent)
    # Debian's MPICH has another file name. A link with the usual name leads to it.
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weft" / path.parent.as_posix().strip("/").replace("/", "-")
    for folder in (cache, Path(tempfile.gettempdir()) / f"weft-{os.getuid()}"):
        link = folder / wanted
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if folder.stat().st_uid != os.getuid():
                continue
            if not link.is_symlink() or os.readlink(link) != str(path):
                new = folder / f".{wanted}.{os.getpid()}"
                new.symlink_to(path)
                new.replace(link)
            return str(folder)
        except OSError:
            continue
    raise Refused(f"{path} has another name than {wanted}, and no link to it can be written to {cache}. Make one, and name it in "
                  "MPI4PY_LIBMPI.")


def environment(choice: Optional[_native.Choice]) -> dict[str, str]:
    """The environment of a program: it finds the MPI library, this Python (for pictures), and a font."""
    env = dict(os.environ)
    env.setdefault("WEFT_PYTHON", sys.executable)
    fonts = PACKAGE / "_share/fonts/fonts.conf"
    if fonts.exists():
        env.setdefault("FONTCONFIG_FILE", str(fonts))
    folder = library_folder(choice) if choice else None
    if folder is not None:
        env["LD_LIBRARY_PATH"] = ":".join(filter(None, [folder, env.get("LD_LIBRARY_PATH", "")]))
    return env


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
    folder, choice = programs("demo")
    assert choice is not None
    if _native.launcher_abi() is not None:
        raise Refused("weft demo starts its two ranks by itself. Run it without mpiexec.")
    case = examples("flow").get("aneurysm")
    if case is None:
        raise Refused("This package has no examples. Install it again.")
    env = environment(choice)
    options = []
    if choice.abi == "openmpi":
        env.update(OMPI_MCA_rmaps_base_oversubscribe="1", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")
        env.update(OMPI_MCA_mpi_yield_when_idle="1")
        if os.geteuid() == 0:
            options = ["--allow-run-as-root"]
    if words and words[0] in ("-h", "--help"):
        print("weft demo [OPTIONS OF weft flow]\nRuns the flow in an aneurysm on two ranks (weft flow --example aneurysm). It writes the "
              "picture and\nthe summary page to out/aneurysm of this folder.")
        sys.exit(0)
    replace(launcher_of(choice), [*options, "-n", "2", str(folder / "weft-flow"), str(case), *words], env)


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


def replace(program: str, words: Sequence[str], env: dict[str, str]) -> NoReturn:
    """Replaces this process by a program."""
    sys.stdout.flush()
    try:
        os.execve(program, [program, *words], env)
    except OSError as error:
        raise Refused(f"{program} can't be run ({error.strerror}). Install weft again.") from None


def run(words: list[str]) -> NoReturn:
    command = words[0] if words else ""
    if command in ("--licences", "--licenses"):
        licences(words[1:])
    if command == "demo":
        demo(words[1:])
    folder, choice = programs(command)
    if command in ("flow", "box", "wave"):
        words = [command, *with_example(command, words[1:])]
    program = folder / f"weft-{command}" if command and not command.startswith("-") else folder / "weft"
    if program.name == "weft" or not program.exists():
        if command in ("", "-h", "--help"):
            print(HELP_OF_PACKAGE.strip("\n"), flush=True)
            print()
        replace(str(folder / "weft"), words, environment(choice))
    replace(str(program), words[1:], environment(choice))


def main() -> NoReturn:
    try:
        run(sys.argv[1:])
    except Refused as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
