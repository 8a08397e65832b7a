# SPDX-License-Identifier: BSD-3-Clause
"""weft flow --set-up: from a surface to a running pulsatile flow, in the browser, on two ranks (a bent tube, open at both ends)."""
import json
import os
import re
import subprocess

import tube
from flow_run import ENVIRONMENT, LONG, MPIRUN, FlowTest
from harness import program
from raw_client import RawClient


class SetUpTest(FlowTest):
    ranks, options = 2, []

    def prepare(self):
        self.surface, self.out = self.folder / "tube.stl", self.folder / "out"
        tube.write_surface(self.surface)
        self.command = [MPIRUN, "-n", str(self.ranks), program("weft"), "flow", "--set-up", "tube.stl", "--view",
                        *self.options, "--out", str(self.out)]

    def start(self, *more, **options):
        return super().start(*more, cwd=self.folder, **options)

    def checked(self, phase: str = "done"):
        """Waits until the check has reported on the current choices."""
        self.wait_until("p => document.querySelector('#check')?.dataset.phase === p", phase)

    def findings(self) -> str:
        return self.page.locator("#findings").inner_text()

    def card(self, number: int):
        return self.page.locator(f".card[data-opening='{number}']")

    def alive(self) -> bool:
        return self.viewer.process.poll() is None

    def fill(self, label: str, value):
        self.page.get_by_label(label, exact=True).fill(str(value))


