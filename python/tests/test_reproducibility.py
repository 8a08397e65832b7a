# SPDX-License-Identifier: BSD-3-Clause
"""docs/reproducibility.md names the test that checks each of its statements: these tests exist."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`([A-Z][A-Za-z0-9]*)(?:\.([a-z]\w*))?`")
DEFINED = re.compile(r"\bTEST(?:_[FP])?\((\w+),\s*(\w+)\)")


class Reproducibility(unittest.TestCase):
    def test_the_named_tests_exist(self):
        page = (ROOT / "docs/reproducibility.md").read_text()
        cells = [line for line in page.splitlines() if line.startswith("|")]
        defined = {match for tests in ROOT.glob("*/tests") for source in tests.rglob("*.cpp") for match in DEFINED.findall(source.read_text())}
        suites = {suite for suite, _ in defined}
        named = {match for cell in cells for match in NAMED.findall(cell) if match[1] or match[0] in suites}
        self.assertGreater(len(named), 20)
        self.assertEqual([], sorted(named - defined - {(suite, "") for suite in suites}))


if __name__ == "__main__":
    unittest.main()
