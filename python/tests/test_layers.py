# SPDX-License-Identifier: BSD-3-Clause
"""The allowed includes (docs/architecture.md, "Houses and libraries"). A new dependency has to be listed here and can't make a cycle."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)

# The houses, and what each may use. Its libraries, with the libraries that each may include.
HOUSES = {
    "core": [],
    "frame": ["core"],
    "flow": ["core", "frame"],
    "programs": ["core", "frame"],
    "profile": ["core"],
    "bench": ["core", "flow", "frame", "profile", "programs"],
}
LIBRARIES = {
    "core": {
        "weft": [],
        "c": ["weft"],
        "fft": ["weft"],
        "simgrid": ["weft"],
        "mpi_abi": [],
        "c": ["weft"],
        "fortran": ["c"],
    },
    "frame": {
        "program": ["weft"],
        "command_line": ["program", "weft"],
        "cli": ["command_line", "weft"],
    },
    "flow": {
        "text": ["weft"],
        "geometry": ["weft"],
        "phantom": ["geometry", "weft"],
        "lattice": ["geometry", "weft"],
        "hemelb": ["geometry", "text", "weft"],
        "insitu": ["geometry", "weft"],
        "view": ["text", "weft"],
        "openings": ["geometry", "insitu", "text", "weft"],
        "flow": ["command_line", "geometry", "hemelb", "insitu", "lattice", "openings", "program", "text", "view", "weft"],
        "box_program": ["command_line", "lattice", "program", "weft"],
        "robustness": ["flow", "geometry", "openings", "phantom", "program", "text", "weft"],
        "commands": ["command_line", "flow", "geometry", "hemelb", "openings", "program", "weft"],
    },
    "programs": {
        "amr": ["program", "weft"],
        "wave": ["amr", "command_line", "program", "weft"],
        "fft_program": ["command_line", "fft", "program", "weft"],
        "pack": ["command_line", "program", "weft"],
    },
    "profile": {
        "advise": ["weft"],
        "loader": ["advise"],
        "testbed": [],
        "run": ["advise", "weft"],
        "history": ["run", "weft"],
        "doctor": ["advise", "run", "weft"],
    },
    "bench": {
        "bench": ["amr", "command_line", "fft", "flow", "geometry", "insitu", "lattice", "pack", "phantom", "program", "robustness", "run",
                  "wave", "weft"],
        "simulate": ["bench", "weft"],
        "predict": ["command_line", "weft"],
    },
}
BELOW = {name: below for libraries in LIBRARIES.values() for name, below in libraries.items()}
HOUSE_OF = {name: house for house, libraries in LIBRARIES.items() for name in libraries}
NOT_LIBRARIES = {"tests", "include", "source", "web", "measure"}  # other folders of a house; weft is in core/include and core/source

# The Python modules, in python/bindings; a folder that is not built has no line.
BINDINGS = {"core": ["fft", "shared", "weft"], "programs": ["amr", "box_program", "flow", "program", "shared", "wave", "weft"]}

# Folders of a library or an app with layers inside. Files beside these folders are listed by their own names.
GROUND = ["bytes", "clock", "error", "names", "simulated", "text", "warning", "yield"]
ROOMS = {
    "weft": {
        "bytes": [], "error": [], "names": ["error"], "simulated": [], "text": [], "version": [], "warning": [], "clock": ["simulated"], "yield": ["simulated"],
        "file": GROUND,
        "transport": GROUND,
        "device": ["transport", *GROUND],
        "timeline": ["file", "transport", *GROUND],
        "mpi": ["transport", *GROUND],
        "progress": ["mpi", "timeline", "transport", *GROUND],
        "exchange": ["device", "progress", "timeline", "transport", *GROUND],
        "mailbox": ["transport", *GROUND],
        "pipeline": ["mpi", "progress", "timeline", "transport", *GROUND],
        "step": ["device", "exchange", "timeline", "transport", *GROUND],
        "collective": ["step", "transport", *GROUND],
        "halo": ["device", "exchange", "step", "transport", *GROUND],
        "graph": ["device", "exchange", "transport", *GROUND],
        "tune": ["exchange", "file", "halo", "progress", "step", "transport", *GROUND],
        "weft": ["collective", "device", "exchange", "file", "graph", "halo", "mailbox", "mpi", "pipeline", "progress", "step", "timeline",
                 "transport", "tune", "version", *GROUND],
    },
    "flow": {
        "case": [],
        "scaling": ["case"],
        "vessel": ["case", "scaling"],
        "step": ["case", "scaling", "vessel"],
        "outlets": ["case", "scaling", "step", "vessel"],
        "reading": ["case", "outlets", "scaling"],
        "extracts": ["case", "scaling", "step", "vessel"],
        "pictures": ["case", "extracts", "step", "vessel"],
        "steering": ["case", "extracts", "scaling", "step", "vessel"],
        "run": ["case", "extracts", "outlets", "pictures", "scaling", "steering", "step", "vessel"],
        "set_up": ["case", "outlets", "reading", "run", "scaling", "vessel"],
        "summary": ["case", "outlets", "run", "scaling", "vessel"],
        "command": ["case", "extracts", "pictures", "reading", "run", "scaling", "set_up", "steering", "summary", "vessel"],
    },
    "bench": {
        "shared": [],
        "workload": ["shared"],
        **{name: ["shared"] for name in ("clock", "collectives", "core", "device", "fft", "foreign", "halo", "languages", "network",
                                         "nodes", "pack", "pipelines", "steps")},
        **{name: ["shared", "workload"] for name in ("coalesce", "kernel", "monitors", "setup")},
        "wave": ["shared"],
        "graph": ["nodes", "shared"],
        "engine": ["shared", "wave", "workload"],
        "command": ["clock", "coalesce", "collectives", "core", "device", "engine", "fft", "foreign", "graph", "halo", "kernel",
                    "languages", "monitors", "network", "nodes", "pack", "pipelines", "setup", "shared", "steps", "wave"],
    },
}


def homes(name):
    """The folders of a library."""
    if name == "weft":
        return [ROOT / "core/include/weft", ROOT / "core/source/weft"]
    return [ROOT / HOUSE_OF[name] / name]


def public_headers():
    """The installed headers: those in core/include, and those that the other libraries list for weft_library()."""
    found = set((ROOT / "core/include").rglob("*.hpp"))
    for listed in ROOT.glob("*/*/library.cmake"):
        for names in re.findall(r"^  HEADERS ([^A-Z]+)", listed.read_text(), re.MULTILINE):
            found |= {listed.parents[1] / name for name in names.split()}
    return sorted(found)


def sources(name):
    return sorted(source for home in homes(name) for source in home.rglob("*.[ch]pp"))


def included(source):
    return INCLUDE.findall(source.read_text())


def order(arrows):
    """The names from the lowest layer up, or the name at which a cycle closes."""
    done, under_way = [], set()

    def visit(name):
        if name in done:
            return
        if name in under_way:
            raise ValueError(f"a circle of includes goes through '{name}'")
        under_way.add(name)
        for below in arrows[name]:
            visit(below)
        under_way.discard(name)
        done.append(name)

    for name in arrows:
        visit(name)
    return done


class Folders(unittest.TestCase):
    def test_are_all_in_the_tables(self):
        for house, libraries in LIBRARIES.items():
            folders = {f.name for f in (ROOT / house).iterdir() if f.is_dir()} - NOT_LIBRARIES
            self.assertEqual(folders | ({"weft"} if house == "core" else set()), set(libraries), house)
        for name, rooms in ROOMS.items():
            found = {f.stem for home in homes(name) for f in home.iterdir()}
            self.assertEqual(found - {"CMakeLists", "library"}, set(rooms), name)

    def test_the_tables_have_no_circle_and_houses_use_what_they_may(self):
        order(HOUSES)
        order(BELOW)
        for rooms in ROOMS.values():
            order(rooms)
        for name, below in BELOW.items():
            house = HOUSE_OF[name]
            self.assertLessEqual({HOUSE_OF[other] for other in below}, {house, *HOUSES[house]}, name)

    def test_include_only_what_their_table_says(self):
        for name, below in BELOW.items():
            for source in sources(name):
                for path in included(source):
                    other = path.split("/")[0]
                    with self.subTest(file=str(source.relative_to(ROOT)), included=path):
                        self.assertTrue(other == name or other in below, f"{name} may include {', '.join(below) or 'nothing'}")
                        if other != name:
                            self.assertNotIn("/detail/", path, "what is in detail is private")

    def test_the_python_modules_include_only_what_their_table_says(self):
        home = ROOT / "python/bindings"
        self.assertEqual({f.parent.name for f in home.glob("*/CMakeLists.txt")}, set(BINDINGS))
        for name, below in BINDINGS.items():
            for source in sorted((home / name).rglob("*.[ch]pp")):
                for path in included(source):
                    with self.subTest(file=str(source.relative_to(ROOT)), included=path):
                        self.assertIn(path.split("/")[0], [name, *below])

    def test_their_rooms_include_only_what_is_below(self):
        for name, rooms in ROOMS.items():
            for home in homes(name):
                for source in sorted(home.rglob("*.[ch]pp")):
                    room = source.relative_to(home).parts[0].split(".")[0]
                    for path in included(source):
                        if not path.startswith(name + "/"):
                            continue
                        other = path.split("/")[1].split(".")[0]
                        with self.subTest(file=str(source.relative_to(ROOT)), included=path):
                            self.assertTrue(other == room or other in rooms[room],
                                            f"{room} may include {', '.join(rooms[room]) or 'nothing'}")

    def test_only_the_core_sees_its_private_headers(self):
        """simgrid is compiled into the library weft; tests of the core may include any header."""
        private = {str(path.relative_to(ROOT / "core/source")) for path in (ROOT / "core/source").rglob("*.hpp")}
        for name in set(BELOW) - {"weft", "simgrid"}:
            for source in sources(name):
                self.assertFalse(private & set(included(source)), source)
        for header in (ROOT / "core/include").rglob("*.hpp"):
            self.assertFalse(private & set(included(header)), header)

    def test_have_their_name_as_namespace(self):
        for name in set(BELOW) - {"weft", "simgrid", "loader"}:
            for source in sources(name):
                text = source.read_text()
                spaces = re.findall(r"^namespace weft::(\w+)", text, re.MULTILINE)
                spaces += re.findall(r"^namespace \[\[.*\]\] weft \{\nnamespace (\w+)", text, re.MULTILINE)
                for space in spaces:
                    with self.subTest(file=str(source.relative_to(ROOT))):
                        self.assertEqual(space, name)

    def test_have_public_headers_that_are_visible_in_shared_libraries(self):
        headers = public_headers()
        self.assertGreater(len(headers), 100)
        for header in headers:
            text = header.read_text()
            with self.subTest(file=str(header.relative_to(ROOT))):
                opened = re.findall(r"^namespace (.*)weft\b", text, re.MULTILINE)
                self.assertEqual(set(opened), set() if header.name == "weft.hpp" else {'[[gnu::visibility("default")]] '})
                for path in included(header):
                    roots = [ROOT / "core/include", *(ROOT / house for house in HOUSES)]
                    self.assertTrue(any(root / path in headers for root in roots), f"{path} is not a public header")

    def test_call_only_functions_of_mpi_that_the_wheel_can_call(self):
        table = set(re.findall(r"^WEFT_\w+\((\w+)", (ROOT / "core/mpi_abi/functions.hpp").read_text(), re.MULTILINE))
        table |= {"Wtime", "Comm_f2c", "Comm_dup"}  # not of the table's form; of simulations only
        files = [source for name in set(BELOW) - {"c", "fortran", "simgrid", "mpi_abi"} for source in sources(name)
                 if HOUSE_OF[name] != "profile"]  # it calls MPI by dlsym; c and fortran are not in the wheel,
        files.remove(ROOT / "core/source/weft/mpi/region.cpp")  # neither
        files += sorted((ROOT / "python/bindings").rglob("*.[ch]pp"))
        self.assertGreater(len(files), 100)
        for source in files:
            code = re.sub(r"//.*|\"[^\"\n]*\"", "", source.read_text())
            called = set(re.findall(r"\bP?MPI_((?:T_)?[A-Z]\w*[a-z]\w*)\s*\(", code))
            with self.subTest(file=str(source.relative_to(ROOT))):
                self.assertEqual(called - table, set(), "add these to core/mpi_abi/functions.hpp")


if __name__ == "__main__":
    unittest.main()