class FromASurfaceToAPulse(SetUpTest):
    def test_as_somebody_new_would(self):
        self.checked()
        self.assertEqual(self.page.locator("#badges .badge").count(), 2)
        self.assertIn("No problems found", self.findings())

        # Coarse and short, to save time; the second opening becomes the inlet.
        self.page.locator("#cells").fill("6")
        self.fill("One beat", "0.1")
        self.fill("Duration", "0.4")
        self.page.get_by_role("button", name="Opening 2 on the vessel").click()
        second = self.card(2)
        self.assertTrue(second.evaluate("card => card.open"))
        second.get_by_role("radio", name="inlet").check(force=True)
        second.get_by_label("Prescribes").select_option("velocity")
        second.get_by_role("spinbutton").first.fill("0.1")
        second.get_by_label("Over time").select_option("cosine")
        second.get_by_label("Name").fill("left_arm")
        self.assertIn("peak 0.16 m/s", second.inner_text())
        # The first one by a click on its disc.
        badge = self.page.get_by_role("button", name="Opening 1 on the vessel")
        badge.click()
        self.card(1).get_by_role("radio", name="outlet").check(force=True)
        self.checked()
        rows = dict(zip(self.page.locator("#rows dt").all_inner_texts(), self.page.locator("#rows dd").all_inner_texts()))
        self.assertRegex(rows["sites"], r"^[\d,]+$")  # counted, no longer estimated
        self.assertRegex(rows["run time"], "on 2 ranks")
        self.assertEqual(rows["steps"].split("(")[1], "400 ms)")

        # The saved case is the checked one, and weft flow reads it.
        self.page.get_by_role("button", name="Save").click()
        self.expect_text("#log", "saved: .*tube.toml")
        case = (self.folder / "tube.toml").read_text()
        self.assertEqual(case, self.page.locator("#text pre").text_content())
        self.assertIn('file = "tube.stl"', case)
        said = subprocess.run([program("weft"), "flow", "tube.toml", "--check"], cwd=self.folder, env=ENVIRONMENT, text=True,
                              capture_output=True, timeout=LONG)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("left_arm", said.stdout)
        self.assertIn(rows["sites"], said.stdout)

        self.page.get_by_role("button", name="Start the run").click()
        self.wait_until("() => document.querySelector('#steering') !== null")  # the run has the same address
        self.viewer.process.wait(LONG)
        flows = [float(row["left_arm_flow_m3_per_s"]) for row in self.rows()]
        area = 3.14159 * (tube.RADIUS * 1e-3) ** 2
        self.assertGreater(max(flows), 1.3 * 0.1 * area)  # the flow pulsates
        self.assertLess(min(flows[len(flows) // 4:]), 0.7 * 0.1 * area)


class IsToldInWords(SetUpTest):
    ranks, options = 1, ["--view-open"]  # the test also connects without the page

    def test_what_cannot_be_run(self):
        self.checked()
        card = self.card(1)
        card.locator("summary").click()
        number = card.get_by_role("spinbutton").first
        number.fill("")
        self.expect_text("#findings", "missing")
        self.assertTrue(self.page.locator("#start").is_disabled())
        number.fill("900000")  # litres per second
        self.expect_text("#findings", "refused")
        self.wait_until("() => document.querySelector('#start').disabled")
        number.fill("0.5")
        self.checked()
        self.wait_until("() => !document.querySelector('#start').disabled")
        # With both unused there is no way for the flow.
        for i in (1, 2):
            if not self.card(i).evaluate("card => card.open"):
                self.card(i).locator("summary").click()
            radio = self.card(i).get_by_role("radio", name="not used")
            self.assertTrue(radio.is_disabled())  # a hole can't be a wall
        # Existing files are not lost.
        (self.folder / "mine.toml").write_text("mine")
        self.page.get_by_label("Case file").fill("mine.toml")
        self.checked()
        self.wait_until("() => !document.querySelector('#replace-row').hidden")
        self.page.get_by_role("button", name="Save").click()
        self.expect_text("#log", "mine.toml exists already")
        self.assertEqual((self.folder / "mine.toml").read_text(), "mine")
        self.page.locator("#replace").evaluate("box => box.click()")  # at once, since the page may be moving
        self.page.get_by_role("button", name="Save").click()
        self.expect_text("#log", "saved: .*mine.toml")
        # Errors at the start are shown in the same page.
        self.surface.rename(self.folder / "gone.stl")
        self.page.get_by_role("button", name="Start the run").click()
        self.expect_text("#findings", "tube.stl")
        self.expect_text("#findings", "refused|the run ended")
        self.assertTrue(self.alive())
        self.assertEqual(self.problems, [])

    def test_nonsense_from_the_network(self):
        client = RawClient(int(self.viewer.port))
        self.addCleanup(client.socket.close)
        self.assertEqual(client.watch(), 101)
        hello = client.next("vessel")
        good = hello["proposal"]
        bad = [{}, {"do": "run"}, {"do": "save"}, {"do": "check", "set_up": []}, {"do": "check", "set_up": {**good, "file": "../x.toml"}},
               {"do": "save", "set_up": {**good, "file": "x.py"}}, {"do": "check", "set_up": {**good, "cells": -1}},
               {"do": "check", "set_up": {**good, "unit": "furlong"}}, {"do": "check", "set_up": {**good, "openings": [1, 2]}},
               {"do": "check", "set_up": {**good, "openings": [{**good["openings"][0], "name": "a\" b"}] * 2}}]
        for message in bad:
            client.send(json.dumps(message))
            self.assertIsNotNone(client.next("refused"), message)
        client.send(json.dumps({"do": "check", "by": "x", "set_up": {**good, "openings": []}}))
        self.assertIn("Reload the page", client.next("check", lambda m: m["by"] == "x")["refused"][0])
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), ["tube.stl"])
        with RawClient(int(self.viewer.port)) as other:
            self.assertEqual(other.get("/surface", host="evil.example")[0], 403)
        self.assertTrue(self.alive())


class ABrokenSurface(SetUpTest):
    ranks = 1

    def prepare(self):
        super().prepare()
        self.surface.write_bytes(os.urandom(500))

    def test_is_told_and_read_again(self):
        self.expect_text("#findings", re.escape("tube.stl"))
        self.assertFalse(self.page.locator("#choices").is_visible())
        self.assertTrue(self.alive())
        tube.write_surface(self.surface)
        self.page.get_by_role("button", name="Read it again").click()
        self.wait_until("() => document.querySelectorAll('#badges .badge').length === 2")
        self.checked()
