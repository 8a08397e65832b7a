// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::flow {

/// (1 - cos(pi x)) / 2 for x in [0, 1]. Uses only additions, multiplications and divisions, so the result is bitwise
/// identical on every machine.
double half_cosine(double x);

}  // namespace weft::flow
