# SPDX-License-Identifier: BSD-3-Clause
"""The Python blocks of docs/python and docs/tune.md. Each is a whole program, but a marked part of an example, which test_binding_examples.py runs."""
import re

from mpi_of_tests import ROOT

PAGES = ROOT / "docs/python"
BLOCK = re.compile(r"(?P<part>^<!-- \S+: [\w ]+ -->\n)?^```python\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks():
    """Tuples of the page, the number of the block in it and the program."""
    for page in (*sorted(PAGES.glob("*.md")), ROOT / "docs/tune.md"):
        for number, block in enumerate(BLOCK.finditer(page.read_text()), start=1):
            if not block["part"]:
                yield page.stem, number, block["text"]
