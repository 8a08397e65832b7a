# SPDX-License-Identifier: BSD-3-Clause
"""The book (make docs): the project's Markdown as it is read on a forge, in the order of docs/README.md.

Sphinx and MyST-Parser need a table of contents as a directive, and links into the sources as pages. Both are made here, so
that no page holds anything that only the book understands.
"""
import os
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))
CONTENTS = ROOT / "docs/README.md"
TAGS = ROOT / "build/docs/reference.tag"  # Doxygen's: which page is which header's

project = "weft"
author = copyright = "The weft developers"
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md", "examples/**.md", "python/*.md", "core/*.md", "frame/*.md", "flow/*.md", "programs/*.md", "profile/*.md", "bench/**.md"]
exclude_patterns = ["build", "out", ".venv", "**/tests", "tools", "flow/web", "cmake"]

myst_heading_anchors = 4  # anchors as forges make them
myst_enable_extensions = ["dollarmath"]
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = "weft"
html_copy_source = False
html_show_sphinx = False
linkcheck_ignore = [r"http://(localhost|127\.0\.0\.1)", r"(\.\./)*reference/"]  # the last: Doxygen makes them here


def sections():
    """Title and pages (paths from the root, no suffix) of each section of docs/README.md."""
    for section in re.split(r"^## ", CONTENTS.read_text(), flags=re.MULTILINE)[1:]:
        title, text = section.split("\n", 1)
        links = re.findall(r"\]\(([^()]*?)\.md\)", text)
        yield title, [os.path.relpath(CONTENTS.parent / link, ROOT) for link in links]


def add_contents(app, page, source):
    if page != root_doc:
        return
    for title, pages in sections():
        if root_doc in pages:
            pages.insert(1, os.path.relpath(CONTENTS.with_suffix(""), ROOT))
        listed = "\n".join("self" if p == root_doc else f"/{p}" for p in pages)
        source[0] += f"\n```{{toctree}}\n:hidden:\n:maxdepth: 2\n:caption: {title}\n\n{listed}\n```\n"


def measured(app, page, source):
    """The page of measurements with today's marks of figures that are older than the code."""
    if page == "docs/results/measured":
        sys.path.insert(0, str(ROOT / "bench/measure"))
        from page import text
        source[0] = text()


def pictures(app, page, source):
    """A picture for light and dark pages, which is HTML, as an image that Sphinx copies."""
    source[0] = re.sub(r"<picture>.*?<img alt=\"(.*?)\" src=\"(.*?)\">\s*</picture>", r"![\1](\2)", source[0], flags=re.DOTALL)


def header_pages():
    files = xml.parse(TAGS).iterfind("compound[@kind='file']")
    pages = {"core/include/" + f.findtext("path") + f.findtext("name"): f.findtext("filename") for f in files}
    return pages | {"docs/reference.dox": "index.html"}


def link_sources(app, doctree):
    """A link to a header leads to its page in the reference, one to reference.dox to the first."""
    here = app.env.docname
    up = "../" * here.count("/")
    for link in list(doctree.findall(addnodes.download_reference)):
        target = os.path.normpath(os.path.join(os.path.dirname(here), link["reftarget"].split("#")[0])).lstrip("/")
        if target in app.config.weft_header_pages:
            page = f"{up}reference/{app.config.weft_header_pages[target]}"
            link.replace_self(nodes.reference("", "", *link.children, refuri=page))


def first_page(app, error):
    if not error and app.builder.name == "html":
        to = f'<meta http-equiv="refresh" content="0; url={root_doc}.html"><a href="{root_doc}.html">weft</a>'
        (Path(app.outdir) / "index.html").write_text(f"<!doctype html><title>weft</title>{to}\n")


def setup(app):
    app.add_config_value("weft_header_pages", header_pages() if TAGS.exists() else {}, "env")
    app.connect("source-read", add_contents)
    app.connect("source-read", measured)
    app.connect("source-read", pictures)
    app.connect("doctree-read", link_sources, priority=100)
    app.connect("build-finished", first_page)
