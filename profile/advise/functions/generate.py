#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generates the hooks of libweft_advise from the table of MPI's functions.

    generate.py TABLE FOLDER

Writes into FOLDER:
    slots.S        the loader's exported functions: each jumps to the target of its slot
    early_slots.inc   the number of exported functions, which have the first slots
    slots.inc      the names of all slots
    slot_numbers.hpp   the slots' numbers, for the libraries of one ABI
    hooks_c.inc, hooks_fortran.inc   the hooks, in C and in Fortran
    hook_table_c.inc, hook_table_fortran.inc, hook_table_setup.inc   the slot of each hook
"""
import pathlib
import re
import sys

C_TYPES = {  # kind: (C, large)
    "in": "const void*", "buf": "void*", "n": ("int", "MPI_Count"), "ns": ("const int*", "const MPI_Count*"),
    "at": ("const int*", "const MPI_Aint*"), "unit": ("int", "MPI_Aint"), "long": "MPI_Count", "aint": "MPI_Aint",
    "aints": "const MPI_Aint*", "int": "int", "ints": "const int*", "out": "int*", "request": "MPI_Request*",
    "requests": "MPI_Request*", "new": "MPI_Request*", "value": "MPI_Request", "status": "MPI_Status*",
    "statuses": "MPI_Status*", "messages": "MPI_Message*", "type": "MPI_Datatype", "types": "const MPI_Datatype*",
    "comm": "MPI_Comm", "comms": "MPI_Comm*", "op": "MPI_Op", "info": "MPI_Info", "win": "MPI_Win",
    "session": "MPI_Session", "group": "MPI_Group", "file": "void*", "text": "const void*", "ptr": "void*",
}
LARGE = {"n", "ns", "at", "unit"}
# Functions with a count argument, but without a variant for large counts.
ONLY_SMALL = {"Fetch_and_op"}


class Function:
    def __init__(self, role, name, arguments, large=False):
        self.role, self.name, self.arguments, self.large = role, name, arguments, large

    @property
    def c_name(self):
        return f"MPI_{self.name}" + ("_c" if self.large else "")

    def kinds(self):
        return {name: kind for kind, name in self.arguments}

    def index(self, name):
        return [n for _, n in self.arguments].index(name)

    def has(self, name):
        return any(n == name for _, n in self.arguments)


def parse(table):
    """Functions, names of hooks written by hand, names new in MPI 4, patterns of names without hooks."""
    functions, by_hand, new, ignored = [], [], [], []
    for number, line in enumerate(table.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        role, rest = line.split(None, 1)
        if role == "not_hooked":
            ignored += rest.split()
        elif role == "since_4":
            new += rest.split()
        elif role == "by_hand":
            by_hand += rest.split()
        else:
            match = re.fullmatch(r"(\w+)\((.*)\)", rest)
            if match is None:
                sys.exit(f"{table}:{number}: '{line}' is not a function. Write role Name(kind name, ...).")
            arguments = [tuple(a.split()) for a in match[2].split(",") if a.strip()]
            for argument in arguments:
                if len(argument) != 2 or argument[0] not in C_TYPES:
                    sys.exit(f"{table}:{number}: '{' '.join(argument)}' is not an argument. Use one of the kinds {', '.join(C_TYPES)}.")
            functions.append(Function(role, match[1], arguments))
    return functions, by_hand, new, ignored


def expanded(functions):
    """Yields the functions with all forms of collectives and the variants for large counts."""
    for f in functions:
        forms = [f]
        if f.role == "collective":
            new, info = ("new", "request"), ("info", "info")
            forms += [Function("post_collective", "I" + f.name[0].lower() + f.name[1:], [*f.arguments, new]),
                      Function("prepare_collective", f.name + "_init", [*f.arguments, info, new])]
        for form in forms:
            yield form
            if any(kind in LARGE for kind, _ in form.arguments):
                yield Function(form.role, form.name, form.arguments, large=True)


# --- The statements before and after the library's function, for C and for Fortran. `v` returns the expression of an
# argument's value.

def message(v, n="n", type_="type", to="to", tag="tag", comm="comm"):
    return f"{{{v(n)}, {v(type_)}, {v(to)}, {v(tag)}, {v(comm)}}}"


def of_collective(f, v, c):
    """The bytes of this rank's block, and the communicator. In place, the other side's arguments describe the block."""
    def block(end, in_place):
        count = lambda name: v(name, raw=True) if c else f"a::fortran::counts<{'MPI_Count' if f.large else 'MPI_Fint'}>({name})"
        if f.has("n" + end):
            return f"a::bytes_of({v('n' + end)}, {v('type' + end)})"
        if f.has("types" + end):
            type_of = f"types{end}[i]" if c else f"a::fortran::type(types{end}, i)"
            return f"a::mean_bytes({count('ns' + end)}, [&](int i) {{ return {type_of}; }}, a::peers({v('comm')}))"
        if f.has("ns" + end) and in_place and not f.has("ns"):  # a gather or scatter of different blocks
            return f"a::own_bytes({count('ns' + end)}, {v('type' + end)}, {v('comm')})"
        if f.has("ns" + end):
            peers = "a::local_size" if "educe_scatter" in f.name else "a::peers"
            return f"a::mean_bytes({count('ns' + end)}, [&](int) {{ return {v('type' + end)}; }}, {peers}({v('comm')}))"
        return "0"

    if f.name.lower().lstrip("i").startswith("neighbor_") and not f.has("n"):
        return f"0, {v('comm')}"  # the number of neighbours is not known
    own = block("", False)
    if any(f.has(name + "2") for name in ("n", "ns", "types")):
        buffer = f.arguments[min(f.index(name) for name in ("n", "ns", "types") if f.has(name)) - 1][1]
        place = f"{buffer} == MPI_IN_PLACE" if c else f"a::fortran::in_place({buffer})"
        own = f"{place} ? {block('2', True)} : {own}"
    return f"{own}, {v('comm')}"


def body(f, v, c):
    """(before, after); `c`: for C, where statuses can be read."""
    status = "reported" if c else "nullptr"
    r = f.role
    request = v("request") if f.has("request") else ""
    # The library's function refuses a null pointer.
    matched = f"message != nullptr ? {v('message')} : MPI_Message{{}}" if f.has("message") else ""
    requests = lambda n: f"call.requests({n}, {v('requests' if f.has('requests') else 'request', raw=True)});"
    first = 0 if c else 1
    # Fortran's constants for any rank and any tag may differ from C's.
    for_message = f"call.enter_wait({v('from')}, {v('tag')}, {v('comm')});" if c and f.has("from") else "call.enter();"
    simple = {
        "send": lambda: ("call.enter();", f"call.sent({message(v)});"),
        "receive": lambda: (for_message, f"call.received({message(v, to='from')}, {status});"),
        "sendrecv": lambda: ("call.enter();", f"call.exchanged({message(v)}, "
                             f"{message(v, 'n2', 'type2', 'from', 'tag2')}, {status});"),
        "sendrecv_replace": lambda: ("call.enter();", f"call.exchanged({message(v)}, "
                                     f"{message(v, to='from', tag='tag2')}, {status});"),
        "post_send": lambda: ("call.enter_post();", f"call.posted(a::Kind::post_send, {message(v)}, {request});"),
        "post_receive": lambda: ("call.enter_post();",
                                 f"call.posted(a::Kind::post_receive, {message(v, to='from')}, {request});"),
        "post_both": lambda: ("call.enter_post();", f"call.posted_both({message(v)}, "
                              f"{message(v, 'n2', 'type2', 'from', 'tag2')}, {request});"),
        "post_both_replace": lambda: ("call.enter_post();", f"call.posted_both({message(v)}, "
                                      f"{message(v, to='from', tag='tag2')}, {request});"),
        "prepare_send": lambda: ("", f"call.prepared(a::Kind::post_send, {message(v)}, {request});"),
        "prepare_receive": lambda: ("", f"call.prepared(a::Kind::post_receive, {message(v, to='from')}, {request});"),
        "prepare_parts_send": lambda: ("", f"call.prepared_parts(a::Kind::post_send, {v('partitions')}, {message(v)}, "
                                       f"{request});"),
        "prepare_parts_receive": lambda: ("", f"call.prepared_parts(a::Kind::post_receive, {v('partitions')}, "
                                          f"{message(v, to='from')}, {request});"),
        "start": lambda: (requests("1") + " call.enter_post();", "call.started();"),
        "startall": lambda: (requests(v("count")) + " call.enter_post();", "call.started();"),
        "wait": lambda: (requests("1") + " call.enter_wait(true);", f"call.completed(a::Kind::wait, {{1}}, {status});"),
        "waitall": lambda: (requests(v("count")) + " call.enter_wait(true);",
                            f"call.completed(a::Kind::wait, {{{v('count')}}}, {status});"),
        "waitany": lambda: (requests(v("count")) + " call.enter_wait(false);",
                            f"call.completed(a::Kind::wait, {{{v('index')} == MPI_UNDEFINED ? 0 : 1, "
                            f"{v('index', raw=True)}, {first}}}, {status});"),
        "waitsome": lambda: (requests(v("count")) + " call.enter_wait(false);",
                             f"call.completed(a::Kind::wait, {{{v('done')}, {v('which', raw=True)}, {first}}}, "
                             f"{status});"),
        "test": lambda: (requests("1") + " call.enter_test();",
                         f"call.completed(a::Kind::test, {{{v('flag')} != 0 ? 1 : 0}}, {status});"),
        "testall": lambda: (requests(v("count")) + " call.enter_test();",
                            f"call.completed(a::Kind::test, {{{v('flag')} != 0 ? {v('count')} : 0}}, "
                            f"{status});"),
        "testany": lambda: (requests(v("count")) + " call.enter_test();",
                            f"call.completed(a::Kind::test, {{{v('flag')} != 0 && {v('index')} != MPI_UNDEFINED ? 1 : 0, "
                            f"{v('index', raw=True)}, {first}}}, {status});"),
        "testsome": lambda: (requests(v("count")) + " call.enter_test();",
                             f"call.completed(a::Kind::test, {{{v('done')}, {v('which', raw=True)}, {first}}}, "
                             f"{status});"),
        "get_status": lambda: ("call.enter_test();", f"call.tested(a::Kind::test, {v('flag')} != 0);"),
        "request_free": lambda: ("", ""),
        "probe": lambda: (for_message, "call.tested(a::Kind::probe, true);"),
        "iprobe": lambda: ("call.enter_test();", f"call.tested(a::Kind::probe, {v('flag')} != 0);"),
        "mprobe": lambda: (for_message, f"call.matched(true, {v('message')}, {status}, {v('comm')});"),
        "improbe": lambda: ("call.enter_test();",
                            f"call.matched({v('flag')} != 0, {v('message')}, {status}, {v('comm')});"),
        "mrecv": lambda: (f"const auto from = call.matched_stream({matched}); call.enter();",
                          f"call.received_matched(from, {v('n')}, {v('type')}, {status});"),
        "imrecv": lambda: (f"const auto from = call.matched_stream({matched}); call.enter_post();",
                           f"call.posted_matched(from, {v('n')}, {v('type')}, {request});"),
        "collective": lambda: ("call.enter();", f"call.collective({of_collective(f, v, c)});"),
        "post_collective": lambda: ("call.enter_post();", f"call.posted_collective({of_collective(f, v, c)}, {request});"),
        "prepare_collective": lambda: ("", f"call.prepared_collective({of_collective(f, v, c)}, {request});"),
        "one_sided": lambda: ("call.enter();", f"call.counted(a::Kind::one_sided, "
                              f"{v('n') if f.has('n') else 1}, {v('type')});"),
        "one_sided_wait": lambda: ("call.enter();", "call.counted(a::Kind::one_sided_wait);"),
        "file": lambda: ("call.enter();", "call.counted(a::Kind::file"
                         + (f", {v('n')}, {v('type')});" if f.has("n") else ");")),
        "making_window": lambda: ("call.enter_window();", "call.counted(a::Kind::making);"),
        "making": lambda: ("call.enter();", "call.counted(a::Kind::making);"),
        "comm_free": lambda: ("call.enter();", "call.counted(a::Kind::other);"),
        "uncovered": lambda: ("call.enter();", "call.counted(a::Kind::uncovered);"),
        "other": lambda: ("call.enter();", "call.counted(a::Kind::other);"),
    }
    return simple[r]()


FOLLOWED = {"prepare_send", "prepare_receive", "prepare_parts_send", "prepare_parts_receive",
            "prepare_collective"}  # also while calls are not recorded
# The handles that are freed are known always, also in the program's callbacks.
FREED = {"request_free": ("call.forgotten", "request"), "comm_free": ("call.forgotten_communicator", "comm")}
OWN_STATUS = {"receive", "sendrecv", "sendrecv_replace", "wait", "waitany", "test", "testany", "mprobe", "improbe", "mrecv"}
OWN_STATUSES = {"waitall", "waitsome", "testall", "testsome"}


def after_success(f, after):
    """The outputs of a call that returned an error are undefined."""
    if not after:
        return ""
    succeeded = "succeeded_in_part" if f.role in OWN_STATUSES else "succeeded"
    return f"if (call.{succeeded}()) {{\n    {after}\n  }} else {{\n    call.failed();\n  }}"


def freed(f, v, c):
    if f.role not in FREED:
        return ""
    call, name = FREED[f.role]
    return f"  if (call.forgets({name if c else ''})) {call}({v(name)});\n"


def c_hook(f):
    type_of = lambda kind: C_TYPES[kind] if isinstance(C_TYPES[kind], str) else C_TYPES[kind][f.large]
    kinds = f.kinds()

    def v(name, raw=False):
        points = kinds[name] in ("out", "request", "requests", "new", "messages", "comms")
        return f"*{name}" if points and not raw else name

    parameters = ", ".join(f"{type_of(kind)} {name}" for kind, name in f.arguments)
    own = f.role in OWN_STATUS or f.role in OWN_STATUSES
    arguments = ", ".join("reported" if own and name in ("status", "statuses") else name for _, name in f.arguments)
    before, after = body(f, v, True)
    status = ("  MPI_Status own;\n  auto* const reported = status == MPI_STATUS_IGNORE ? &own : status;\n" if f.role in OWN_STATUS else
              "  auto* const reported = statuses == MPI_STATUSES_IGNORE ? a::Call::own_statuses(count) : statuses;\n" if own else "")
    return f"""static int c_{f.c_name}({parameters}) {{
  const auto next = reinterpret_cast<int (*)({", ".join(type_of(k) for k, _ in f.arguments)})>(a::next(slot_{f.c_name}));
  a::Call call("{f.c_name}", __builtin_return_address(0));
{freed(f, v, True)}  if (!call.{"follows" if f.role in FOLLOWED else "recorded"}()) return next({", ".join(n for _, n in f.arguments)});
{status}  {before}
  const int code = call.leave(next({arguments}));
  {after_success(f, after)}
  return code;
}}
"""


def fortran_hook(f, symbol, slot, large):
    names = [name for _, name in f.arguments]
    kinds = f.kinds()
    hidden = sum(kind == "text" for kind in kinds.values())
    all_names = [*names, "error", *(f"length{i}" for i in range(hidden))]

    def v(name, raw=False):
        kind = kinds[name]
        if raw:
            return f"a::fortran::{'requests' if kind in ('request', 'requests') else 'numbers'}({name})"
        if kind == "long" or (large and kind in ("n", "unit")):
            return f"a::fortran::large({name})"
        return {"type": f"a::fortran::type({name})", "comm": f"a::fortran::comm({name})",
                "comms": f"a::fortran::comm({name})", "request": f"a::fortran::request({name})",
                "new": f"a::fortran::request({name})", "value": f"a::fortran::request({name})",
                "messages": f"a::fortran::message({name})"}.get(kind, f"a::fortran::number({name})")

    before, after = body(f, v, False)
    parameters = ", ".join(f"void* {name}" for name in all_names)
    call = f"next({', '.join(all_names)})"
    return f"""static void {symbol}({parameters}) {{
  const auto next = reinterpret_cast<void (*)({", ".join(["void*"] * len(all_names))})>(a::next({slot}));
  a::Call call("{f.c_name}", __builtin_return_address(0));
{freed(f, v, False)}  if (!call.{"follows" if f.role in FOLLOWED else "recorded"}()) return {call};
  {before}
  {call};
  call.leave(a::fortran::error(error));
  {after_success(f, after)}
}}
"""


def fortran_slots(low):
    """The Fortran symbols of a function: the first list are names of the same function, those of the second differ.

    MPI libraries also export mpi_send and MPI_SEND, which no Linux compiler generates. They have no hooks: a plug-in with
    a C function mpi_send of its own (R's Rmpi) would call the hook instead.
    """
    return [f"mpi_{low}_", f"mpi_{low}__"], [f"mpi_{low}_f08_", f"mpi_{low}_f08ts_"]


def main():
    table, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    functions, by_hand, new, _ = parse(table)
    functions = list(expanded(functions))
    early, late, hooks, c, fortran = [], [], {}, [], []

    def add(symbol, hook, of=None):
        is_new = of is not None and (of.large or of.role == "prepare_collective" or of.name in new)
        (late if is_new else early).append(symbol)
        hooks[symbol] = hook

    for f in functions:
        add(f.c_name, f"c_{f.c_name}", f)
        c.append(c_hook(f))
        if f.large:
            for symbol in (f"mpi_{f.name.lower()}_f08ts_large_", f"mpi_{f.name.lower()}_f08_large_"):
                add(symbol, f"f_{symbol}", f)
                fortran.append(fortran_hook(f, f"f_{symbol}", f"slot_{symbol}", True))
            continue
        old, modern = fortran_slots(f.name.lower())
        for symbol in old:
            add(symbol, f"f_{old[0]}", f)
        fortran.append(fortran_hook(f, f"f_{old[0]}", f"slot_{old[0]}", False))
        for symbol in modern:
            add(symbol, f"f_{symbol}", f)
            fortran.append(fortran_hook(f, f"f_{symbol}", f"slot_{symbol}", False))
    for name in by_hand:
        add(f"MPI_{name}", f"c_MPI_{name}")
        old, modern = fortran_slots(name.lower())
        for symbol in old:
            add(symbol, f"f_{old[0]}")
        add(modern[0], f"f_{modern[0]}")

    write = lambda name, text: (folder / name).write_text(f"// Made by generate.py of {table.name}.\n" + text)
    slots = [*early, *late]
    write("slots.S", "".join(f"SLOT {n}, {symbol}\n" for n, symbol in enumerate(early)))
    write("early_slots.inc", f"{len(early)}\n")
    write("slots.inc", "".join(f'"{symbol}",\n' for symbol in slots))
    write("slot_numbers.hpp", "#pragma once\nnamespace weft::advise {\nenum Slot : unsigned {\n"
          + "".join(f"  slot_{symbol},\n" for symbol in slots) + "  slots\n};\n}  // namespace weft::advise\n")
    write("hooks_c.inc", "\n".join(c))
    write("hooks_fortran.inc", "\n".join(fortran))
    setup = {symbol for symbol in hooks if re.fullmatch("(?i)mpi_(" + "|".join(by_hand) + ")_*(f08_)?", symbol)}
    for name, mine in (("c", lambda s, h: s not in setup and h.startswith("c_")),
                       ("fortran", lambda s, h: s not in setup and h.startswith("f_")),
                       ("setup", lambda s, h: s in setup)):
        write(f"hook_table_{name}.inc", "".join(f"HOOK({s}, {h})\n" for s, h in hooks.items() if mine(s, h)))


if __name__ == "__main__":
    main()
