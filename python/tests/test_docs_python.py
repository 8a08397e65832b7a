# SPDX-License-Identifier: BSD-3-Clause
"""Each Python block of docs/python runs as it stands on two ranks, in a folder with a case.toml of the page's program."""
import os
import tempfile
import unittest
from unittest import mock

import small_cases
from python_blocks import blocks


@unittest.skipIf(small_cases.BUILT is None, small_cases.NOT_BUILT)
class Blocks(unittest.TestCase):
    def test_they_run(self):
        for page, number, text in blocks():
            with self.subTest(page, block=number), tempfile.TemporaryDirectory() as folder:
                if page in ("flow", "box", "wave"):
                    small_cases.write_case(folder, page)
                with mock.patch.dict(os.environ, WEFT_TUNE_FILE=os.path.join(folder, "tuned.toml")):
                    small_cases.launch_script(2, text, folder)

    def test_each_page_of_a_class_has_one(self):
        pages = {page for page, _, _ in blocks()}
        self.assertGreaterEqual(pages, {"index", "exchange", "steps", "pipeline", "monitors", "tune", "flow", "box", "wave"})


if __name__ == "__main__":
    unittest.main()
