// SPDX-License-Identifier: BSD-3-Clause
#include "core/raised.hpp"

#include <exception>

#include "core/bind.hpp"

namespace weft::python {

// The exception's own text may be impossible to make.
std::string text_of(nb::handle exception) {
  std::string name, text;
  try {
    name = nb::cast<std::string>(exception.type().attr("__name__"));
    text = nb::cast<std::string>(nb::str(exception));
    if (nb::isinstance(exception, nb::module_::import_("weft.errors").attr("Error"))) return text;
  } catch (const std::exception&) {
    PyErr_Clear();
  }
  return text.empty() ? name : name + ": " + text;
}

}  // namespace weft::python
