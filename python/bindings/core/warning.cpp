// SPDX-License-Identifier: BSD-3-Clause
#include "weft/warning.hpp"

#include <string>
#include <utility>

#include "core/bind.hpp"
#include "core/warning.hpp"

namespace weft::python {
namespace {

// The program's function; invalid: none. Guarded by the GIL. The core does not hold it: a copy of the core's may be
// destroyed without the GIL.
nb::object& function() {
  static auto& one = *new nb::object;  // never destroyed: the interpreter ends before
  return one;
}

void call(const std::string& text) {
  const nb::gil_scoped_acquire held;
  const nb::object now = function();       // it may set another one
  if (!now.is_valid()) return warn(text);  // reset meanwhile, so there is no handler
  try {
    now(nb::str(text.c_str(), text.size()));
  } catch (nb::python_error& error) {
    error.discard_as_unraisable(now);
  }
}

}  // namespace

void reset_warning_handler() {
  set_warning_handler({});
  const nb::object before = std::exchange(function(), {});  // its end may run code of the program
}

void bind_warning(nb::module_& m) {
  m.def(
      "set_warning_handler",
      [](nb::object handler) {
        if (handler.is_none()) return reset_warning_handler();
        if (PyCallable_Check(handler.ptr()) == 0)
          throw nb::type_error("The handler of warnings can't be called. Give a function of a str, or None.");
        const nb::object before = std::exchange(function(), handler);
        set_warning_handler(call);
      },
      nb::arg("handler").none(),
      nb::sig("def set_warning_handler(handler: collections.abc.Callable[[str], object] | None) -> None"),
      R"(Set what weft does with its warnings, such as that a rank has waited for long. Local.

A warning has no line end, and may have several lines. What the function raises is reported as unraisable.

Parameters
----------
handler : function of a str, or None
    Called in the thread that warns, which may be a thread of weft; it must not call weft. None: print to stderr.)");
  // For the module _programs, which has a core of its own.
  m.def("_warn", [](const std::string& text) { warn(text); });
}

}  // namespace weft::python
