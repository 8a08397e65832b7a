# SPDX-License-Identifier: BSD-3-Clause
"""The page's parts that runs make: what stands between `<!-- NAME -->` and `<!-- end -->`."""
import re
from pathlib import Path

from weft.errors import InputError
from weft.files import write_whole
from weft.validation.measures import Outcome


def read_page(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}.") from error


def put_into(path: Path, text: str, outcome: Outcome) -> str:
    """The page with the study's parts, also written."""
    for name, part in outcome.parts.items():
        place = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        text, count = place.subn(lambda found: f"{found[1]}\n{part}\n\n{found[2]}", text)
        if count != 1:
            raise InputError(f"{path}: has {count} places '<!-- {name} -->' that end with '<!-- end -->' (one is needed).")
    write_whole(path, text)
    return text
