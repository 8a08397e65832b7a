# SPDX-License-Identifier: BSD-3-Clause
"""The validation package: known solutions compared with closed forms of special cases, surfaces, parts of the page, and one study
with the program."""
import contextlib
import io
import os
import shutil
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import numpy as np

from command import Folder
from weft.errors import InputError
from weft.fields import Fields
from weft.validation import __main__ as validation
from weft.monitors import Monitors
from weft.validation import aneurysm, axisymmetric, delivered, nozzle, poiseuille, solutions, tubes, vessels
from weft.validation.bulge import ANEURYSM, Bulge
from weft.validation.measures import Check, Outcome, middle_of, order, table
from weft.validation.page import put_into
from weft.validation.program import Program, toml
from weft.validation.solutions import Fluid, flow_of_profile, sheared_profile
from weft.validation.nozzle_measured import CENTRELINE, PROFILES
from weft.validation.surfaces import Fork, Tube, Turned, frame

ROOT = Path(__file__).resolve().parents[2]
WEFT = Path(os.environ.get("WEFT_BUILD", ROOT / "build" / "release")) / "weft"


class Solutions(unittest.TestCase):
    def test_bessel_functions(self) -> None:
        for z, j0, j1 in ((1.0, 0.7651976866, 0.4400505857), (5.0, -0.1775967713, -0.3275791376),
                          (1j**1.5, 0.9843817812 + 0.2495660400j, None)):
            self.assertAlmostEqual(complex(solutions.bessel(0, z)), j0, places=9)
            if j1 is not None:
                self.assertAlmostEqual(complex(solutions.bessel(1, z)), j1, places=9)

    def test_slow_oscillation_is_poiseuille_flow(self) -> None:
        r, radius, density, viscosity = np.linspace(0, 1e-3, 7), 1e-3, 1000.0, 4e-3
        omega = 0.05**2 * viscosity / density / radius**2  # alpha = 0.05
        slow = solutions.womersley(2.0, omega, density, viscosity, radius, r)
        steady = solutions.poiseuille(2.0, viscosity, radius, r)
        np.testing.assert_allclose(slow, steady, atol=1e-3 * steady.max())
        flow = solutions.womersley_flow(2.0, omega, density, viscosity, radius)
        self.assertAlmostEqual(flow / solutions.poiseuille_flow(2.0, viscosity, radius), 1, delta=1e-3)

    def test_oscillating_flow_is_its_profiles_integral(self) -> None:
        r = np.linspace(0, 1e-3, 4001)
        profile = solutions.womersley(3.0, 50.0, 1000.0, 4e-3, 1e-3, r)
        flow = flow_of_profile(r, profile.real) + 1j * flow_of_profile(r, profile.imag)
        self.assertAlmostEqual(flow / solutions.womersley_flow(3.0, 50.0, 1000.0, 4e-3, 1e-3), 1, places=5)

    def flow(self, fluid: Fluid, gradient: float = 80.0) -> float:
        return flow_of_profile(*sheared_profile(fluid, gradient, 1e-3))

    def test_fluids_that_are_newtonian(self) -> None:
        thick = solutions.poiseuille_flow(80.0, 0.16, 1e-3)
        self.assertAlmostEqual(self.flow(Fluid("carreau-yasuda", exponent=1.0)) / thick, 1, places=5)
        thin = solutions.poiseuille_flow(80.0, 4e-3, 1e-3)
        self.assertAlmostEqual(self.flow(Fluid("casson", yield_stress=0.0)) / thin, 1, places=5)

    def test_casson_flow(self) -> None:  # Fung, Biomechanics, 1993: flow rate / Poiseuille's
        part = 4e-3 / (80.0 * 1e-3 / 2)  # yield stress / wall stress
        expected = 1 - 16 / 7 * np.sqrt(part) + 4 / 3 * part - part**4 / 21
        found = self.flow(Fluid("casson", at_rest=1e4)) / solutions.poiseuille_flow(80.0, 4e-3, 1e-3)
        self.assertAlmostEqual(found / expected, 1, places=4)

    def test_power_law_flow(self) -> None:
        n, k = 0.6, 0.02
        expected = np.pi * n / (3 * n + 1) * 1e-9 * (80.0 * 1e-3 / (2 * k)) ** (1 / n)
        found = self.flow(Fluid("power-law", viscosity=1e-9, at_rest=1e9, exponent=n, consistency=k))
        self.assertAlmostEqual(found / expected, 1, places=4)

    def test_channels(self) -> None:
        self.assertAlmostEqual(solutions.channel_resistance(1, 1, 1, 1), 28.4541, places=3)
        self.assertAlmostEqual(solutions.channel_resistance(1000, 1, 1, 1) * 1000 / 12, 1, delta=1e-3)

    def test_windkessel_of_an_oscillating_flow(self) -> None:
        time = np.linspace(0, 3, 3001)
        omega, resistance, capacitance, proximal = 2 * np.pi, 3.0, 0.1, 0.5
        impedance = proximal + resistance / (1 + 1j * omega * resistance * capacitance)
        found = solutions.windkessel(time, np.cos(omega * time), resistance, capacitance, proximal)
        np.testing.assert_allclose(found[-500:], (impedance * np.exp(1j * omega * time)).real[-500:], atol=1e-3)
        rest = solutions.windkessel(time, 0 * time, resistance, capacitance, behind=1.0, initial=2.0)
        np.testing.assert_allclose(rest, 1 + np.exp(-time / 0.3), rtol=1e-9)

    def test_order(self) -> None:
        self.assertAlmostEqual(order((8, 12, 24), [3 / n**1.7 for n in (8, 12, 24)]), 1.7)


