// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/detail/cast_body.hpp"

namespace weft::insitu::detail {

const CastKernel generic_cast = cast_row;

}  // namespace weft::insitu::detail
