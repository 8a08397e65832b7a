# SPDX-License-Identifier: BSD-3-Clause
"""Files of the Python programs keep the permissions of what they replace."""
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from weft.files import write_whole  # noqa: E402


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


if __name__ == "__main__":
    unittest.main()
