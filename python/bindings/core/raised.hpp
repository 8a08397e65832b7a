// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <string>
#include <utility>

namespace weft::python {

namespace nb = nanobind;

/// An exception of Python as other ranks get it: "ValueError: on purpose"; of an error of weft, its sentence.
inline std::string text_of(nb::handle exception) {
  std::string name, text;
  try {  // the exception's own text may be impossible to make
    name = nb::cast<std::string>(exception.type().attr("__name__"));
    text = nb::cast<std::string>(nb::str(exception));
    if (nb::isinstance(exception, nb::module_::import_("weft.errors").attr("Error"))) return text;
  } catch (const std::exception&) {
    PyErr_Clear();
  }
  return text.empty() ? name : name + ": " + text;
}

/// An exception of Python that passes through the core, whose what() is text_of() instead of a traceback.
class Raised final : public nb::python_error {
 public:
  explicit Raised(nb::python_error&& error) : nb::python_error(std::move(error)), text_(text_of(value())) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// Calls functions of the program, with the GIL held: what they raise becomes a Raised.
template <class Calls>
decltype(auto) of_program(const Calls& calls) {
  try {
    return calls();
  } catch (nb::python_error& error) {
    throw Raised(std::move(error));
  }
}

}  // namespace weft::python
