// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -mavx2.
#include "bench/kernel/stream_body.hpp"

namespace weft::bench::detail {

const Pass* const avx2_passes = passes<32>;

}  // namespace weft::bench::detail
