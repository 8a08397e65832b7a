# SPDX-License-Identifier: BSD-3-Clause
"""docs/keys.md has exactly the keys that the readers of case files accept, with the values that they accept."""
import itertools
import os
import re
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [ROOT / f"build/{preset}/weft" for preset in ("mpich", "release")]  # MPICH's starts faster without mpirun
CASES = {"flow": "examples/aneurysm/case.toml", "box": "examples/box/suspension.toml",
         "wave": "examples/wave/pulse.toml"}
# By a list's first key: the section of a list of keys that is not next to its section's name.
SECTIONS = {
    "flow": {"density": "fluid", "viscosity_at_rest": "fluid", "time": "fluid", "yield_stress": "fluid",
             "consistency": "fluid", "name": "inlet outlet", "windkessel": "outlet", "resistance": "outlet.windkessel", "mean": "WAVEFORM",
             "compartment": "inlet outlet", "lowest": "compartment.elastance",
             "centre": "extract", "from": "extract", "at": "extract"},
    "box": {"-x": "walls"},
    "wave": {"-x": "boundary", "all": "boundary", "kind": "BOUNDARY"},
}
# Sections that may occur several times, at least one of which is in the cases; and values that are allowed only with
# other values.
MANY = {"inlet": "inlet.0", "outlet": "outlet.0", "pulse": "pulse.0"}
NOT_IN_CASES = {"extract", "section", "region", "particle", "outlet.windkessel", "WAVEFORM", "BOUNDARY", "boundary", "tune", "compartment",
                "compartment.elastance", "connection"}


def rows(program):
    """By key in a program's table: type, and allowed values."""
    text = (ROOT / "docs/keys.md").read_text().split(f"## weft {program}\n")[1].split("\n## ")[0]
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        for key in re.findall(r"`([^`]+)`", cells[0]) if len(cells) == 4 else []:
            yield key, cells[1], cells[2]


def keys_of_readers(program):
    """The same keys, read from the sources."""
    words, found = r"((?:\s*\"[^\"]+\",?)+)\s*", set()
    for file in (ROOT / {"box": "flow/box_program", "flow": "flow/flow", "wave": "programs/wave"}[program]).rglob("*.cpp"):
        text = file.read_text() if file.parent.name not in ("steering", "set_up") else ""  # these read messages
        lists = re.findall(r"SectionReader \w+\([^{;]*?\"((?:in |at )[^\"]*)\"[^{;]*?\{" + words + r"\}", text)
        for start in (r"(?:keys|faces|names) = \{", r"keys\.insert\(keys\.end\(\), \{", r"keys\.emplace_back\("):
            lists += [("", one) for one in re.findall(start + words, text)]
        if "face_names.begin()" in text:  # a list that two programs share
            faces = (ROOT / "frame/program/section_reader.hpp").read_text()
            lists.append(("", re.search(r"face_names = \{([^}]*)\}", faces)[1]))
        for title, one in lists:
            keys = re.findall(r'"([^"]+)"', one)
            section = re.fullmatch(r"in \[\[?(\w+)\]\]?", title)
            if title == "at the top level":
                found.add("title")
            else:
                first = "extract" if file.name == "extract_reader.cpp" and not section else SECTIONS[program].get(keys[0])
                found |= {f"{where}.{key}" for where in ([section[1]] if section else first.split()) for key in keys}
    return found


def wrong_values(kind, allowed):
    """Values just outside the range of a row, and the text that the error must contain."""
    if kind == "word":
        yield "nonsense", "allowed: " + ", ".join(re.findall(r"`([^`]+)`", allowed.split("(")[0]))
    if kind not in ("number", "whole", "quantity"):
        return
    number = r"(-?[\d.]+(?:e-?\d+)?)"
    for pattern, outside in ((rf"above {number}", 0), (rf"at least {number}", -1), (r"\b(0) or more", -1),
                             (rf"{number} to ", -1), (rf"(?: to |at most ){number}", 1)):
        if (match := re.search(pattern, allowed)) and 1e-6 < abs(float(match[1]) or 1) < 1e7:
            yield f"{float(match[1]) + outside:.12g}", ""


class Keys(unittest.TestCase):
    def test_docs_have_the_keys_that_readers_know(self):
        for program in CASES:
            with self.subTest(program=program):
                told = [key for key, _, _ in rows(program)]
                self.assertEqual(sorted(told), sorted(set(told)))
                self.assertGreater(len(told), 30)
                self.assertEqual(set(told) - {"outlet.windkessel"}, keys_of_readers(program) - {"outlet.windkessel"})

    @unittest.skipUnless(any(weft.exists() for weft in PROGRAMS), "weft is not built (make build)")
    def test_values_that_are_not_allowed_are_refused(self):
        weft = max((weft for weft in PROGRAMS if weft.exists()), key=lambda weft: weft.stat().st_mtime)  # the newest build
        tries = []
        for program, case in CASES.items():
            for key, kind, allowed in rows(program):
                section, _, last = key.rpartition(".")
                if section in NOT_IN_CASES or section == "fluid" and ";" in allowed:
                    continue
                # one value per row, since each costs the start of a program
                for value, says in itertools.islice(wrong_values(kind.split(",")[0], allowed), 1):
                    tries.append((program, case, f"{MANY.get(section, section)}.{last}={value}", last, says))
        self.assertGreater(len(tries), 50)

        def run(one):
            environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
            command = [weft, one[0], "--check", one[1], "--set", one[2]]
            return one, subprocess.run(command, cwd=ROOT, env=environment, text=True, capture_output=True, timeout=120,
                                       check=False)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for (program, _, setting, key, says), done in pool.map(run, tries):
                with self.subTest(program=program, set=setting):
                    self.assertEqual(done.returncode, 2, done.stdout)
                    self.assertIn(key, done.stderr)
                    self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main()
