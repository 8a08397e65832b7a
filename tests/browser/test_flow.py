# SPDX-License-Identifier: BSD-3-Clause
"""The page and a real run: weft flow --view on two ranks (and on one), a bent tube of about 10,000 sites."""
import contextlib
import csv
import json
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import tube
from harness import PATIENCE, ViewTest, program, why_not
from raw_client import BINARY, RawClient

try:
    import h5py
except ImportError:
    h5py = None

MPIRUN = os.environ.get("MPIRUN") or shutil.which("mpirun.openmpi") or "mpirun"
LONG = 240  # seconds, for a run to its end on a machine that does other things too
ENVIRONMENT = os.environ | {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
if os.geteuid() == 0:
    ENVIRONMENT |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def flow(ranks: int, *arguments) -> list:
    return [MPIRUN, "-n", str(ranks), program("weft"), "flow", *map(str, arguments)]


def port_that_is_free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class FlowTest(ViewTest):
    executables = [program("weft"), MPIRUN]
    ranks, options = 2, []

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
        """The step at which it stands."""
        self.button("Pause").click()
        self.expect_text("#connection", "^paused$")
        return int(self.number("#step"))

    def flow_rate(self) -> float:
        """Into the vessel at the inlet, ml/s, as the page tells it."""
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
        """Once it no longer rises."""
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
        """Of the picture that is shown: a number that stands for it, and how many of its pixels differ from its corner's."""
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
        """Bit for bit, whichever ranks had the cells."""
        if h5py is None:
            self.skipTest("h5py is not installed (tools/setup-python installs it)")
        for (name, first), (_, second) in zip(fields(a).items(), fields(b).items()):
            self.assertTrue(first.tobytes() == second.tobytes(), f"{a.name}: {name} is another one in {b}")


def fields(path) -> dict:
    """Of each cell, sorted by place."""
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        cells, ids, points = (root[f"NumberOf{what}"][()] for what in ("Cells", "ConnectivityIds", "Points"))
        starts = [n for piece in range(len(cells)) for n in [points[:piece].sum()] * cells[piece]]
        corners = root["Points"][()][root["Connectivity"][()][::8] + starts]
        assert (ids == 8 * cells).all()
        order = sorted(range(len(corners)), key=lambda cell: tuple(corners[cell]))
        return {"places": corners[order], **{name: root[f"CellData/{name}"][()][order] for name in ("pressure", "velocity")}}


class Shows(FlowTest):
    def test_the_run(self):
        self.wait_for_picture()
        self.expect_text("#title", "^Bent tube$")
        self.expect_text("#subtitle", r"^\d{1,2},\d{3} sites on 2 ranks$")
        self.expect_text("#of", "^of 10,000,000$")
        self.expect_text("#connection", "^running$")
        before = self.number("#step")
        self.wait_until("n => Number(document.querySelector('#step').textContent.replaceAll(',', '')) > n", before)
        self.expect_text("#mlups", r"^[0-9.]*[1-9][0-9.]* MLUPS$")
        self.expect_text("#left", r"\d+( h|:)")
        self.expect_text("#hidden-share", r"^\d+ %$")
        self.expect_text("#legend-name", r"^speed \(m/s\)$")
        self.expect_text("#legend-high", r"^0\.00\d+$|×10")
        self.assertEqual(self.page.locator("#curves figcaption").count(), 4)
        self.wait_for_flow_rate(lambda rate: rate > 0)
        self.expect_text("#curves figure:nth-child(4) li", r"in 0\.\d+|in 1")
        self.wait_for_full_size()
        self.wait_for_picture(after=self.wait_for_picture())
        seen = self.wait_for_pixels(lambda now: now["filled"] > 0.02 * now["pixels"], "no vessel")
        self.assertLess(seen["filled"], 0.9 * seen["pixels"])
        self.assertEqual(self.problems, [])

        # Paused: it stands, and all that changes in the picture is the view.
        self.steady_flow_rate()
        at = self.pause()
        self.wait_until("n => Number(document.querySelector('#picture').dataset.step) > n", at - 100)
        self.page.wait_for_timeout(500)
        still = self.pixels()
        self.views(still)
        self.assertEqual(self.number("#step"), at)
        self.assertEqual(self.problems, [])

    def views(self, still: dict):
        box = self.page.locator("#view").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

        def changed(why):
            return self.wait_for_pixels(lambda now: now["hash"] != still["hash"] and now["filled"] > 100, why)

        def back():
            self.button("Whole vessel").click()
            self.wait_for_pixels(lambda now: now["hash"] == still["hash"], "the view is not what it was")

        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + 150, y + 40, steps=3)
        self.page.mouse.up()
        changed("dragging changes nothing")
        back()
        self.page.locator("#view").focus()
        self.page.keyboard.press("ArrowLeft")
        changed("a key turns nothing")
        back()
        self.page.mouse.move(x, y)  # from the button
        self.page.mouse.wheel(0, -400)
        larger = changed("the wheel changes nothing")
        self.wait_for_pixels(lambda now: now["filled"] > 1.2 * still["filled"], f"no zoom: {larger}")
        back()

        def look(change, undo, why):
            change()
            changed(why)
            undo()
            self.wait_for_pixels(lambda now: now["hash"] == still["hash"], f"{why}, and back")

        def radio(name, value):
            return lambda: self.page.locator(f"input[name={name}][value={value}]").check(force=True)

        field, lines, opacity = (self.page.get_by_label(name) for name in ("Field", "Streamlines", "Opacity"))
        look(lambda: field.select_option("pressure"), lambda: field.select_option("speed"), "pressure is as speed")
        look(lambda: field.select_option("wall_shear_stress"), lambda: field.select_option("speed"), "stress is as speed")
        look(radio("wall", "solid"), radio("wall", "glass"), "a solid wall is as glass")
        look(radio("wall", "off"), radio("wall", "glass"), "no wall is as glass")
        look(radio("plane", "y"), radio("plane", "off"), "the plane is not seen")
        look(radio("map", "diverging"), radio("map", "viridis"), "colours stay")
        look(lines.check, lines.uncheck, "streamlines are not seen")
        look(lambda: opacity.fill("0.9"), lambda: opacity.fill("0.5"), "the opacity changes nothing")


