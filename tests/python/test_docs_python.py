# SPDX-License-Identifier: BSD-3-Clause
"""The examples of docs/python/flow.md, box.md and wave.md run, each page from its beginning to its end."""
import re
import tempfile
import unittest

import small_cases

PAGES = small_cases.ROOT / "docs/python"


def examples(page):
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE))


@unittest.skipIf(small_cases.BUILT is None, small_cases.NOT_BUILT)
class Examples(unittest.TestCase):
    def test_they_run(self):
        for program in ("flow", "box", "wave"):
            for ranks in (1, 2):
                with self.subTest(program, ranks=ranks), tempfile.TemporaryDirectory() as folder:
                    small_cases.write_case(folder, program)
                    text = examples(PAGES / f"{program}.md")
                    self.assertGreater(text.count("case.run("), 1)
                    if small_cases.has("pyvista"):
                        small_cases.launch_script(ranks, text, folder)
                    else:
                        small_cases.launch_script(ranks, re.sub(r".*[.]mesh\(\).*\n", "", text), folder)


if __name__ == "__main__":
    unittest.main()
