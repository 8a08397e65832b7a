# SPDX-License-Identifier: BSD-3-Clause
"""The generated parts of the page: the text between `<!-- NAME -->` and `<!-- end -->`."""
import re
from pathlib import Path

from weft.errors import InputError
from weft.files import write_whole
from weft.validation.measures import Outcome


def read_page(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: This page can't be read ({getattr(error, 'strerror', None) or error}). Name a page with --page.") from error


def put_into(path: Path, text: str, outcome: Outcome) -> str:
    """Replaces the study's parts in the text, writes the page and returns it."""
    for name, part in outcome.parts.items():
        place = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        text, count = place.subn(lambda found: f"{found[1]}\n{part}\n\n{found[2]}", text)
        if count != 1:
            raise InputError(f"{path}: The page has {count} places '<!-- {name} -->' that end with '<!-- end -->'. Leave exactly one.")
    write_whole(path, text)
    return text
