# SPDX-License-Identifier: BSD-3-Clause
"""The Python blocks of docs/python. Each is a whole program; fragments and listings are blocks of text."""
import re

from mpi_of_tests import ROOT

PAGES = ROOT / "docs/python"


def blocks():
    """Tuples of the page, the number of the block in it and the program."""
    for page in sorted(PAGES.glob("*.md")):
        for number, text in enumerate(re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE), start=1):
            yield page.stem, number, text
