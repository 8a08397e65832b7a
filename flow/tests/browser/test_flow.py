# SPDX-License-Identifier: BSD-3-Clause
"""The page of a real run: the values that it shows, and steering."""
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

import tube
from flow_run import ENVIRONMENT, FlowTest, flow
from harness import PATIENCE, why_not


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
        self.expect_text("#waited-share", r"^\d+ %$")
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

        # Paused: the run does not advance, and only the view changes the picture.
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
            self.assertIn("There is no opening", watcher.next("refused")["text"])
            watcher.do("viscosity", value=-1)
            self.assertIn("viscosity", watcher.next("refused")["text"])
        self.page.evaluate("""() => {
            const input = document.querySelector("#steering form input");
            input.max = "1e9";  // so that the page sends it
            input.value = "1e6";
            document.querySelector("#steering form").requestSubmit();
        }""")
        self.expect_text("#log", r"refused: the command: value for the opening 'in' is (1e\+06|1000000) Pa")
        self.assertEqual(self.commands(), [])

        # Values within the limits are accepted and visible.
        self.apply("in", "2", "0.2")
        self.expect_text("#steering form .now", "^2 Pa$")
        self.wait_for_flow_rate(lambda rate: rate > 1.5 * before)
        self.apply("viscosity", "0.006", "0.2")
        self.expect_text("#log", "viscosity")
        self.wait_until("() => /^0.006 Pa s$/.test([...document.querySelectorAll('#steering .now')].at(-1).textContent)")
        self.assertEqual([(c["do"], c["value"]) for c in self.commands()], [("opening", 2), ("viscosity", 0.006)])

        # Exactly one more step.
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

        # Files on request.
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

        # The log, replayed without a browser, gives the same result; with another number of ranks the fields are the
        # same, too.
        for ranks in (2, 1):
            again = self.folder / f"again{ranks}"
            self.finish(self.case, "--out", again, "--replay", self.out / "steering.jsonl", ranks=ranks)
            if ranks == 2:
                self.assertEqual((again / "monitors.csv").read_bytes(), (self.out / "monitors.csv").read_bytes())
            files = sorted(path.name for path in self.out.glob("fields_*.vtkhdf"))
            self.assertEqual(sorted(path.name for path in again.glob("fields_*.vtkhdf")), files)
            for name in files:
                self.assert_same_fields(self.out / name, again / name)

        # It continues from the step where it stopped.
        told = self.finish(self.case, "--out", self.out, "--restart", "--steps", steps + 100)
        self.assertIn("100 steps of ", told)
        self.assertGreater(int(self.rows()[-1]["step"]), steps)


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
            for arguments, wanted in (([f"--view={port}"], f"--view={port}: The port is in use"),
                                      (["--view=70000"], "70000"), (["--view=web"], "web"),
                                      (["--view", "--view-address", "here"], "'here' is not an IP address"),
                                      (["--view", "--view-address", "192.0.2.1"], "can't listen at 192.0.2.1"),
                                      (["--view-address", "127.0.0.1"], "--view"), (["--view-open"], "--view")):
                with self.subTest(arguments):
                    done = subprocess.run(flow(2, case, "--out", Path(name) / "out", *arguments), env=ENVIRONMENT,
                                          text=True, timeout=PATIENCE * 2, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    said = [line for line in done.stderr.splitlines() if "weft: " in line or wanted in line]
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertEqual(len(said), 1, done.stderr)
                    self.assertIn(wanted, said[0])
