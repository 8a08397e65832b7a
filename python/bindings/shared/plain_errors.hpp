// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace weft::python {

namespace nb = nanobind;

/// Call it when a module is complete: errors of wrong arguments become sentences.
void make_errors_plain(nb::module_& m);

}  // namespace weft::python
