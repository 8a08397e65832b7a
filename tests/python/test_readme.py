# SPDX-License-Identifier: BSD-3-Clause
"""The files that the README names are there. (Its code: test_snippets.py.)"""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Readme(unittest.TestCase):
    def test_files_it_names_are_there(self):
        prose = re.sub(r"```.*?```", "", (ROOT / "README.md").read_text(), flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)#]+)\)", prose):
            with self.subTest(link=link):
                self.assertTrue(link.startswith("http") or (ROOT / link).exists())


if __name__ == "__main__":
    unittest.main()
