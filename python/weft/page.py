# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a self-contained HTML page: tables, banners, and figures embedded in the text."""
import base64
import io
import math
from html import escape
from typing import Iterable, Optional, Sequence

from matplotlib.figure import Figure

from weft.style import plt

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #22262b; background: #fff;
       max-width: 1180px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.7em; margin-bottom: .2em; } h2 { font-size: 1.35em; margin-top: 2em; border-bottom: 2px solid #22262b; }
h3 { font-size: 1.1em; margin: 1.6em 0 .3em; }
table { border-collapse: collapse; margin: .5em 0 1em; font-size: .93em; }
th, td { text-align: left; padding: .22em .9em .22em 0; border-bottom: 1px solid #dfe2e6; vertical-align: top; }
th { white-space: nowrap; } td.number, th.number { text-align: right; white-space: nowrap;
                       font-variant-numeric: tabular-nums; }
tr.differs td, tr.differs th { background: #fff3d6; }
td.word { white-space: nowrap; } td.faster, td.more { color: #14683a; font-weight: bold; }
td.slower, td.less { color: #a3271c; font-weight: bold; }
.banner { padding: .7em 1em; margin: .8em 0; border-left: 6px solid; }
.warning { background: #fff3d6; border-color: #d99000; } .failed { background: #fde4e1; border-color: #c0392b; }
figure { margin: .6em 0 1.8em; } figure img { max-width: 100%; height: auto; }
figcaption, .quiet { color: #5b626b; font-size: .93em; }
summary { cursor: pointer; margin: .6em 0; }
.wide { overflow-x: auto; }
"""


class Number(str):
    """A number that is formatted already."""


def page(title: str, parts: Iterable[str]) -> str:
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style></head>\n<body>\n<h1>{escape(title)}</h1>\n"
            + "\n".join(parts) + "\n</body></html>\n")


def heading(level: int, text: str) -> str:
    return f"<h{level}>{escape(text)}</h{level}>"


def paragraph(text: str, look: str = "") -> str:
    return f'<p class="{look}">{escape(text)}</p>' if look else f"<p>{escape(text)}</p>"


def banner(look: str, text: str) -> str:
    return f'<div class="banner {look}" role="alert">{escape(text)}</div>'


def items(texts: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def folded(summary: str, part: str) -> str:
    return f"<details><summary>{escape(summary)}</summary>{part}</details>"


def table(head: Sequence[str], rows: Iterable[Sequence[object]], marked: Sequence[bool] = (), looks: str = "") -> str:
    """Columns of numbers are right-aligned. `marked` rows are highlighted. The words in column `looks` are CSS classes."""
    rows = list(rows)
    to_the_right = [any(_is_number(row[i]) for row in rows) for i in range(len(head))]
    lines = []
    for number, row in enumerate(rows):
        mark = ' class="differs"' if number < len(marked) and marked[number] else ""
        cells = (_cell("td", value, f"word {value}" if name == looks else "number" if right else "")
                 for value, name, right in zip(row, head, to_the_right))
        lines.append(f"<tr{mark}>{''.join(cells)}</tr>")
    top = "".join(_cell("th", name, "number" if right else "") for name, right in zip(head, to_the_right))
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, Number)) and not isinstance(value, bool)


def _cell(tag: str, value: object, look: str) -> str:
    look = f' class="{escape(look, quote=True)}"' if look else ""
    return f"<{tag}{look}>{escape(text_of(value))}</{tag}>"


def text_of(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def picture(name: str, caption: str, figure: Figure, level: int = 3) -> str:
    """Lines are vectors; points of samples are pixels."""
    drawn = io.BytesIO()
    with plt.rc_context({"svg.fonttype": "path", "svg.hashsalt": name}):
        figure.savefig(drawn, format="svg", facecolor="white", metadata={"Date": None})
    plt.close(figure)
    data = base64.b64encode(drawn.getvalue()).decode("ascii")
    return (f"{heading(level, name)}<figure><img alt=\"{escape(name, quote=True)}\" "
            f"src=\"data:image/svg+xml;base64,{data}\">"
            f"<figcaption>{escape(caption)}</figcaption></figure>")


def interval_text(interval: Optional[tuple[float, float]]) -> str:
    return f"{interval[0]:.3g} to {interval[1]:.3g}" if interval else ""
