# SPDX-License-Identifier: BSD-3-Clause
"""How the Python programs write files."""
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from weft.errors import InputError  # noqa: E402
from weft.files import check_place, write_whole  # noqa: E402


class Files(unittest.TestCase):
    def test_permissions_stay(self):
        mask = os.umask(0o022)
        self.addCleanup(os.umask, mask)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.html"
            write_whole(path, "first")
            self.assertEqual(path.stat().st_mode & 0o777, 0o644)
            path.chmod(0o600)
            write_whole(path, "second")
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            self.assertEqual(path.read_text(encoding="utf-8"), "second")
            self.assertEqual(os.listdir(folder), ["report.html"])

    def test_a_link_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            place, link = Path(folder) / "there/report.html", Path(folder) / "report.html"
            place.parent.mkdir()
            link.symlink_to("there/report.html")
            write_whole(link, "text")
            self.assertTrue(link.is_symlink())
            self.assertEqual(place.read_text(encoding="utf-8"), "text")

    def test_only_plain_files_are_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pipe"
            os.mkfifo(path)
            for wrong, why in ((path, "no plain file"), (Path("/dev/null"), "no plain file"), (Path(folder), "This is a directory"),
                               (path / "x", "no directory")):
                with self.assertRaisesRegex(InputError, f"{wrong}: .*{why}"):
                    check_place(wrong)


if __name__ == "__main__":
    unittest.main()
