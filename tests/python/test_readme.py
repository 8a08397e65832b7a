# SPDX-License-Identifier: BSD-3-Clause
"""What the README shows is code that the tests build and run."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Readme(unittest.TestCase):
    def test_example_is_the_heart_of_hello(self):
        blocks = re.findall(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
        self.assertEqual(len(blocks), 1)
        self.assertIn(blocks[0], (ROOT / "examples/hello/hello.cpp").read_text())


if __name__ == "__main__":
    unittest.main()
