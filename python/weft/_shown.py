# SPDX-License-Identifier: BSD-3-Clause
"""What inspect.signature() and notebooks show of the classes and functions of weft."""
import ctypes
import gc
import re
from html import escape
from types import ModuleType
from typing import Any


def in_html(thing: object) -> str:
    """The `_repr_html_` of a class: its `repr()`."""
    return f"<code>{escape(repr(thing))}</code>"


class Annotation(str):
    """A type in a signature, which is shown without quotes."""

    __repr__ = str.__str__


def one_signature(text: str, defaults: tuple | None) -> Any:
    """The inspect.Signature of the last `def` in a text of nanobind, where \\N stands for default N."""
    import inspect
    names: dict[str, Any] = {"_": defaults}
    text = re.sub(r"\\=?(\d+)", r"_[\1]", text[text.rindex("def "):])
    text = re.sub(r"\b(typing|collections\.abc)\.", "", text)
    exec(f"from __future__ import annotations\n{text}: ...", names)
    found = inspect.signature(names[text[4:text.index("(")]])
    return found.replace(return_annotation=Annotation(found.return_annotation), parameters=[
        p if p.annotation is p.empty else p.replace(annotation=Annotation(p.annotation)) for p in found.parameters.values()])


def signature(function: Any) -> Any:
    """The inspect.Signature of a function of nanobind. What only some overloads have is optional."""
    found, *others = (one_signature(text, defaults) for text, _, defaults in function.__nb_signature__)
    parameters = dict(found.parameters)
    for other in others:
        for name, parameter in other.parameters.items():
            is_variadic = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            parameters.setdefault(name, parameter if is_variadic else parameter.replace(default=...))
    return found.replace(parameters=sorted(parameters.values(), key=lambda parameter: parameter.kind))


def without_self(found: Any) -> Any:
    return found.replace(parameters=list(found.parameters.values())[1:])


def signature_of_class(kind: Any) -> Any:
    import inspect
    if isinstance(kind.__init__, type(object.__init__)):  # none of its own: weft makes the objects
        return inspect.Signature()
    if not hasattr(kind.__init__, "__nb_signature__"):
        raise AttributeError("__signature__")  # a subclass in Python: inspect looks itself
    return without_self(signature(kind.__init__))


def install(module: ModuleType) -> None:
    """Adds `__signature__` to nanobind's kinds of functions and classes, and `_repr_html_` to the classes of a module."""
    bound = module.Timeline().reset
    for kind, found in ((type(module.rank), signature), (type(bound.__func__), signature), (type(module.Timeline), signature_of_class),
                        (type(bound), lambda method: without_self(signature(method.__func__)))):
        # Python lets nobody change these types, so their dictionaries are changed.
        gc.get_referents(kind.__dict__)[0]["__signature__"] = property(found)
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
    for one in vars(module).values():
        if isinstance(one, type(module.Timeline)) and "_repr_html_" not in vars(one):
            one._repr_html_ = in_html