class Steers(FlowTest):
    def test_and_does_it_again(self):
        before = self.steady_flow_rate()

        # Refused by the page, then by the run.
        form = self.apply("in", "50", "0.2")
        self.expect_text("#steering form .hint", r"^Allowed: −?[0-9.]+ to [0-9.]+ Pa$")
        form.locator("input").nth(0).fill("2")
        with self.watcher() as watcher:
            watcher.do("opening", name="in", value=50, ramp=0.2)
            self.assertIn("allowed", watcher.next("refused")["text"])
            watcher.do("opening", name="nowhere", value=1)
            self.assertIn("there is no opening", watcher.next("refused")["text"])
            watcher.do("viscosity", value=-1)
            self.assertIn("viscosity", watcher.next("refused")["text"])
        self.page.evaluate("""() => {
            const input = document.querySelector("#steering form input");
            input.max = "1e9";  // so that the page sends it
            input.value = "1e6";
            document.querySelector("#steering form").requestSubmit();
        }""")
        self.expect_text("#log", r"refused: opening 'in' can't be set to (1e\+06|1000000) Pa")
        self.assertEqual(self.commands(), [])

        # What is within the limits is done, and seen.
        self.apply("in", "2", "0.2")
        self.expect_text("#steering form .now", "^2 Pa$")
        self.wait_for_flow_rate(lambda rate: rate > 1.5 * before)
        self.apply("viscosity", "0.006", "0.2")
        self.expect_text("#log", "viscosity")
        self.wait_until("() => /^0.006 Pa s$/.test([...document.querySelectorAll('#steering .now')].at(-1).textContent)")
        self.assertEqual([(c["do"], c["value"]) for c in self.commands()], [("opening", 2), ("viscosity", 0.006)])

        # One step more, no more.
        at = self.pause()
        self.page.wait_for_timeout(300)
        self.assertEqual(self.number("#step"), at)
        self.button("One step").click()
        self.expect_text("#step", f"^{at + 1:,}$")
        self.page.wait_for_timeout(300)
        self.assertEqual(self.number("#step"), at + 1)
        self.button("Resume").click()
        self.expect_text("#connection", "^running$")
        self.wait_until("n => Number(document.querySelector('#step').textContent.replaceAll(',', '')) > n", at + 20)

        # Files, when they are asked for.
        self.assertEqual(list(self.out.glob("fields_*.vtkhdf")) + list(self.out.glob("checkpoint_*")), [])
        self.button("Output now").click()
        self.expect_text("#log", "fields")
        self.button("Checkpoint now").click()
        self.expect_text("#log", r"checkpoint_\d+\.weft")
        self.assertEqual(len(list(self.out.glob("fields_*.vtkhdf"))), 1)
        self.assertEqual(len(list(self.out.glob("checkpoint_*.weft"))), 1)

        self.button("Stop with checkpoint…").click()
        self.button("Checkpoint and stop").click()
        self.expect_text("#banner", "The run has ended")
        self.assertTrue(self.page.locator("#pause").is_disabled())
        self.wait_for_end()
        self.assertEqual([c["do"] for c in self.commands()], ["opening", "viscosity", "output", "checkpoint", "stop"])
        steps = self.commands()[-1]["step"] + 1
        self.assertEqual(len(list(self.out.glob(f"checkpoint_*{steps}.weft"))), 1)
        self.assertEqual(self.problems, [])

        # The log, without a browser, does the same; on another number of ranks the fields are the same too.
        for ranks in (2, 1):
            again = self.folder / f"again{ranks}"
            self.finish(self.case, "--out", again, "--replay", self.out / "steering.jsonl", ranks=ranks)
            if ranks == 2:
                self.assertEqual((again / "monitors.csv").read_bytes(), (self.out / "monitors.csv").read_bytes())
            files = sorted(path.name for path in self.out.glob("fields_*.vtkhdf"))
            self.assertEqual(sorted(path.name for path in again.glob("fields_*.vtkhdf")), files)
            for name in files:
                self.assert_same_fields(self.out / name, again / name)

        # It goes on from where it stopped.
        told = self.finish(self.case, "--out", self.out, "--restart", "--steps", steps + 100)
        self.assertIn("100 steps of ", told)
        self.assertGreater(int(self.rows()[-1]["step"]), steps)


