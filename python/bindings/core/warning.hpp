// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::python {

/// Warnings are printed to stderr again. With the GIL held.
void reset_warning_handler();

}  // namespace weft::python
