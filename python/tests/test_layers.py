# SPDX-License-Identifier: BSD-3-Clause
"""The allowed includes (docs/architecture.md, "Layers and folders"). A new dependency has to be listed here and can't make a cycle; a
library never includes an app."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)

LIBS = {
    "weft": [],
    "simgrid": ["weft"],
    "mpi_abi": [],
    "program": ["weft"],
    "command_line": ["program", "weft"],
    "view": ["weft"],
    "fft": ["weft"],
    "amr": ["program", "weft"],
    "geometry": ["weft"],
    "phantom": ["geometry", "weft"],
    "lattice": ["geometry", "weft"],
    "hemelb": ["geometry", "weft"],
    "insitu": ["geometry", "weft"],
    "openings": ["geometry", "insitu", "weft"],
}
APPS = {
    "advise": ["weft"],
    "run": ["advise", "weft"],
    "doctor": ["advise", "weft"],
    "testbed": [],
    "predict": ["command_line", "weft"],
    "pack": ["command_line", "program", "weft"],
    "fft_program": ["command_line", "fft", "program", "weft"],
    "box_program": ["command_line", "lattice", "program", "weft"],
    "wave": ["amr", "command_line", "program", "weft"],
    "flow": ["command_line", "geometry", "hemelb", "insitu", "lattice", "openings", "program", "view", "weft"],
    # Benchmarks of programs, and the programs written for them, include them.
    "bench": ["amr", "command_line", "fft", "flow", "geometry", "insitu", "lattice", "openings", "pack", "phantom", "program", "run", "wave", "weft"],
    "simulate": ["bench", "weft"],
    "cli": ["command_line", "flow", "geometry", "hemelb", "openings", "program", "weft"],
}
MAY_INCLUDE_APPS = {"bench", "simulate", "cli", "run", "doctor"}

# The Python modules, in python/bindings; a folder that is not built has no line.
BINDINGS = {"core": ["fft", "shared", "weft"], "programs": ["amr", "box_program", "flow", "program", "shared", "wave", "weft"]}

# Folders of a library or an app with layers inside. Files beside these folders are listed by their own names.
GROUND = ["bytes", "clock", "error", "names", "simulated", "yield"]
ROOMS = {
    "weft": {
        "bytes": [], "error": [], "names": ["error"], "simulated": [], "clock": ["simulated"], "yield": ["simulated"],
        "file": GROUND,
        "transport": GROUND,
        "timeline": ["file", "transport", *GROUND],
        "mpi": ["transport", *GROUND],
        "progress": ["mpi", "timeline", "transport", *GROUND],
        "exchange": ["progress", "timeline", "transport", *GROUND],
        "mailbox": ["transport", *GROUND],
        "pipeline": ["mpi", "progress", "timeline", "transport", *GROUND],
        "step": ["exchange", "timeline", "transport", *GROUND],
        "collective": ["step", "transport", *GROUND],
        "halo": ["exchange", "step", "transport", *GROUND],
        "tune": ["exchange", "file", "progress", "step", "transport", *GROUND],
        "weft": ["collective", "exchange", "file", "halo", "mailbox", "mpi", "pipeline", "progress", "step", "timeline",
                 "transport", "tune", *GROUND],
    },
    "flow": {
        "case": [],
        "lumped": ["case"],
        "reading": ["case", "lumped"],
        "scaling": ["case", "lumped"],
        "lumen": ["case", "scaling"],
        "step": ["case", "lumen", "scaling"],
        "centreline": ["case", "scaling", "step"],
        "vessel": ["case", "centreline", "lumen", "scaling"],
        "output": [],
        "outlets": ["case", "lumped", "scaling", "step", "vessel"],
        "extracts": ["case", "centreline", "output", "scaling", "step", "vessel"],
        "monitoring": ["case", "extracts", "scaling", "step", "vessel"],
        "checkpoint": ["case", "extracts", "monitoring", "scaling", "step", "vessel"],
        "pictures": ["case", "extracts", "step", "vessel"],
        "steering": ["case", "monitoring", "scaling", "step"],
        "check": ["case", "lumped", "outlets", "scaling"],
        "run": ["case", "checkpoint", "extracts", "monitoring", "outlets", "output", "pictures", "scaling", "steering", "step",
                "vessel"],
        "convergence": ["case", "run", "scaling"],
        "watching": ["pictures", "run", "steering"],
        "summary": ["case", "convergence", "outlets", "run", "scaling", "vessel"],
        "set_up": ["case", "check", "reading", "run", "scaling", "vessel"],
        "command": ["case", "check", "convergence", "extracts", "reading", "run", "scaling", "set_up", "summary", "vessel", "watching"],
    },
    "bench": {
        "shared": [],
        "workload": ["shared"],
        **{name: ["shared"] for name in ("clock", "collectives", "collisions", "core", "fft", "foreign", "halo", "network", "pack",
                                         "pipelines", "steps")},
        **{name: ["shared", "workload"] for name in ("accuracy", "coalesce", "engine", "kernel", "monitors", "robustness", "setup",
                                                     "wave")},
        "command": ["accuracy", "clock", "coalesce", "collectives", "collisions", "core", "engine", "fft", "foreign", "halo", "kernel",
                    "monitors", "network", "pack", "pipelines", "robustness", "setup", "shared", "steps", "wave"],
    },
}
# Headers that are not installed, and the folders that may include them besides their own.
PRIVATE = {**{str(path.relative_to(ROOT / "core")): set() for path in (ROOT / "core/source/weft/exchange/inside").glob("*.hpp")},
           "weft/mpi/request.hpp": {"simgrid"}, "weft/mpi/persistent.hpp": {"simgrid"},
           "weft/mpi/payload_limits.hpp": set()}


def sources(top, name):
    return sorted((ROOT / top / name / name).rglob("*.[ch]pp"))


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
        for top, table in (("libs", LIBS), ("apps", APPS)):
            self.assertEqual({f.name for f in (ROOT / top).iterdir() if f.is_dir()}, set(table), top)
        for name, rooms in ROOMS.items():
            top = "libs" if name in LIBS else "apps"
            self.assertEqual({f.stem for f in (ROOT / top / name / name).iterdir()} - {"CMakeLists"}, set(rooms), name)

    def test_the_tables_have_no_circle_and_libraries_no_app(self):
        order(LIBS)
        order({**LIBS, **APPS})
        for rooms in ROOMS.values():
            order(rooms)
        for name, below in APPS.items():
            if name not in MAY_INCLUDE_APPS:
                self.assertFalse(set(below) & set(APPS), name)

    def test_include_only_what_their_table_says(self):
        for top, table in (("libs", LIBS), ("apps", APPS)):
            for name, below in table.items():
                for source in sources(top, name):
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
                        self.assertNotIn(path, PRIVATE)

    def test_their_rooms_include_only_what_is_below(self):
        for name, rooms in ROOMS.items():
            home = ROOT / ("libs" if name in LIBS else "apps") / name / name
            for source in sorted(home.rglob("*.[ch]pp")):
                room = source.relative_to(home).parts[0].split(".")[0]
                for path in included(source):
                    if not path.startswith(name + "/"):
                        continue
                    other = path.split("/")[1].split(".")[0]
                    with self.subTest(file=str(source.relative_to(ROOT)), included=path):
                        self.assertTrue(other == room or other in rooms[room],
                                        f"{room} may include {', '.join(rooms[room]) or 'nothing'}")

    def test_keep_their_private_headers(self):
        for source in sorted(p for top in ("libs", "apps") for p in (ROOT / top).rglob("*.[ch]pp")):
            own = source.relative_to(ROOT).parts[1]
            for path in included(source):
                if path in PRIVATE and own not in PRIVATE[path]:
                    with self.subTest(file=str(source.relative_to(ROOT)), included=path):
                        self.assertEqual(own, "weft")
                        folder = (ROOT / "core" / path).parent
                        self.assertIn(source.parent, [folder, folder.parent if folder.name == "inside" else folder])

    def test_have_their_name_as_namespace(self):
        for top, table in (("libs", LIBS), ("apps", APPS)):
            for name in set(table) - {"weft", "simgrid"}:
                for source in sources(top, name):
                    for space in re.findall(r"^namespace weft::(\w+)", source.read_text(), re.MULTILINE):
                        with self.subTest(file=str(source.relative_to(ROOT))):
                            self.assertEqual(space, name)


if __name__ == "__main__":
    unittest.main()