class IsNotDisturbed(FlowTest):
    """By whatever is sent to it: the monitors' rows are, bit for bit, those of a run that nobody watches."""

    def test_by_hostile_messages(self):
        self.wait_for_picture()
        lazy = self.watcher()  # reads nothing at all
        good = self.watcher()
        scene = good.next("state")["scene"]
        self.pause()  # a quick run would be millions of steps long, and is to be run again
        self.say_nonsense()
        self.connect_and_go()
        self.knock()
        self.button("Resume").click()
        self.assertEqual(good.next("state", lambda state: state["step"] > 0)["type"], "state")
        self.wait_for_picture(after=self.wait_for_picture())
        lazy.socket.close()

        # Nothing has happened, and the page still works.
        self.expect_text("#connection", "^running$")
        state = json.loads(self.page.evaluate("() => fetch('status').then((answer) => answer.text())"))
        self.assertEqual(state["most_watchers"], 16)
        with self.watcher() as watcher:
            self.assertEqual([opening["value"] for opening in watcher.next("hello")["openings"]], [1, 0])
            latest = watcher.next("state")
            self.assertEqual({**latest["scene"], "width": 0, "height": 0}, {**scene, "width": 0, "height": 0})
            self.assertFalse(latest["paused"])
            watcher.do("stop")
            self.wait_for_end()
        self.assertEqual([c["do"] for c in self.commands()], ["stop"])
        steps = self.commands()[0]["step"] + 1
        names = {path.name.split("_")[0] for path in self.out.iterdir()}
        self.assertEqual(names, {"checkpoint", "fields", "fields.vtkhdf.series", "monitors.csv", "monitors.json",
                                 "steering.jsonl"})
        self.assertEqual(self.problems, [])

        alone = self.folder / "alone"
        self.finish(self.case, "--out", alone, "--steps", steps)
        self.assertEqual((alone / "monitors.csv").read_bytes(), (self.out / "monitors.csv").read_bytes())
        name = f"fields_{steps - 1:08}.vtkhdf"
        self.assert_same_fields(self.out / name, alone / name)

    def say_nonsense(self):
        luck = random.Random(5)
        good = ['{"do":"opening","name":"in","value":0.5,"ramp":0.3}', '{"do":"viscosity","value":0.005,"ramp":0.3}',
                '{"do":"scene","scene":{"quantity":"pressure","camera":{"zoom":2,"pan":[0,0]}}}', '{"do":"pause"}']
        bad = ["", "{", "null", "[]", "7", '"pause"', "{}", '{"do":7}', '{"do":"none"}', '{"do":"explode"}',
               '{"do":["pause"]}', '{"do":"pause","why":1}', '{"do":"PAUSE"}', '{"do":"pause"}{"do":"pause"}',
               '{"do":"opening"}', '{"do":"opening","name":"in"}', '{"do":"opening","name":"in","value":"1"}',
               '{"do":"opening","name":"in","value":1e999}', '{"do":"opening","name":"in","value":null}',
               '{"do":"opening","name":"in","value":1,"ramp":-1}', '{"do":"opening","name":"in","value":1,"ramp":1e300}',
               '{"do":"opening","name":"in","value":NaN}', '{"do":"opening","name":["in"],"value":1}',
               '{"do":"opening","name":"' + "n" * 3000 + '","value":1}', '{"do":"viscosity","value":0}',
               '{"do":"scene"}', '{"do":"scene","scene":[]}', '{"do":"scene","scene":{"width":1000000}}',
               '{"do":"scene","scene":{"width":-5}}', '{"do":"scene","scene":{"width":500.5}}',
               '{"do":"scene","scene":{"camera":{"zoom":0}}}', '{"do":"scene","scene":{"camera":{"pan":[1]}}}',
               '{"do":"scene","scene":{"camera":{"azimuth":1e300}}}', '{"do":"scene","scene":{"plane_normal":[0,0,0]}}',
               '{"do":"scene","scene":{"low":1,"high":0}}', '{"do":"scene","scene":{"quantity":"\\u0000"}}',
               '{"do":"scene","scene":{"nonsense":1}}', '{"do":"pause"}\u0000', "[" * 2000, '{"do":' * 1000,
               '{"do":"scene","scene":' + '{"camera":' * 500 + "1" + "}" * 501, "\U0001f4a3" * 1000, " " * 60000,
               '{"do":"pause","x":"' + "y" * 60000 + '"}']
        for _ in range(150):
            text = luck.choice(good)
            cut = text[:luck.randrange(len(text))]
            junk = "".join(chr(luck.choice((luck.randrange(32), luck.randrange(128), luck.randrange(0x250))))
                           for _ in range(luck.randrange(1, 8)))
            bad.append(cut + luck.choice(("", junk)))  # no prefix of a command is one, and junk closes no bracket:
            if bad[-1].count("}") >= bad[-1].count("{"):
                bad.pop()
        client = self.watcher()
        for text in bad:
            self.assertTrue(client.send(text), text[:99])
            self.assertIsNotNone(client.next("refused"), f"not refused: {text[:99]!r}")
            time.sleep(0.006)  # not so many a second that they are dropped unread
        client.send(luck.randbytes(1000), BINARY)
        self.assertIn("not text", client.next("refused")["text"])
        client.socket.close()
        # What is no WebSocket message at all ends that connection, and no other.
        for frame in (b"\xff\xff" + luck.randbytes(64),  # reserved bits
                      b"\x81\x05hello",  # without a mask
                      b"\x81\xff" + struct.pack(">Q", 1 << 62) + luck.randbytes(64),  # huge
                      b"\x81\xff" + struct.pack(">Q", (1 << 64) - 1) + luck.randbytes(64),
                      b"\x81\x82\0\0\0\0\xff\xfe",  # not UTF-8
                      b"\x89\xfe\x01\x00" + luck.randbytes(260),  # a long ping
                      b"\x80\x81\0\0\0\0x",  # goes on with nothing
                      luck.randbytes(4000)):
            with self.watcher() as client:
                client.say(frame)
                with contextlib.suppress(OSError):  # it may have been cut off already
                    client.socket.shutdown(socket.SHUT_WR)
                while client.next_frame()[0] is not None:
                    pass
        for size in (65 << 10, 1 << 20, 4 << 20):
            with self.watcher() as client:
                client.send(bytes(size) if size > 1 << 20 else b"[" * size)
                while client.next_frame()[0] is not None:
                    pass
        with self.watcher() as client:  # a flood: cut off
            while all(client.send("{}") for _ in range(1000)):
                pass

    def connect_and_go(self):
        for number in range(100):
            client = self.client()
            kind = number % 4
            if kind == 1:
                client.say(b"GET / HTTP/1.1\r\nHost: loc")
            elif kind == 2:
                client.get("/status")
            elif kind == 3:
                self.assertEqual(client.watch(), 101)
            if kind != 2:  # without a good-bye
                client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.socket.close()
        end = time.monotonic() + PATIENCE
        while json.loads(self.client().get("/status")[1])["watchers"] > 3:  # the page, the good one, the lazy one
            self.assertLess(time.monotonic(), end, "watchers stay though they went")
            time.sleep(0.05)

    def knock(self):
        at_home = f"http://127.0.0.1:{self.viewer.port}"
        for headers, status in (({"Origin": "http://elsewhere.example"}, 403), ({"Origin": "null"}, 403),
                                ({"Origin": "https://localhost.example"}, 403), ({"host": "elsewhere.example"}, 403),
                                ({"host": "127.0.0.1.example"}, 403), ({"host": ""}, 403),
                                ({"host": f"127.0.0.1:{self.viewer.port}", "Origin": at_home}, 101), ({}, 101)):
            with self.client() as client:
                self.assertEqual(client.watch(**headers), status, headers)
        with self.client() as client:
            self.assertEqual(client.get("/../../etc/passwd")[0], 404)
        with self.client() as client:
            self.assertIn(client.request("/" + "x" * 20000), (0, 400, 431))
        with self.client() as client:
            client.say(bytes(range(256)) * 40)


