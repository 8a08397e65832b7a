// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -mavx512f.
#include "bench/kernel/stream_body.hpp"

namespace weft::bench::detail {

const Pass* const avx512_passes = passes<64>;

}  // namespace weft::bench::detail
