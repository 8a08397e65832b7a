# SPDX-License-Identifier: BSD-3-Clause
"""A run of weft flow --view and its page, on two ranks (or on one): a bent tube of about 10,000 sites."""
import csv
import json
import os
import re
import shutil
import subprocess
import time

import tube
from harness import PATIENCE, ViewTest, program
from raw_client import RawClient

try:
    import h5py
except ImportError:
    h5py = None

MPIRUN = os.environ.get("MPIRUN") or shutil.which("mpirun.openmpi") or "mpirun"
LONG = 240  # seconds, for a whole run on a busy machine
ENVIRONMENT = os.environ | {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
if os.geteuid() == 0:
    ENVIRONMENT |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def flow(ranks: int, *arguments) -> list:
    return [MPIRUN, "-n", str(ranks), program("weft"), "flow", *map(str, arguments)]


class FlowTest(ViewTest):
    executables = [program("weft"), MPIRUN]
    ranks, options = 2, ["--view-open"]

    def prepare(self):
        self.case = tube.write_case(self.folder)
        self.out = self.folder / "out"
        self.command = flow(self.ranks, self.case, "--out", self.out, "--view", *self.options)

    def start(self, *more, **options):
        return super().start(*more, env=ENVIRONMENT, stderr=subprocess.STDOUT, **options)

    def finish(self, *arguments, ranks=2):
        """Runs weft flow to its end."""
        done = subprocess.run(flow(ranks, *arguments), env=ENVIRONMENT, text=True, timeout=LONG,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def wait_for_end(self):
        self.assertEqual(self.viewer.process.wait(LONG), 0, self.viewer.lines)

    def client(self, **options) -> RawClient:
        client = RawClient(int(self.viewer.port), **options)
        self.addCleanup(client.socket.close)
        return client

    def watcher(self) -> RawClient:
        client = self.client()
        self.assertEqual(client.watch(), 101)
        return client

    # The page.

    def button(self, name: str):
        return self.page.get_by_role("button", name=name, exact=True)

    def number(self, selector: str) -> float:
        return float(re.sub(r"[^0-9.−-]", "", self.page.locator(selector).inner_text()).replace("−", "-"))

    def pause(self) -> int:
        """The step at which the run is paused."""
        self.button("Pause").click()
        self.expect_text("#connection", "^paused$")
        return int(self.number("#step"))

    def flow_rate(self) -> float:
        """The flow at the inlet, ml/s, as shown in the page."""
        said = self.page.get_by_role("img", name="Flow rates").get_attribute("aria-label")
        found = re.search(r"in ([0-9.]+)(?:×10(\S+))?,", said)
        if found is None:
            return 0
        power = (found[2] or "0").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        return float(found[1]) * 10 ** int(power)

    def wait_for_flow_rate(self, wanted) -> float:
        end = time.monotonic() + LONG
        while not wanted(self.flow_rate()):
            self.assertLess(time.monotonic(), end, f"the flow rate stays at {self.flow_rate()} ml/s")
            self.page.wait_for_timeout(50)
        return self.flow_rate()

    def steady_flow_rate(self) -> float:
        """The flow when it no longer rises."""
        last = [0.0]

        def steady(rate):
            last.append(rate)
            return len(last) > 20 and rate > 0 and abs(rate - last[-15]) < 0.01 * rate
        return self.wait_for_flow_rate(steady)

    def apply(self, name: str, value, ramp):
        form = self.page.locator("form", has=self.button(f"Apply to {name}"))
        form.locator("input").nth(0).fill(str(value))
        form.locator("input").nth(1).fill(str(ramp))
        self.button(f"Apply to {name}").click()
        return form

    def pixels(self) -> dict:
        """A hash of the picture in the page, and numbers of its pixels: those that differ from the corner's, bright ones, all."""
        return self.page.evaluate("""() => {
            const canvas = document.querySelector("#picture");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            let hash = canvas.width, filled = 0, bright = 0;
            for (let i = 0; i < data.length; i += 4) {
                hash = (Math.imul(hash, 31) + (data[i] << 16 | data[i + 1] << 8 | data[i + 2])) | 0;
                const far = Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]);
                filled += far > 60;
                bright += data[i] + data[i + 1] + data[i + 2] > 30;
            }
            return { hash, filled, bright, pixels: data.length / 4 };
        }""")

    def wait_for_pixels(self, wanted, why: str) -> dict:
        end = time.monotonic() + PATIENCE
        while not wanted(now := self.pixels()):
            self.assertLess(time.monotonic(), end, f"{why}: {now}")
            self.page.wait_for_timeout(50)
        return now

    def wait_for_full_size(self):
        self.wait_until("""() => {
            const box = document.querySelector("#view").getBoundingClientRect();
            return Math.abs(document.querySelector("#picture").width - 0.7 * box.width) < 3;
        }""")

    def rows(self, folder=None) -> list:
        with open((folder or self.out) / "monitors.csv", newline="") as file:
            return list(csv.DictReader(file))

    def commands(self) -> list:
        lines = (self.out / "steering.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines[1:]]

    def assert_same_fields(self, a, b):
        """Checks that the fields are bitwise identical, for any distribution of the cells over the ranks."""
        if h5py is None:
            self.skipTest("h5py is not installed (tools/setup-python installs it)")
        for (name, first), (_, second) in zip(fields(a).items(), fields(b).items()):
            self.assertTrue(first.tobytes() == second.tobytes(), f"{a.name}: {name} is another one in {b}")


def fields(path) -> dict:
    """The values of each cell, sorted by position."""
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        cells, ids, points = (root[f"NumberOf{what}"][()] for what in ("Cells", "ConnectivityIds", "Points"))
        starts = [n for piece in range(len(cells)) for n in [points[:piece].sum()] * cells[piece]]
        corners = root["Points"][()][root["Connectivity"][()][::8] + starts]
        assert (ids == 8 * cells).all()
        order = sorted(range(len(corners)), key=lambda cell: tuple(corners[cell]))
        return {"places": corners[order], **{name: root[f"CellData/{name}"][()][order] for name in ("pressure", "velocity")}}
