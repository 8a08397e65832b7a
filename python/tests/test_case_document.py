# SPDX-License-Identifier: BSD-3-Clause
"""Cases of weft.flow, weft.box and weft.wave as objects."""
import copy
import importlib
import pickle
import unittest

import small_cases
from command import Folder


@unittest.skipIf(small_cases.BUILT is None, small_cases.NOT_BUILT)
class Document(Folder):
    def case(self, program):
        return importlib.import_module(f"weft.{program}").Case(small_cases.write_case(self.folder, program))

    def refuses(self, what, *words):
        from weft.errors import InputError
        with self.assertRaises(InputError) as caught:
            what()
        self.assertIsInstance(caught.exception, ValueError)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_values_are_those_of_the_file(self):
        case = self.case("flow")
        self.assertEqual(case.title, "A small tube")
        self.assertEqual(case.fluid.viscosity, "4 mPa s")
        self.assertEqual(case.inlet[0].velocity, 0.05)
        self.assertEqual(case.outlet["out"].normal, [0, 0, -1])
        self.assertEqual(case.run.steps, 60)
        self.assertIs(case.output.summary, False)
        self.assertEqual(case.outlet.names(), ["out"])

    def test_values_are_set(self):
        import numpy
        case = self.case("flow")
        case.fluid.viscosity = 0.0035
        case.inlet[0].velocity = "3 cm/s"
        case.inlet["in"].centre = numpy.zeros(3)
        case.run.steps = numpy.int64(5)
        case.lattice["collision"] = "trt"
        case.monitor.flow_rates = False
        case.title = "Another"
        self.assertEqual((case.fluid.viscosity, case.inlet[0].velocity, case.run.steps), (0.0035, "3 cm/s", 5))
        self.assertEqual((case.title, case.monitor.flow_rates, case.inlet[0].centre), ("Another", False, [0.0, 0.0, 0.0]))
        self.assertEqual(case.monitor.every, 5)

    def test_a_key_removes_the_keys_that_it_excludes(self):
        case = self.case("flow")
        case.run.duration = "5 ms"
        self.assertEqual(case.run.to_dict(), {"duration": "5 ms"})
        case.outlet[0].windkessel = {"resistance": 1e9, "capacitance": 1e-10}
        self.assertNotIn("pressure", case.outlet[0])
        case.outlet[0].windkessel.resistance = "2e9 Pa s/m^3"
        self.assertEqual(case.outlet[0].windkessel.to_dict(), {"resistance": "2e9 Pa s/m^3", "capacitance": 1e-10})

    def test_wrong_keys_and_values_are_refused_at_once(self):
        case = self.case("flow")
        before = str(case)

        def set_section(section, key, value):
            return lambda: setattr(getattr(case, section), key, value)
        self.refuses(set_section("fluid", "viscosty", 1), "viscosty", "Did you mean 'viscosity'?")
        self.refuses(set_section("fluids", "viscosity", 1), "fluids", "Did you mean 'fluid'?")
        self.refuses(set_section("fluid", "viscosity", -1), "fluid.viscosity: viscosity in [fluid] is -1")
        self.refuses(set_section("fluid", "viscosity", "4 mmHg"), "mmHg")
        self.refuses(set_section("lattice", "collision", "brk"), "Did you mean 'bgk'?")
        self.refuses(set_section("run", "steps", 2.5), "a whole number")
        self.refuses(set_section("run", "steps", None), "None of duration, steps is given")
        self.refuses(set_section("run", "steps", 10**30), "too large")
        self.refuses(set_section("fluid", "viscosity", object()), "the type object")
        self.refuses(lambda: setattr(case, "title", "\ud800"), "not valid Unicode")
        self.refuses(lambda: setattr(case, "run", 5), "run is a section")
        self.refuses(lambda: case.set({"outlet.left.pressure": 5}), "There is no outlet 'left'")
        self.assertEqual(str(case), before)

    def test_a_file_with_a_mistake(self):
        import weft.box
        file = small_cases.write_case(self.folder, "box")
        file.write_text(small_cases.BOX.replace("steps = 20", "step = 20"))
        self.refuses(lambda: weft.box.Case(file), f"{file}:", "The key 'step' is unknown in [run]", "Did you mean 'steps'?")
        self.refuses(lambda: weft.box.Case(self.folder / "none.toml"), "none.toml", "No such file")
        self.refuses(lambda: weft.box.Case({"box": {}}), "[lattice] is missing")
        with self.assertRaises(TypeError):
            weft.box.Case(5)

    def test_a_change_that_would_be_lost_is_refused(self):
        case = self.case("flow")
        with self.assertRaisesRegex(TypeError, "Assign a whole list"):
            case.inlet[0].centre[2] = 1
        with self.assertRaisesRegex(TypeError, "Assign a whole list"):
            case.output.quantities.append("stress")
        case.output.quantities += ["stress"]
        self.assertEqual(case.output.quantities, ["pressure", "velocity", "wall_shear_stress", "stress"])
        centre = copy.deepcopy(case.inlet[0].centre)
        centre[2] = 1
        self.assertEqual((centre, type(centre)), ([0, 0, 1], list))
        with self.assertRaisesRegex(AttributeError, r"inlet is a list of sections.*inlet\[0\].velocity"):
            case.inlet.velocity = 0.1
        with self.assertRaisesRegex(AttributeError, r"inlet\[0\].velocity"):
            case.inlet.velocity

    def test_sections_by_number_and_name(self):
        import numpy
        case = self.case("flow")
        self.assertEqual(case.inlet[numpy.int64(0)].velocity, 0.05)
        self.assertTrue("in" in case.inlet and "out" not in case.inlet)
        with self.assertRaisesRegex(KeyError, "There is no outlet 'left'"):
            del case.outlet["left"]
        with self.assertRaisesRegex(IndexError, "There is no outlet -5"):
            del case.outlet[-5]
        with self.assertRaisesRegex(TypeError, "a number or a name"):
            case.outlet[0:1]
        held = case.inlet[0]
        held.name = "other"
        with self.assertRaisesRegex(AttributeError, "inlet.in.velocity is not set"):
            held.velocity

    def test_keys_that_are_not_set(self):
        case = self.case("box")
        with self.assertRaisesRegex(AttributeError, "lattice.tau is not set"):
            case.lattice.tau
        with self.assertRaisesRegex(KeyError, "lattice.tau is not set"):
            case.lattice["tau"]
        with self.assertRaisesRegex(IndexError, "There is no particle 3"):
            case.particle[3]
        with self.assertRaisesRegex(KeyError, "There is no particle 'x'"):
            case.particle["x"]
        self.assertEqual(list(case.walls), [])
        del case.title
        with self.assertRaisesRegex(AttributeError, "title is not set"):
            case.title
        case.title = "A box"
        self.assertEqual(case.title, "A box")

    def test_keys_are_removed(self):
        case = self.case("flow")
        del case.fluid.viscosity
        self.assertNotIn("viscosity", case.fluid)
        del case.monitor
        self.assertEqual(len(case.monitor), 0)
        with self.assertRaises(AttributeError):
            del case.fluid.viscosity

    def test_sections_are_added_and_removed(self):
        case = self.case("box")
        case.particle.append({"position": [9, 5, 4], "radius": 1.5})
        self.assertEqual([p.radius for p in case.particle], [2.3, 1.5])
        case.particle[1].radius = 1.25
        self.assertEqual(case.particle[1].radius, 1.25)
        del case.particle[0]
        self.assertEqual([p.radius for p in case.particle], [1.25])
        del case.particle[0]
        self.assertEqual(len(case.particle), 0)

    def test_text_and_dict_give_the_same_case(self):
        for program in ("flow", "box", "wave"):
            with self.subTest(program):
                case = self.case(program)
                of = type(case)
                again = of.from_text(str(case), folder=self.folder)
                self.assertEqual(again, case)
                self.assertEqual(of(case.to_dict(), folder=self.folder), case)
                self.assertEqual(case.file, str(self.folder / "case.toml"))

    def test_toml(self):
        from weft._case import toml
        self.assertEqual(toml({"b": {"x": 1, "low x": [1.5, True]}, "a": "say \"no\"\n", "c": [{"d": {"e": []}}]}),
                         'a = "say \\"no\\"\\n"\n\n[b]\nx = 1\n"low x" = [1.5, true]\n\n[[c]]\nd = {e = []}\n')

    def test_pickle(self):
        case = self.case("flow")
        again = pickle.loads(pickle.dumps(case))
        self.assertEqual((again, again.file), (case, case.file))
        other = copy.deepcopy(case)
        other.run.steps = 5
        self.assertEqual(case.run.steps, 60)

    def test_copies_are_independent(self):
        case = self.case("wave")
        other = case.copy({"wave.cfl": 0.3, "run.time": 0.5})
        self.assertEqual(other.run.to_dict(), {"time": 0.5})
        self.assertEqual(case.run.to_dict(), {"steps": 12})
        self.assertNotIn("cfl", case.wave)


if __name__ == "__main__":
    unittest.main()