class AsksForTheToken(FlowTest):
    ranks, options = 1, ["--view-token"]

    def check_access(self, host: str):
        address, token = self.viewer.url.split("?token=")
        self.assertRegex(token, "^[0-9a-f]{32}$")
        for target in ("/", "/watch", "/status", "/?token=", f"/?token={token[:-1]}", f"/status?token={token}0"):
            with self.client() as client:
                status, content = client.get(target, host=host)
                self.assertEqual(status, 403, target)
                self.assertNotIn(b"Bent tube", content)
        for target in ("/watch", "/watch?token=" + "0" * 32):
            with self.client() as client:
                self.assertEqual(client.watch(target, host=host), 403)
        with self.client() as client:
            self.assertEqual(client.watch(f"/watch?token={token}", host=host), 101)
            self.assertEqual(client.next("hello")["title"], "Bent tube")

    def test_on_loopback_if_told_to(self):
        self.expect_text("#subtitle", "on 1 rank$")
        self.wait_for_picture()
        self.pause()
        self.check_access("localhost")
        self.page.goto(self.viewer.url.split("?")[0])
        self.assertIn("has not the token", self.page.inner_text("body"))


class AsksForTheTokenElsewhere(AsksForTheToken):
    options = ["--view-address", "0.0.0.0"]

    def open(self, url):
        # The name of this machine, which is printed, may lead nowhere here.
        return super().open(re.sub("//[^:/]*:", "//127.0.0.1:", url))

    def test_on_loopback_if_told_to(self):
        self.expect_text("#connection", "^running$")
        self.wait_for_picture()
        self.check_access("anything.example")


class Errors(unittest.TestCase):
    def setUp(self):
        for executable in FlowTest.executables:
            reason = why_not(executable)
            if reason:
                self.skipTest(reason)

    def test_one_line_and_status_2(self):
        with tempfile.TemporaryDirectory() as name, socket.create_server(("127.0.0.1", 0)) as taken:
            case = tube.write_case(Path(name))
            port = taken.getsockname()[1]
            for arguments, wanted in (([f"--view={port}"], f"--view={port}: the port is in use"),
                                      (["--view=70000"], "70000"), (["--view=web"], "web"),
                                      (["--view", "--view-address", "here"], "'here' is no IP address"),
                                      (["--view", "--view-address", "192.0.2.1"], "can't listen at 192.0.2.1"),
                                      (["--view-address", "127.0.0.1"], "--view"), (["--view-token"], "--view")):
                with self.subTest(arguments):
                    done = subprocess.run(flow(2, case, "--out", Path(name) / "out", *arguments), env=ENVIRONMENT,
                                          text=True, timeout=PATIENCE * 2, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    said = [line for line in done.stderr.splitlines() if "weft: " in line or wanted in line]
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertEqual(len(said), 1, done.stderr)
                    self.assertIn(wanted, said[0])
