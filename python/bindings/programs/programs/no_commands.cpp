// SPDX-License-Identifier: BSD-3-Clause
#include "programs/commands.hpp"

namespace weft::python {

std::span<const MainFunction> main_functions() { return {}; }

}  // namespace weft::python
