# SPDX-License-Identifier: BSD-3-Clause
"""Checks the book without building it: links and anchors exist, every page is in the contents, and the headers are documented.
(Only `make docs-links` checks external links.)"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTENTS = ROOT / "docs/README.md"
NOT_OURS = {"build", "dist", "out", ".venv", ".git", "shared", "node_modules"}


def markdown_files():
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in NOT_OURS and not f.startswith("build")]
        yield from (Path(folder) / f for f in files if f.endswith(".md"))


def prose(page):
    text = re.sub(r"^(```|~~~).*?^\1", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^(    |\t).*$", "", text, flags=re.MULTILINE)


def anchors(page):
    """The anchors that forges (and MyST-Parser) make from a page's headings."""
    seen, result = Counter(), set(re.findall(r'<a (?:id|name)="([^"]+)"', page.read_text()))
    for heading in re.findall(r"^#{1,6} +(.*?)(?: #+)?$", prose(page), flags=re.MULTILINE):
        heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        result.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return result


def links(page):
    return re.findall(r"\]\(([^()\s]+)(?: +\"[^\"]*\")?\)", re.sub(r"`[^`\n]*`", "``", prose(page)))


def trouble(page, link):
    """The error in a link, or None."""
    if re.match(r"[a-z]+:", link):
        return None
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.is_file():
        return "a folder: name a file in it, which the book can hold" if target.is_dir() else "no such file"
    if ROOT not in target.parents:
        return "outside of the project"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return f"no such heading (there are: {', '.join(sorted(anchors(target)))})"
    return None


class Docs(unittest.TestCase):
    def test_links_lead_somewhere(self):
        pages = list(markdown_files())
        self.assertIn(ROOT / "README.md", pages)
        wrong = [f"{page.relative_to(ROOT)}: ({link}): {why}" for page in pages for link in links(page)
                 if (why := trouble(page, link))]
        self.assertFalse(wrong, "\n".join(wrong))

    def test_wrong_links_are_found(self):
        page = ROOT / "README.md"
        self.assertIsNone(trouble(page, "docs/flow.md#extracts-averages-and-cross-sections"))
        for link in ("docs/nothing.md", "docs", "docs/flow.md#nothing", "#nothing", "../elsewhere.md"):
            with self.subTest(link=link):
                self.assertIsNotNone(trouble(page, link))

    def test_every_page_is_in_the_contents(self):
        listed = {(CONTENTS.parent / link).resolve() for link in links(CONTENTS)} | {CONTENTS}
        pages = {page for page in markdown_files() if ROOT / "tests" not in page.parents}
        self.assertEqual([], sorted(str(page.relative_to(ROOT)) for page in pages - listed))

    def test_lines_are_at_most_120_columns(self):
        """Of prose: a row of a table is one line, and output and addresses are as they are."""
        for page in markdown_files():
            long = [line for line in prose(page).splitlines()
                    if len(line) > 120 and not line.lstrip().startswith("|") and "](http" not in line and "![" not in line]
            self.assertFalse(long, page.relative_to(ROOT))

    def test_the_book_stays_short(self):
        """At most 60 thousand words: four hours. (measured.md is written by a program.)"""
        words = {page: len(page.read_text().replace("|", " ").split()) for page in markdown_files() if page.name != "measured.md"}
        self.assertLess(sum(words.values()), 60000, sorted(words.items(), key=lambda item: -item[1])[:5])

    def test_no_merge_is_half_done(self):
        for page in markdown_files():
            self.assertNotRegex(page.read_text(), r"(?m)^(<<<<<<<|=======$|>>>>>>>)", page.relative_to(ROOT))

    @unittest.skipUnless(shutil.which("doxygen"), "doxygen is not installed (tools/setup docs)")
    def test_what_headers_declare_is_described(self):
        with tempfile.TemporaryDirectory() as folder:
            settings = (ROOT / "docs/Doxyfile").read_text() + f"OUTPUT_DIRECTORY={folder}\nGENERATE_TAGFILE=\n"
            run = subprocess.run(["doxygen", "-"], cwd=ROOT, input=settings, text=True, capture_output=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