class Surfaces(Folder):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.folder / "surface.stl"

    def open_edges(self, surface) -> np.ndarray:
        """Middles of the edges of only one triangle, mm. All other edges must belong to two triangles, in opposite directions."""
        surface.write(self.file)
        records = np.frombuffer(self.file.read_bytes()[84:], np.dtype("(3,)<f4, (3,3)<f4, <u2"))
        corners = [[tuple(map(float, np.round(c, 5) + 0.0)) for c in triangle] for triangle in records["f1"]]
        edges = Counter((a, b) for t in corners for a, b in zip(t, t[1:] + t[:1]))
        self.assertEqual(max(edges.values()), 1)
        return np.array([np.add(*edge) / 2 for edge in edges if edge[::-1] not in edges])

    def test_only_ends_are_open(self) -> None:
        step = ((0.0, 1e-3), (2e-3, 5e-4), (2e-3, 1.5e-3), (4e-3, 1.5e-3))
        for surface, names in ((Tube(1e-3, 4e-3), ("in", "out")), (Turned(step), ("in", "out")), (nozzle.NOZZLE, ("in", "out")),
                               (Fork(1e-3, (1e-3, 3e-3), (0.75e-3, 2e-3), (1e-3, 3e-3)), ("stem", "left", "right")),
                               (Fork(1e-3, (2e-3, 3e-3), (1e-3, 2e-3), (0.5e-3, 3e-3)), ("stem", "left", "right"))):
            openings = [surface.opening(name) for name in names]
            seen = set()
            for edge in self.open_edges(surface):
                nearest = min(range(len(openings)), key=lambda k: np.linalg.norm(edge - openings[k]["centre"]))
                away = edge - openings[nearest]["centre"]
                self.assertAlmostEqual(away @ np.array(openings[nearest]["normal"]), 0, places=4)
                self.assertLess(np.linalg.norm(away), 1.001 * openings[nearest]["radius"])
                seen.add(nearest)
            self.assertEqual(len(seen), len(openings))

    def test_prisms_are_closed_and_as_wide_as_a_round_one(self) -> None:
        for name, vessel in delivered.vessels().items():
            self.assertEqual(len(self.open_edges(vessel)), 0, name)
            self.assertAlmostEqual(vessel.lumen * np.cos(vessel.cut) / (np.pi * delivered.DIAMETER**2 / 4), 1, places=12)
            disc = vessel.opening("in", 1.2)
            self.assertAlmostEqual(np.degrees(np.arccos(np.dot(disc["normal"], frame(vessel.axis)[2]))), np.degrees(vessel.cut), places=5)

    def test_a_middle_section(self) -> None:
        tube = Tube(1e-3, 9e-3)
        axis = frame(tube.axis)[2]
        index = np.stack(np.meshgrid(*3 * [np.arange(-8, 28)], indexing="ij"), axis=-1).reshape(-1, 3)
        voxel = 2.5e-4
        along, r = tube.coordinates(voxel * (index + 0.5))
        fields = Fields(0.0, voxel, np.zeros(3), index, 5 - 70 * along, along[:, None] * axis, 0 * along)
        section = middle_of(fields, tube)
        self.assertAlmostEqual(section.gradient, 70, places=6)
        np.testing.assert_allclose(section.velocity, section.along)
        self.assertTrue(3e-3 < section.along.min() and section.along.max() < 6e-3)
        self.assertEqual(len(section.r), np.count_nonzero(np.abs(along - 4.5e-3) < 1.5e-3))
        self.assertAlmostEqual(r.max(), np.max(np.linalg.norm(voxel * (index + 0.5) - along[:, None] * axis, axis=1)))


