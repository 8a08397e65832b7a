# SPDX-License-Identifier: BSD-3-Clause
"""core/fortran/weft.f90 repeats the structs and constants of weft.h, and of the C++ files beside it: they are the same."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = (ROOT / "core/c/include/weft.h").read_text()
BESIDE = "".join(path.read_text() for path in sorted((ROOT / "core/fortran").glob("*.[ch]pp")))
MODULE = (ROOT / "core/fortran/weft.f90").read_text()

# The structs of the module, and what they are in C and C++.
STRUCTS = {
    "message_options": "weft_message_options", "progress_options": "weft_progress_options",
    "exchange_options": "weft_exchange_options", "step_options": "weft_step_options", "client_functions": "weft_client",
    "step_counts": "weft_step_counts", "box_of_points": "weft_points", "halo_options": "weft_halo_options",
    "monitor": "weft_monitor", "monitors_options": "weft_monitors_options", "mailbox_options": "weft_mailbox_options",
    "tuning_options": "weft_tuning_options", "tile": "weft_tile", "pipeline_options": "weft_pipeline_options",
    "section": "Section", "rounds_options": "FortranRounds"}
# What the module leaves out.
LEFT_OUT = {"weft_setting_message_options"}
KINDS = {"size_t": "c_size_t", "int": "c_int", "double": "c_double", "int64_t": "c_int64_t", "std::int64_t": "c_int64_t",
         "std::intptr_t": "c_intptr_t", "weft_type": "c_int32_t"}


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)


def struct_in_c(name: str) -> list[tuple[str, str]]:
    text = without_comments(HEADER if name.startswith("weft_") else BESIDE)
    body = re.search(rf"struct {name} \{{(.*?)^\}}", text, re.DOTALL | re.MULTILINE).group(1)
    members = []
    for statement in filter(None, (" ".join(part.split()) for part in body.split(";"))):
        if function := re.match(r"(?:int|void) \(\*(\w+)\)\(", statement):
            members.append((function[1], "function"))
            continue
        kind, names = re.match(r"(?:const )?([\w:]+)(.*)", statement).groups()
        for one in names.split(","):
            name_of = re.search(r"\w+(?=\s*(?:\[|$))", one)[0]
            if "*" in one or (kind.startswith("weft_") and kind not in KINDS and not kind.endswith(("_options", "_combine"))):
                kind_of = "pointer"
            elif kind == "weft_combine":
                kind_of = "function"
            else:
                kind_of = KINDS.get(kind, kind.removeprefix("weft_"))
            members.append((name_of, kind_of))
    return members


def struct_in_fortran(name: str) -> list[tuple[str, str]]:
    body = re.search(rf"type, bind\(c\) :: {name}\n(.*?)\n  end type", MODULE, re.DOTALL)[1].replace("&\n", "")
    members = []
    for line in body.splitlines():
        kind, names = line.split("!")[0].rstrip().split(" :: ")
        kind = re.search(r"\((\w+)\)", kind)[1]
        kind = {"c_ptr": "pointer", "c_funptr": "function"}.get(kind, kind)
        members += [(one, kind) for one in re.findall(r"(\w+)(?:\([\w ]+\))?(?: = [\w()-]+)?(?:,|$)", names)]
    return members


class Module(unittest.TestCase):
    def test_the_structs_are_those_of_c(self):
        for here, there in STRUCTS.items():
            with self.subTest(struct=here):
                self.assertEqual(struct_in_fortran(here), struct_in_c(there))

    def test_every_struct_is_compared(self):
        self.assertEqual(set(re.findall(r"^  type, bind\(c\) :: (\w+)$", MODULE, re.MULTILINE)), set(STRUCTS))

    def test_constants_have_the_values_of_c(self):
        mine = {name: int(value) for name, value in re.findall(r"\b(weft_\w+) = (-?\d+)", MODULE)}
        values = re.findall(r"\b(WEFT_\w+) = (\d+)", HEADER)
        self.assertGreater(len(values), 40)
        names = {"weft_rounds": "weft_by_rounds"}  # a type has this name
        for name, value in values:
            name = names.get(name.lower(), name.lower())
            if name in mine:
                self.assertEqual(mine[name], int(value), name)
        kinds = {"int": 1, "real": 3, "complex": 4}
        for name, bits in re.findall(r"\bweft_(int|real|complex)(\d+) = ", MODULE):
            size = int(bits) // 8 * (2 if name == "complex" else 1)
            self.assertEqual(mine[f"weft_{name}{bits}"], kinds[name] << 24 | size)

    def test_every_function_of_c_can_be_called(self):
        functions = set(re.findall(r"^WEFT_API [^;(]*?\b(weft_\w+)\(", HEADER, re.MULTILINE))
        used = set(re.findall(r"\bweft_\w+", MODULE + BESIDE))
        by_queue = {name for name in functions if f"{name}_queue" in used}  # which takes no queue, too
        self.assertEqual(functions - used - by_queue - LEFT_OUT, set())

    def test_both_sides_have_one_interface(self):
        self.assertEqual(re.search(r"interface_number = (\d+)  ! of", MODULE)[1], re.search(r"interface_number = (\d+);", BESIDE)[1])
        for name in re.findall(r"\bfunction (weft_fortran_\w+)\(|subroutine (weft_fortran_\w+)\(", MODULE):
            self.assertIn("".join(name) + "(", BESIDE)


if __name__ == "__main__":
    unittest.main()
