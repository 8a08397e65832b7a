// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "program/value.hpp"

namespace weft::python {

namespace nb = nanobind;

/// A value of a case from an object of Python: bool, int, float, str (or a path), list, tuple, dict, and numbers and
/// arrays of NumPy. `where` begins the messages about it. Throws InputError for any other type.
program::Value value_of(nb::handle object, const std::string& where);

/// The other way: bool, int, float, str, list, dict.
nb::object object_of(const program::Value& value);

}  // namespace weft::python
