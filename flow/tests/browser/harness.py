# SPDX-License-Identifier: BSD-3-Clause
"""A program that serves the viewer, and its page in Debian's chromium, which playwright controls.

    class MyTest(ViewTest):
        command = [program("weft"), "flow", "case.toml", "--view=0"]

Each test has its own process and page. The program's output is in self.viewer.lines.
"""
import atexit
import functools
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

try:
    from playwright.sync_api import Error as PageError, sync_playwright
except ImportError:
    PageError = sync_playwright = None

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("WEFT_BUILD", ROOT / "build" / "release"))
CHROMIUM = shutil.which("chromium")
PATIENCE = 90  # seconds, on a busy machine


def program(name: str) -> str:
    """The path of a program of the build, for example view_fake_server or weft."""
    return str(BUILD / name)


def why_not(executable: str) -> str:
    """The reason why the page can't be tested here; empty if it can."""
    if sync_playwright is None:
        return "playwright is not installed (tools/setup-python installs it)"
    if CHROMIUM is None:
        return "chromium is not installed (tools/setup installs it)"
    if shutil.which(executable) is None:
        return f"{executable} is not built (make build)"
    return ""


@functools.cache
def the_browser():
    """One browser for all tests, since it takes long to start."""
    playwright = sync_playwright().start()
    atexit.register(playwright.stop)
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=root, timeout=1000 * PATIENCE)
    atexit.register(browser.close)
    return browser


class Viewer:
    """A process that prints the viewer's address."""

    def __init__(self, command: list, **options):
        self.lines = []
        self.changed = threading.Condition()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)
        threading.Thread(target=self._read, daemon=True).start()
        self.url = self.wait(r"view: (http://\S+)").group(1)

    def _read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(line.rstrip("\n"))
                self.changed.notify_all()
        with self.changed:
            self.lines.append("(ended)")
            self.changed.notify_all()

    def wait(self, pattern: str, after: int = 0):
        """The first line, from number `after` on, that matches."""
        end = time.monotonic() + PATIENCE
        with self.changed:
            while True:
                for line in self.lines[after:]:
                    found = re.search(pattern, line)
                    if found:
                        return found
                if "(ended)" in self.lines or not self.changed.wait(max(0, end - time.monotonic())):
                    raise AssertionError(f"no line matches {pattern}; the last ones: {self.lines[-5:]}")

    @property
    def port(self) -> str:
        return re.search(r":(\d+)/", self.url).group(1)

    def stop(self):
        self.process.terminate()  # mpirun passes the signal on to all ranks
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()


class ViewTest(unittest.TestCase):
    command = []
    executables = None  # programs that must exist; by default the command's
    scheme, size = "light", (1360, 860)

    @classmethod
    def setUpClass(cls):
        for executable in cls.executables or cls.command[:1]:
            reason = why_not(executable)
            if reason:
                raise unittest.SkipTest(reason)
        cls.browser = the_browser()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.prepare()
        self.viewer = self.start()
        self.page = self.open(self.viewer.url)

    def prepare(self):
        """Called before the program is started."""

    def start(self, *more, **options) -> Viewer:
        viewer = Viewer([*self.command, *more], **options)
        self.addCleanup(viewer.stop)
        return viewer

    def open(self, url: str):
        width, height = self.size
        context = self.browser.new_context(viewport={"width": width, "height": height}, color_scheme=self.scheme)
        self.addCleanup(context.close)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        self.problems = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self.problems.append(message.text)
                if "Content Security Policy" in message.text else None)
        page.goto(url, timeout=1000 * PATIENCE)
        return page

    @staticmethod
    def is_true(script: str, argument, page) -> bool:
        try:
            return bool(page.evaluate(script, argument))
        except PageError as error:
            if "Execution context was destroyed" in str(error):  # another page is loading
                return False
            raise

    def wait_until(self, script: str, argument=None, page=None):
        """Waits until the function is true in the page. (playwright's wait_for_function needs eval, which the page forbids.)"""
        page = page or self.page
        end = time.monotonic() + PATIENCE
        while not self.is_true(script, argument, page):
            if time.monotonic() > end:
                raise AssertionError(f"never true: {script} of {argument}")
            page.wait_for_timeout(20)

    def wait_for_picture(self, page=None, after: int = 0) -> int:
        """The number of the shown picture, when it is larger than `after`."""
        page = page or self.page
        self.wait_until("n => Number(document.querySelector('#picture').dataset.count ?? 0) > n", after, page)
        return int(page.locator("#picture").get_attribute("data-count"))

    def expect_text(self, selector: str, pattern: str, page=None):
        self.wait_until("([s, p]) => new RegExp(p).test(document.querySelector(s)?.textContent ?? '')",
                        [selector, pattern], page)
