// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -mavx2.
#include "insitu/detail/cast_body.hpp"

namespace weft::insitu::detail {

const CastKernel avx2_cast = cast_row;

}  // namespace weft::insitu::detail
