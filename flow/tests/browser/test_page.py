# SPDX-License-Identifier: BSD-3-Clause
"""The page, served by flow/tests/view/fake_server.cpp, which prints the messages that it gets."""
import json
import re

from harness import ViewTest, program

# Linear RGB as seen without red, green or blue cones (Machado et al. 2009, severity 1).
SIGHTS = {
    "usual": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanope": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranope": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritanope": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}


def lab(colour: str, sight: str) -> tuple:
    """CIE L*a*b* of a colour "#rrggbb", as seen with a colour blindness."""
    def linear(x):
        return x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4

    def f(t):
        return t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
    rgb = [linear(int(colour[i:i + 2], 16) / 255) for i in (1, 3, 5)]
    r, g, b = (min(1, max(0, sum(m * c for m, c in zip(row, rgb)))) for row in SIGHTS[sight])
    x, y, z = (f(v) for v in ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b,
                              (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


STILL = {"azimuth": 30, "elevation": 20, "zoom": 1, "pan": [0, 0]}


class PageTest(ViewTest):
    command = [program("view_fake_server"), "0", "1000"]

    def setUp(self):
        super().setUp()
        self.wait_for_picture()

    def tearDown(self):
        self.assertEqual(self.problems, [])

    def sent(self, what: str, **wanted) -> dict:
        """The newest message of this kind that has these values; waits for it."""
        def pattern(key, value):
            return "(?=.*" + re.escape(json.dumps({key: value}, separators=(",", ":"))[1:-1]) + "[,}])"
        self.viewer.wait(rf'^(?=.*"do":"{what}")' + "".join(pattern(*item) for item in wanted.items()))
        found = [json.loads(line) for line in self.viewer.lines if f'"do":"{what}"' in line]
        return next(m for m in reversed(found) if all(m.get(k, m.get("scene", {}).get(k)) == v for k, v in wanted.items()))

    def camera(self, changed) -> dict:
        """The newest camera message for which `changed` is true; waits for it."""
        for _ in range(500):
            scenes = [json.loads(line)["scene"] for line in list(self.viewer.lines) if '"do":"scene"' in line]
            if scenes and changed(scenes[-1]["camera"]):
                return scenes[-1]["camera"]
            self.page.wait_for_timeout(20)
        raise AssertionError(f"no such camera was sent; the last: {scenes[-1]['camera'] if scenes else None}")

    def radio(self, name: str, value: str):
        self.page.locator(f"input[name={name}][value={value}]").check(force=True)


class Shows(PageTest):
    def test_the_run(self):
        self.expect_text("#title", "^Aneurysm at a bifurcation$")
        self.expect_text("#subtitle", "^1,284,310 sites on 4 ranks$")
        self.expect_text("#step", r"^\d,\d\d\d$")
        self.expect_text("#of", "^of 80,000$")
        self.expect_text("#mlups", r"^48\.\d MLUPS$")
        self.expect_text("#left", r"^3:\d\d$")
        self.expect_text("#waited-share", "^17 %$")
        self.expect_text("#connection", "^running$")
        self.assertRegex(self.page.title(), r"^\d+ % Aneurysm")

    def test_the_picture_fits_and_goes_on(self):
        self.wait_for_picture(after=self.wait_for_picture())
        self.expect_text("#legend-name", r"^speed \(m/s\)$")
        self.expect_text("#legend-high", r"^0\.42$")
        box = self.page.locator("#view").bounding_box()
        self.wait_until("w => Math.abs(document.querySelector('#picture').width - w) < 3", 0.7 * box["width"])

    def test_the_curves(self):
        self.assertEqual(self.page.locator("#curves figcaption").all_inner_texts(),
                         ["Residual\nper step", "Mach number\nlargest", "Flow rates\nml/s, into the vessel",
                          "Pressures\nPa, at the openings"])
        self.wait_until("() => /in [0-9.]+, left −[0-9.]+, right −[0-9.]+ at [0-9.]+ ms/.test("
                        "document.querySelector('#curves figure:nth-child(3) canvas').ariaLabel)")
        self.expect_text("#curves figure:nth-child(1) li", r"relative change .*(×10|0\.)")
        drawn = self.page.evaluate("() => [...document.querySelectorAll('#curves canvas')].map((c) => "
                                   "c.getContext('2d').getImageData(0, 0, c.width, c.height).data.filter((v) => v).length)")
        self.assertTrue(all(count > 500 for count in drawn), drawn)

    def test_names_for_all_controls(self):
        self.page.locator("#show-keys").click()
        nameless = self.page.evaluate("""() =>
            [...document.querySelectorAll('button, input, select, canvas[role], progress')].filter((e) =>
            !(e.ariaLabel || e.textContent.trim() || [...e.labels ?? []].some((l) => l.textContent.trim())))
            .map((e) => e.outerHTML)""")
        self.assertEqual(nameless, [])
        for role, name in (("application", "Picture of the flow"), ("button", "Pause"), ("combobox", "Field"),
                           ("slider", "Opacity"), ("switch", "Streamlines"), ("radiogroup", "Wall"), ("radio", "glass"),
                           ("log", "Messages"), ("spinbutton", "pressure (Pa)"), ("button", "Apply to viscosity")):
            self.assertGreater(self.page.get_by_role(role, name=name).count(), 0, f"{role} {name}")


    def test_titles_of_charts_stay_in_their_cards(self):
        for width in (390, 820, 1100, 1200, 1280, 1600):
            self.page.set_viewport_size({"width": width, "height": 800})
            self.page.wait_for_timeout(100)
            self.assertEqual(self.page.evaluate("""
                [...document.querySelectorAll("#curves figcaption")].filter((e) => e.scrollWidth > e.clientWidth)
                .map((e) => e.textContent)"""), [], f"at a width of {width}")

    def test_the_legend_is_beside_the_vessel(self):
        for width, height in (self.size, (820, 900), (390, 800)):
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.wait_for_timeout(300)
            legend = self.page.locator("#legend").bounding_box()
            view = self.page.locator("#view").bounding_box()
            self.assertTrue(self.page.locator("#legend-name").is_visible())
            self.assertLessEqual(legend["y"] + legend["height"], view["y"] + 0.5, f"at a width of {width}")
            self.assertLessEqual(legend["x"] + legend["width"], width)


class ShowsMany(PageTest):
    """Seven openings."""
    command = [*PageTest.command, "many"]

    def palette(self) -> list:
        return [self.page.evaluate("n => getComputedStyle(document.documentElement).getPropertyValue(n).trim()", f"--s{i}")
                for i in range(1, 8)]

    def test_each_curve_in_a_colour_of_its_own(self):
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            self.wait_until("() => document.querySelectorAll('#curves figure:nth-child(3) li').length === 7")
            drawn = self.page.evaluate("() => [...document.querySelectorAll('#curves figure:nth-child(3) li line')].map((l) => "
                                       "getComputedStyle(l).stroke)")
            self.assertEqual(len(set(drawn)), 7, drawn)
            for sight in SIGHTS:
                seen = [lab(colour, sight) for colour in self.palette()]
                for i, a in enumerate(seen):
                    for j, b in enumerate(seen[:i]):
                        apart = sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5
                        self.assertGreater(apart, 20, f"curves {j + 1} and {i + 1}, {scheme}, {sight}")

    def test_the_curves_have_the_legends_colours(self):
        # When they are drawn: the last row has arrived by then, but the browser paints a canvas at any later time.
        self.wait_until("""() => {
            const canvas = document.querySelector("#curves figure:nth-child(3) canvas");
            if (!canvas || canvas.width === 0) return false;
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return [1, 2, 3, 4, 5, 6, 7].every((i) => {
                const hex = getComputedStyle(document.documentElement).getPropertyValue(`--s${i}`).trim();
                const [r, g, b] = [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
                let count = 0;
                for (let k = 0; k < data.length; k += 4)
                    count += data[k + 3] > 200 && Math.abs(data[k] - r) + Math.abs(data[k + 1] - g) + Math.abs(data[k + 2] - b) < 30;
                return count > 15;
            });
        }""")

    def test_a_control_without_room_is_not_shown(self):
        self.wait_until("() => document.querySelectorAll('#steering form').length === 6")
        self.assertFalse(self.page.get_by_role("button", name="Apply to viscosity").is_visible())
        self.assertFalse(self.page.get_by_role("button", name="Apply to branch6").is_visible())
        self.assertTrue(self.page.get_by_role("button", name="Apply to branch5").is_visible())


class Turns(PageTest):
    def settled_box(self) -> dict:
        """The view's position, after the layout of the page is complete: curves and fonts that load later move it."""
        box = None
        while box != (box := self.page.locator("#view").bounding_box()):
            self.page.wait_for_timeout(200)
        return box

    def drag(self, right, down, button="left", keys=()):
        box = self.settled_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for key in keys:
            self.page.keyboard.down(key)
        self.page.mouse.move(x, y)
        self.page.mouse.down(button=button)
        self.page.mouse.move(x + right, y + down, steps=4)
        self.page.mouse.up(button=button)
        for key in keys:
            self.page.keyboard.up(key)
        return box["height"]

    def test_by_drag(self):
        height = self.drag(100, 40)
        turned = 220 * 100 / height
        camera = self.camera(lambda c: abs(c["azimuth"] - (30 - turned)) < 0.01)
        self.assertAlmostEqual(camera["elevation"], 20 + 220 * 40 / height, places=2)

    def test_moves_by_shift_or_right_drag(self):
        height = self.drag(60, 30, keys=["Shift"])
        self.camera(lambda c: abs(c["pan"][0] - 60 / height) < 1e-3 and abs(c["pan"][1] + 30 / height) < 1e-3)
        self.drag(-60, -30, button="right")
        camera = self.camera(lambda c: abs(c["pan"][0]) < 1e-3 and abs(c["pan"][1]) < 1e-3)
        self.assertEqual(camera["azimuth"], 30)

    def test_wheel_keeps_what_is_under_the_pointer(self):
        box = self.page.locator("#view").bounding_box()
        self.page.mouse.move(box["x"] + box["width"] / 2 + 0.25 * box["height"], box["y"] + box["height"] / 2)
        self.page.mouse.wheel(0, -200)
        camera = self.camera(lambda c: c["zoom"] > 1.3)
        self.assertAlmostEqual((0.25 - camera["pan"][0]) / camera["zoom"], 0.25, places=2)

    def test_by_keys(self):
        self.page.locator("#view").focus()
        self.page.keyboard.press("ArrowLeft")
        self.camera(lambda c: c["azimuth"] == 35)
        self.page.keyboard.press("ArrowDown")
        self.camera(lambda c: c["elevation"] == 25)
        self.page.keyboard.press("Shift+ArrowRight")
        self.camera(lambda c: c["pan"] == [0.05, 0])
        self.page.keyboard.press("+")
        self.camera(lambda c: abs(c["zoom"] - 1.15) < 1e-9)
        self.page.keyboard.press("0")
        self.camera(lambda c: c == STILL)
        for _ in range(20):
            self.page.keyboard.press("ArrowDown")
        self.camera(lambda c: c["elevation"] == 90)

    def test_by_buttons(self):
        self.page.get_by_role("button", name="Zoom in").click()
        self.camera(lambda c: c["zoom"] == 1.25)
        self.page.get_by_role("button", name="Whole vessel").click()
        self.camera(lambda c: c == STILL)


class Looks(PageTest):
    def test_field_map_wall(self):
        self.page.get_by_label("Field").select_option("pressure")
        self.sent("scene", quantity="pressure")
        self.expect_text("#legend-name", r"^pressure \(Pa\)$")
        self.radio("map", "diverging")
        self.radio("wall", "solid")
        self.sent("scene", map="diverging", wall="solid", quantity="pressure")
        self.page.get_by_label("Streamlines").check()
        self.sent("scene", streamlines=True)
        self.page.get_by_label("Opacity").fill("0.8")
        self.sent("scene", opacity=0.8)

    def test_range(self):
        self.radio("range", "fixed")
        self.sent("scene", low=0, high=0.42)
        self.page.get_by_label("Highest").fill("0.3")
        self.page.get_by_label("Highest").press("Tab")
        self.sent("scene", low=0, high=0.3)
        self.expect_text("#legend-high", r"^0\.3$")
        self.page.get_by_label("Highest").fill("-1")
        self.page.get_by_label("Highest").press("Tab")
        self.wait_until("() => !document.querySelector('#high').checkValidity()")
        self.radio("range", "automatic")
        self.sent("scene", low=None, high=None)
        self.assertFalse(any('"high":-1' in line for line in self.viewer.lines))

    def test_plane(self):
        self.assertFalse(self.page.get_by_label("Position").is_visible())
        self.radio("plane", "z")
        self.sent("scene", plane=True, plane_normal=[0, 0, 1])
        self.page.get_by_label("Position").fill("0.25")
        self.sent("scene", plane_at=0.25)
        self.radio("plane", "off")
        self.sent("scene", plane=False)

    def test_all_watchers_see_one_scene(self):
        other = self.open(self.viewer.url)
        self.wait_for_picture(other)
        other.locator("input[name=wall][value=off]").check(force=True)
        self.wait_until("() => document.querySelector('input[name=wall][value=off]').checked")


class Steers(PageTest):
    def fill(self, form, value, ramp):
        form.locator("input").nth(0).fill(value)
        form.locator("input").nth(1).fill(ramp)

    def form(self, name):
        return self.page.locator("form", has=self.page.get_by_role("button", name=f"Apply to {name}", exact=True))

    def test_an_opening(self):
        form = self.form("left")
        self.fill(form, "-120", "0.05")
        form.get_by_role("button").click()
        self.sent("opening", name="left", value=-120, ramp=0.05)
        self.expect_text("#steering form:nth-of-type(2) .now", "^−120 Pa$")

    def test_the_viscosity(self):
        self.fill(self.form("viscosity"), "0.004", "0")
        self.page.keyboard.press("Enter")
        self.sent("viscosity", value=0.004, ramp=0)

    def test_what_is_not_allowed_is_not_sent(self):
        form = self.form("in")
        self.fill(form, "7", "0.1")
        form.get_by_role("button").click()
        self.expect_text("#steering form .hint", "^Allowed: 0 to 0.6 m/s$")
        self.fill(form, "0.3", "-1")
        form.get_by_role("button").click()
        self.expect_text("#steering form .hint", "at least 0")
        self.fill(form, "0.31", "0.1")
        form.get_by_role("button").click()
        self.sent("opening", name="in", value=0.31)
        self.assertEqual(sum('"opening"' in line for line in self.viewer.lines), 1)

    def test_a_refusal_is_told(self):
        form = self.form("in")
        self.fill(form, "0.55", "0.1")
        form.get_by_role("button").click()
        self.expect_text("#log", "refused: in: 0.55 m/s is too fast")
        self.expect_text("#toasts", "too fast")


class Runs(PageTest):
    def test_pause_step_resume_by_buttons(self):
        self.page.get_by_role("button", name="Pause").click()
        self.expect_text("#connection", "^paused$")
        before = int(self.page.locator("#step").inner_text().replace(",", ""))
        self.page.get_by_role("button", name="One step").click()
        self.expect_text("#step", f"^{before + 1:,}$")
        self.page.get_by_role("button", name="Resume").click()
        self.expect_text("#connection", "^running$")

    def test_by_keys(self):
        self.page.locator("#view").focus()
        self.page.keyboard.press(" ")
        self.sent("pause")
        self.expect_text("#connection", "^paused$")
        self.page.keyboard.press("s")
        self.sent("step")
        self.page.keyboard.press(" ")
        self.sent("resume")
        self.page.keyboard.press("?")
        self.assertTrue(self.page.locator("#keys").is_visible())

    def test_keys_mean_nothing_in_a_field(self):
        self.page.locator("#steering input").first.press("s")
        self.page.locator("#steering input").first.press("+")
        self.page.get_by_role("button", name="Output now").click()
        self.sent("output")
        self.assertFalse(any('"step"}' in line or '"zoom":1.15' in line for line in self.viewer.lines))

    def test_output_and_checkpoint(self):
        self.page.get_by_role("button", name="Output now").click()
        self.sent("output")
        self.expect_text("#log", "fields written")
        self.page.get_by_role("button", name="Checkpoint now").click()
        self.sent("checkpoint")
        self.expect_text("#log", "checkpoint written")

    def test_stop_asks_first(self):
        self.page.get_by_role("button", name="Stop with checkpoint").click()
        self.page.get_by_role("button", name="Keep running").click()
        self.page.get_by_role("button", name="Stop with checkpoint").click()
        self.page.keyboard.press("Escape")
        self.page.get_by_role("button", name="Output now").click()
        self.sent("output")
        self.assertFalse(any('"stop"' in line for line in self.viewer.lines))
        self.page.get_by_role("button", name="Stop with checkpoint").click()
        self.page.get_by_role("button", name="Checkpoint and stop").click()
        self.sent("stop")
        self.expect_text("#banner", "The run has ended")
        self.assertTrue(self.page.locator("#pause").is_disabled())


class Connects(PageTest):
    def test_again_by_itself(self):
        port = self.viewer.port
        self.viewer.stop()
        self.expect_text("#connection", "^not connected$")
        self.expect_text("#banner", "Not connected.*does not answer")
        self.assertTrue(self.page.locator("#pause").is_disabled())
        self.assertTrue(self.page.locator("#steering button").first.is_disabled())
        self.command = [self.command[0], port, "3000"]
        self.viewer = self.start()
        self.expect_text("#connection", "^running$")
        self.wait_until("() => document.querySelector('#banner').hidden && !document.querySelector('#pause').disabled")
        self.page.get_by_role("button", name="Pause").click()
        self.sent("pause")


    def test_not_from_a_page_elsewhere(self):
        self.page.goto("data:text/html,elsewhere")
        opened = self.page.evaluate("""(address) => new Promise((done) => {
            const socket = new WebSocket(address);
            socket.onopen = () => done(true);
            socket.onerror = () => done(false);
        })""", self.viewer.url.replace("http", "ws") + "watch")
        self.assertFalse(opened)

    def test_only_with_the_token(self):
        self.command = [self.command[0], "0", "1000", "token"]
        viewer = self.start()
        self.assertRegex(viewer.url, r"/\?token=[0-9a-f]{32}$")
        page = self.open(viewer.url)
        self.expect_text("#connection", "^running$", page)
        page.goto(viewer.url.split("?")[0])
        self.assertIn("token that weft printed is missing", page.inner_text("body"))


class Themes(PageTest):
    def test_fit_a_small_screen(self):
        self.page.set_viewport_size({"width": 390, "height": 800})
        self.wait_until("() => document.documentElement.scrollWidth <= innerWidth")
        self.assertTrue(self.page.locator("#steering").is_visible())

    def test_follow_the_system(self):
        light = self.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        self.page.emulate_media(color_scheme="dark")
        self.assertNotEqual(self.page.evaluate("() => getComputedStyle(document.body).backgroundColor"), light)
