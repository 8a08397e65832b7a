# SPDX-License-Identifier: BSD-3-Clause
"""The page of weft history in Debian's chromium, from 1 to 10,000 runs, light and dark."""
import json
import os
import random
import shutil
import subprocess
import unittest
from datetime import datetime, timedelta
from pathlib import Path

from command import Folder

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("WEFT_BUILD", ROOT / "build" / "release")) / "weft-history"
CHROMIUM = shutil.which("chromium")
PATIENCE = 120_000  # milliseconds, on a busy machine


def write_runs(folder, count):
    """Runs on two machines, and of another branch. The overlap of the halo is lost in the middle."""
    folder.mkdir()
    chance, time = random.Random(1), datetime(2020, 1, 1)
    spans = [{"kind": "call", "from": 0.002, "to": 0.004, "lane": 0, "call": "MPI_Wait"}]
    for i in range(count):
        time += timedelta(hours=1, seconds=i % 7)
        commit = f"{chance.getrandbits(160):040x}"
        overlap = (0.6 if i < count / 2 else 0.2) + chance.uniform(-0.02, 0.02)
        run = {"format": 1, "time": f"{time:%Y-%m-%dT%H:%M:%S}.000Z", "commit": commit, "branch": "feature" if i % 6 == 5 else "main",
               "machine": {"processor": "Xeon" if i % 3 else "EPYC", "cores": 4, "nodes": 1, "ranks": 2, "library": "Open MPI v4.1.4"},
               "command": ["mpirun", "-n", "2", "./" + "long_name_" * 9], "program": "/x/solver", "runs": 3,
               "regions": [{"name": name, "seconds": 0.01, "overlap_fraction": overlap, "interval": [overlap - 0.03, overlap + 0.03]}
                           for name in ("whole program", "step/<halo>")],
               "picture": {"seconds": 0.01, "ranks": [{"rank": rank, "spans": spans} for rank in range(4)]}}
        (folder / f"{time:%Y%m%dT%H%M%S}Z-{commit[:8]}.json").write_text(json.dumps(run))


# The smallest contrast of a text with its ground; both are opaque.
CONTRAST = """() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map(x => x / 255).map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = light(getComputedStyle(document.querySelector('main')).backgroundColor);
  return Math.min(...[...document.querySelectorAll('h1,h2,h3,p,a,td,th,svg.trend text')].map(e => {
    const style = getComputedStyle(e), own = light(e.tagName == 'text' ? style.fill : style.color);
    return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05); }));
}"""


@unittest.skipIf(sync_playwright is None or CHROMIUM is None, "playwright or chromium is not installed")
@unittest.skipUnless(PROGRAM.exists(), "weft-history is not built (make build)")
class HistoryPage(Folder):
    def setUp(self):
        super().setUp()
        playwright = sync_playwright().start()
        self.addCleanup(playwright.stop)
        self.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [], timeout=PATIENCE)
        self.addCleanup(self.browser.close)

    def opened(self, count, **settings):
        if not (self.folder / f"page{count}").exists():
            write_runs(self.folder / f"runs{count}", count)
            subprocess.run([PROGRAM, self.folder / f"runs{count}", "-o", self.folder / f"page{count}"], check=True, capture_output=True, timeout=60)
        page = self.browser.new_page(**settings)
        page.set_default_timeout(PATIENCE)
        self.trouble = []
        page.on("console", lambda message: self.trouble.append(message.text))
        page.on("request", lambda request: self.trouble.append(request.url) if not request.url.startswith("file:") else None)
        page.goto((self.folder / f"page{count}/index.html").as_uri())
        return page

    def test_any_number_of_runs_light_and_dark_wide_and_narrow(self):
        for count in (1, 2, 30, 10_000):
            for scheme, width in (("light", 1200), ("dark", 360)):
                with self.subTest(count=count, scheme=scheme):
                    page = self.opened(count, color_scheme=scheme, viewport={"width": width, "height": 800})
                    self.assertEqual(self.trouble, [])
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                    self.assertGreaterEqual(page.evaluate(CONTRAST), 4.5)
                    self.assertEqual(page.locator("svg.trend").count(), 2 if count == 1 else 4)
                    self.assertEqual(page.locator("[id^=change-]").count() > 0, count > 2)
                    dark = page.evaluate("getComputedStyle(document.querySelector('main')).backgroundColor") == "rgb(19, 25, 32)"
                    self.assertEqual(dark, scheme == "dark")
                    page.close()
            self.assertLess((self.folder / f"page{count}/index.html").stat().st_size, 2_000_000)

    def test_keys_and_names(self):
        page = self.opened(30)
        names = [chart.get_attribute("aria-label") for chart in page.locator("svg.trend").all()]
        self.assertRegex(names[0], r"^Overlap fraction of whole program over 20 runs: 6\d % \(.*\) at first, [12]\d % \(.*\) at last, 1 change\.$")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        self.assertTrue(page.url.endswith("#change-1"), page.url)
        self.assertEqual(page.evaluate("document.activeElement.id"), "change-1")
        self.assertEqual(page.locator("[id=change-1] ~ div.pair").first.locator("h4").count(), 2)
        self.assertEqual([page.locator(f"h{level}").count() > 0 for level in (1, 2, 3, 4)], [True] * 4)
        self.assertEqual(page.locator("table.runs tbody tr").count(), 30)


if __name__ == "__main__":
    unittest.main()
