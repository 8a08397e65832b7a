# SPDX-License-Identifier: BSD-3-Clause
"""The help of each command: a sentence, two examples or more, and a page of the docs that exists."""
import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [ROOT / f"build/{preset}/weft" for preset in ("mpich", "release")]
GROUPS = ("Simulate", "Measure", "Tune", "Files")


def output(*words):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", COLUMNS="100")
    return subprocess.run(words, cwd=ROOT, env=environment, text=True, capture_output=True, timeout=60, check=True).stdout


def commands(text):
    """The words that a list of commands begins its lines with."""
    return re.findall(r"^  ([a-z][a-z-]+)  +[A-Z]", text, flags=re.MULTILINE)


@unittest.skipUnless(any(weft.exists() for weft in PROGRAMS), "weft is not built (make build)")
class Help(unittest.TestCase):
    def setUp(self):
        self.weft = max((weft for weft in PROGRAMS if weft.exists()), key=lambda weft: weft.stat().st_mtime)

    def check(self, *words):
        with self.subTest(command=" ".join(map(str, words[1:]))):
            text = output(*words, "--help")
            if "tools" not in str(words[0]):
                self.assertRegex(text.split("\n")[0], r"^[A-Z][\w' -]+ .*[.)]$", "the first line is no sentence")
            examples = re.search(r"^(?:Examples|examples):?\n((?:  .*\n)+)", text, flags=re.MULTILINE)
            self.assertIsNotNone(examples, f"no examples:\n{text}")
            self.assertGreaterEqual(len(re.findall(r"^  \S", examples[1], flags=re.MULTILINE)), 2, examples[1])
            page = re.search(r"docs/[\w/-]+\.md", text)
            self.assertIsNotNone(page, f"no page of the docs:\n{text}")
            self.assertTrue((ROOT / page[0]).is_file(), page[0])

    def test_weft_lists_its_commands_by_purpose(self):
        text = output(self.weft, "--help")
        places = [text.find(f"{group}") for group in GROUPS]
        self.assertEqual(places, sorted(places), text)
        self.assertNotIn(-1, places, text)
        self.assertGreaterEqual(set(commands(text)), {"flow", "box", "wave", "run", "bench", "predict", "tune", "doctor",
                                                      "openings", "import", "fft", "pack", "unpack"})

    def test_each_command(self):
        for name in commands(output(self.weft, "--help")):
            if name not in ("tune", "bench"):
                self.check(self.weft, name)

    def test_each_benchmark(self):
        names = commands(output(self.weft, "bench", "--help"))
        self.assertGreaterEqual(len(names), 15, names)
        for name in names:
            self.check(self.weft, "bench", name)

    def test_tools(self):
        for tool in ("testbed", "simulate"):
            self.check(ROOT / "tools" / tool)


if __name__ == "__main__":
    unittest.main()