class Nozzle(unittest.TestCase):
    def test_its_form(self) -> None:
        self.assertAlmostEqual(np.degrees(2 * np.arctan((nozzle.WIDE - nozzle.THROAT) / nozzle.CONE)), 20, delta=0.01)
        self.assertAlmostEqual(nozzle.inflow(500), 5.20624e-6, delta=2e-9)  # the value in the data set

    def test_measured_flow_is_the_inflow(self) -> None:
        """The integral of a complete measured profile is the flow through the nozzle, within the measurement error."""
        for reynolds, z in ((500, 8), (500, 32), (500, 60), (2000, 8), (2000, 24), (3500, 8), (3500, 24), (3500, 60)):
            r, u = (np.array(values) for values in PROFILES[reynolds][z])
            flow = flow_of_profile(np.append(1e-3 * r, nozzle.WIDE), np.append(u, 0.0))
            self.assertAlmostEqual(flow / nozzle.inflow(reynolds), 1, delta=0.12, msg=f"{reynolds} {z}")
            measured = nozzle.measured_at(reynolds)[z]
            self.assertTrue(0.98 * min(measured) < u[0] < 1.02 * max(measured))

    def test_the_place_of_breakdown(self) -> None:
        place, before, behind = nozzle.breakdown((-8, 0, 8, 16, 24), (9, 8, 7, 5, 1))
        self.assertAlmostEqual(place, 18)
        self.assertEqual((before, behind), (16, 24))
        place, before, behind = nozzle.breakdown((0, 8, 16), (8, 7, 5))
        self.assertTrue(np.isnan(place) and before == 16)

    def test_a_plane_of_a_jet(self) -> None:
        index = np.stack(np.meshgrid(*3 * [np.arange(-15, 15)], indexing="ij"), axis=-1).reshape(-1, 3)
        voxel = 4e-4
        places = voxel * (index + 0.5)
        r, turn = np.hypot(places[:, 0], places[:, 1]), 4 * np.arctan2(places[:, 1], places[:, 0])
        for fourfold in (0.0, 0.1):
            velocity = np.zeros_like(places)
            velocity[:, 2] = np.exp(-((r / 2e-3) ** 2)) * (1 + fourfold * np.cos(turn) * (r / 2e-3) ** 2) + (index[:, 2] != 7)
            plane = nozzle.plane_of(Fields(0.0, voxel, np.zeros(3), index, 0 * r, velocity, 0 * r), 7.4 * voxel)
            self.assertEqual(len(plane.velocity), 900)
            distance, mean = plane.around()
            np.testing.assert_allclose(mean, np.exp(-((distance / 2e-3) ** 2)), atol=0.02)
            self.assertAlmostEqual(plane.axis_and_diagonal(), 2 * fourfold / np.e, delta=0.003)

    def test_what_is_checked_lies_before_it(self) -> None:
        for reynolds in nozzle.REYNOLDS:
            for name, told in CENTRELINE[reynolds].items():
                least = 0.9 * told[0]
                if reynolds > 500:
                    self.assertTrue(all(u > least for z, u in told.items() if 0 <= z <= nozzle.CHECKED[reynolds]), f"{reynolds} {name}")

    def test_means_of_a_line(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "axis.csv"
            w = frame(nozzle.NOZZLE.axis)[2]
            side = frame(nozzle.NOZZLE.axis)[0]
            rows = ["step,time_s,x_m,y_m,z_m,along_m,pressure_pa,velocity_x_m_per_s,velocity_y_m_per_s,velocity_z_m_per_s"]
            for step, time in enumerate((0.0, 1.0, 2.0)):
                for k in range(40):
                    off = 1e-4 * (k % 3)
                    place = (1e-4 * k - 2e-3) * w + off * side
                    u = (1 + 100 * (1e-4 * k - 2e-3) - 1e6 * off**2 + (5 if time == 0 else time - 1.5)) * w
                    rows.append(",".join(map(repr, map(float, (step, time, *place, 0, 7, *u)))))
            file.write_text("\n".join(rows) + "\n", encoding="utf-8")
            line = nozzle.read_line(file, 0.5)  # the first time is left out, the others average out
        self.assertEqual(len(line.along), 40)
        self.assertAlmostEqual(line.axis_at(0.0), 1, places=9)
        self.assertAlmostEqual(line.axis_at(1e-3), 1.1, places=9)
        self.assertAlmostEqual(nozzle.profile_error(line.across(), ((0.0, 0.1), (1.0, 1.0))), 0, delta=0.3)


class Aneurysm(unittest.TestCase):
    def test_slow_flow_in_a_long_bulge_is_poiseuille_flow_everywhere(self) -> None:
        shape = Bulge(1.2, 40.0)
        flow = axisymmetric.solve(1.0, 16, shape=shape).flow()
        wall = shape.radius(flow.z)
        np.testing.assert_allclose(flow.stress, (0.5 / wall) ** 3, atol=0.01)
        self.assertEqual(flow.strength, 0)

    def test_the_pressure_falls_as_in_poiseuille_flow_where_a_stenosis_is_long(self) -> None:
        shape = Bulge(0.7, 40.0)
        found = axisymmetric.solve(1.0, 32, shape=shape).drop(-20, 20)
        z = np.linspace(-20, 20, 2001)
        friction = np.mean(2 / shape.radius(z) ** 4) * 40  # 32 / (Re diameter^4), Re 1
        self.assertAlmostEqual(found / friction, 1, delta=0.01)

    def test_the_reference_is_of_second_order(self) -> None:
        sizes = (16, 24, 32)
        fine = axisymmetric.references(60, (200,))[200].flow()
        errors = [aneurysm.stress_error(axisymmetric.references(points, (200,))[200].flow(), fine) for points in sizes]
        self.assertGreater(order(sizes, errors), 1.8)
        self.assertLess(errors[-1], 2e-3)
        self.assertAlmostEqual(fine.stress[0], 1, delta=2e-3)
        self.assertAlmostEqual(fine.stress[-1], 1, delta=0.02)  # the profile is not yet a parabola again

    def test_sites_tell_what_the_reference_does(self) -> None:
        reference = axisymmetric.references(30, (300,))[300]
        exact = reference.flow()
        voxel, axis = 1 / 16, frame((1.0, 2.0, 4.0))[2]
        places = voxel * np.stack(np.meshgrid(*3 * [np.arange(-58, 58)], indexing="ij"), axis=-1).reshape(-1, 3)
        z, r = aneurysm.vessel().coordinates(places)
        inside = (np.abs(z) < 3.5) & (r < ANEURYSM.radius(z))
        z, r = z[inside], r[inside]
        column, sigma = (z - reference.z[0]) / (reference.z[1] - reference.z[0]), (r / ANEURYSM.radius(z)) ** 2
        low = column.astype(int)
        u = 2 * np.gradient(reference.psi, reference.sigma, axis=1, edge_order=2) / ANEURYSM.radius(reference.z)[:, None] ** 2
        at = [np.array([np.interp(s, reference.sigma, u[k + more]) for k, s in zip(low, sigma)]) for more in (0, 1)]
        velocity = at[0] + (column - low) * (at[1] - at[0])
        wall = np.linspace(-3.5, 4, 2000)
        found = aneurysm.flow_of(z, r, velocity, voxel, wall, np.interp(wall, exact.z, exact.stress))
        self.assertAlmostEqual(found.separation, exact.separation, delta=0.01)
        self.assertAlmostEqual(found.reattachment, exact.reattachment, delta=0.01)
        self.assertAlmostEqual(found.peak[1] / exact.peak[1], 1, delta=0.01)
        self.assertAlmostEqual(found.strength, exact.strength, delta=0.002)
        self.assertAlmostEqual(found.reversed, exact.reversed, delta=0.002)
        np.testing.assert_allclose(found.vortex, exact.vortex, atol=0.03)
        self.assertAlmostEqual(found.in_recirculation, exact.in_recirculation, delta=0.003)

    def test_stress_along_the_wall(self) -> None:
        tube = aneurysm.vessel()
        side, other, axis = frame(tube.axis)
        place = np.array([-1.0, 0.3])
        line = np.array([[1, s] for s in ANEURYSM.slope(place)])
        line /= np.linalg.norm(line, axis=1)[:, None]
        stress = 3 * (line[:, :1] * axis + line[:, 1:] * side) + 5 * other  # a component around the axis does not count
        places = aneurysm.DIAMETER * (place[:, None] * axis + ANEURYSM.radius(place)[:, None] * side)
        z, along = aneurysm.stress_along(places, stress, tube)
        np.testing.assert_allclose(z, place)
        np.testing.assert_allclose(along, 3)


class Beats(unittest.TestCase):
    def monitors(self, lost: float = 0.0, fading: float = 0.0) -> Monitors:
        step, period = 0.01, 1.0
        time = step * np.arange(301)
        into = 2 + np.sin(2 * np.pi * time / period)
        out = 2 + np.sin(2 * np.pi * (time - 0.1) / period) * (1 - fading * (time < 1))
        mass = 5 + 1000 * step * np.cumsum(into - out - lost)
        return Monitors({"step": np.arange(301), "time_s": time, "mass_kg": mass, "in_flow_m3_per_s": into,
                         "in_pressure_pa": 10 + into, "out_flow_m3_per_s": -out, "out_pressure_pa": 8 + out})

    def test_mass_that_is_kept_and_lost(self) -> None:
        for beat in vessels.beats_of(self.monitors(), {"in"}, 1.0, 1000.0, 3):
            self.assertAlmostEqual(beat.inflow, 2, delta=0.03)
            self.assertAlmostEqual(beat.mass_error, 0, places=12)
        self.assertAlmostEqual(vessels.beats_of(self.monitors(), {"in"}, 1.0, 1000.0, 2)[-1].inflow, 2, delta=0.03)
        for beat in vessels.beats_of(self.monitors(lost=0.02), {"in"}, 1.0, 1000.0, 3):
            self.assertAlmostEqual(beat.mass_error, 0.01, delta=1e-4)

    def test_beats_that_are_alike(self) -> None:
        first, second, third = vessels.beats_of(self.monitors(fading=0.5), {"in"}, 1.0, 1000.0, 3)
        self.assertLess(vessels.difference(second, third), 1e-9)
        self.assertGreater(vessels.difference(first, second), 0.05)


class Page(Folder):
    def setUp(self) -> None:
        super().setUp()
        self.page = self.folder / "page.md"

    def test_parts_are_replaced(self) -> None:
        text = "a\n<!-- one -->\nold\n<!-- end -->\nb\n<!-- one, more -->\n<!-- end -->\n"
        outcome = Outcome({"one": table(["x"], [[1]]), "one, more": r"\1"})
        expected = "a\n<!-- one -->\n\n| x |\n|---|\n| 1 |\n\n<!-- end -->\nb\n<!-- one, more -->\n\n\\1\n\n<!-- end -->\n"
        self.assertEqual(put_into(self.page, text, outcome), expected)
        self.assertEqual(put_into(self.page, expected, outcome), expected)
        self.assertEqual(self.page.read_text(), expected)

    def test_no_place_for_a_part(self) -> None:
        with self.assertRaisesRegex(InputError, "page.md: The page has 0 places '<!-- two -->'"):
            put_into(self.page, "<!-- one -->\n<!-- end -->\n", Outcome({"two": ""}))
        self.assertFalse(self.page.exists())

    def test_cases(self) -> None:
        self.assertEqual(toml({"title": "t", "inlet": [{"name": "in", "velocity": [[0.0, 1], [2.0, 3.5]]}],
                               "lattice": {"wall": "bouzidi", "on": True}, "run": {"wave": {"mean": 0.0}}}),
                         'title = "t"\n\n[[inlet]]\nname = "in"\nvelocity = [[0.0, 1], [2.0, 3.5]]\n\n'
                         '[lattice]\nwall = "bouzidi"\non = true\n\n[run]\nwave = {mean = 0.0}\n')

    def test_bad_arguments(self) -> None:
        self.page.write_text("")
        nowhere = [str(self.page.parent / "no-such-weft")]
        for program, word in ((nowhere, "can't be started"), (["false"], "weft flow failed")):
            with contextlib.redirect_stderr(io.StringIO()) as err:
                status = validation.main(["--page", str(self.page), "--work", str(self.page.parent), "--only", "poiseuille",
                                          "--", *program])
            self.assertEqual((status, len(err.getvalue().splitlines())), (2, 1), err.getvalue())
            self.assertIn(word, err.getvalue())


class RandomVessels(unittest.TestCase):
    HEADER = "mode,vessel,reynolds,end,wrongly_refused,why,mass_error,delivered_flow_error,delivered_pressure_error\n"

    def outcome(self, *rows: str) -> Outcome:
        with tempfile.TemporaryDirectory() as folder:
            trials = Path(folder) / "trials.csv"
            trials.write_text(self.HEADER + "".join(row + "\n" for row in rows))
            return vessels.random_ones(Program([], Path(folder)), Path(folder), trials=trials)

    def test_are_counted_by_their_mode(self) -> None:
        outcome = self.outcome("steady_murray,random-1,60,stable,0,,1e-4,0.02,0.1", 'steady_murray,random-2,90,refused,1,"no, never",0,0,0',
                               "pulse_flows,random-1,60,left out,0,dear,0,0,0", "pulse_flows,random-2,90,unstable,0,broke,0,0,0")
        self.assertEqual(len(outcome.parts["robustness"].splitlines()), 2 + 3)
        self.assertIn("| all | 3 | 1 |", outcome.parts["robustness"])
        self.assertIn("random-2, Reynolds number 90: refused: no, never", outcome.parts["robustness, the others"])
        self.assertEqual([check.found for check in outcome.checks], [1 / 3, 1])
        self.assertFalse(any(check.holds for check in outcome.checks))

    def test_that_were_all_left_out_say_nothing(self) -> None:
        with self.assertRaises(InputError):
            self.outcome("pulse_flows,random-1,60,left out,0,dear,0,0,0")


@unittest.skipIf(shutil.which(WEFT) is None, f"{WEFT} is not built (make build)")
class Study(unittest.TestCase):
    def test_bouzidi_walls_are_of_second_order(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Program([str(WEFT)], Path(folder))
            settings = [poiseuille.Setting(n, "bouzidi", "velocity, pressure") for n in (8, 12)]
            coarse, fine = (poiseuille.solve(program, setting) for setting in settings)
            half_way = poiseuille.solve(program, poiseuille.Setting(12, "half-way", "velocity, pressure"))
        self.assertGreater(order((8, 12), (coarse.profile_error, fine.profile_error)), 1.5)
        self.assertLess(fine.profile_error, 0.015)
        self.assertLess(fine.flow_error, 5e-3)
        self.assertGreater(half_way.profile_error, 3 * fine.profile_error)  # otherwise the case's wall would not be used

    def test_tubes_with_the_defaults(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Program([str(WEFT)], Path(folder))
            steady = tubes.solve_steady(program, "slanted", 40, 8)
            pulse = tubes.solve_pulse(program, "slanted", 40, 8, alpha=2)
        self.assertLess(abs(steady.mean), 0.035)
        self.assertLess(steady.each, 0.08)
        self.assertLess(abs(steady.drop), 0.12)
        self.assertLess(abs(pulse.amplitude), 0.08)
        self.assertLess(abs(pulse.degrees), 8)

    def test_checks(self) -> None:
        self.assertTrue(Check("x", 1.0, least=0.5).holds and Check("x", 1.0, most=1.5).holds)
        self.assertFalse(Check("x", float("nan")).holds or Check("x", 2.0, most=1.5).holds)
        self.assertEqual(Check("x", 1.0, 0.5, 1.5).wanted, "at least 0.5, at most 1.5")


if __name__ == "__main__":
    unittest.main()
