// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace weft::lattice::detail {

/// Sum of x ln(scale x) over n numbers, each to a relative 1e-12 of its logarithm or better; NaN if one is not
/// positive. The C library's logarithm takes one number at a time; the compiler can vectorise this loop.
double sum_x_log_x(const double* x, std::size_t n, double scale);

}  // namespace weft::lattice::detail
