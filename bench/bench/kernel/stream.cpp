// SPDX-License-Identifier: BSD-3-Clause
#include "bench/kernel/stream.hpp"

#include "bench/kernel/stream_body.hpp"

namespace weft::bench {
namespace {

std::size_t bytes_of_an_array(lattice::DenseLattice& lattice) {
  const auto& n = lattice.block();
  return n[0] * n[1] * n[2] * lattice.layout().element_bytes / detail::line * detail::line;
}

const detail::Pass* widest() {
#ifdef WEFT_BENCH_X86
  if (__builtin_cpu_supports("avx512f")) return detail::avx512_passes;
  if (__builtin_cpu_supports("avx2")) return detail::avx2_passes;
#endif
  return detail::passes<16>;
}

volatile std::uint64_t unknown_zero = 0;

}  // namespace

void stream(lattice::DenseLattice& lattice) {
  const auto at = lattice.layout();
  // The cache line of the first site, after the ghosts.
  std::byte* const first =
      at.data + (detail::line - reinterpret_cast<std::uintptr_t>(at.data) % detail::line) % detail::line;
  const std::size_t set = at.components == 9 ? 0 : at.components == 15 ? 1 : at.components == 19 ? 2 : 3;
  widest()[set]({first, at.component_stride * at.element_bytes, bytes_of_an_array(lattice), unknown_zero});
}

double streamed_bytes(lattice::DenseLattice& lattice) {
  return 2.0 * static_cast<double>(bytes_of_an_array(lattice) * lattice.layout().components);
}

}  // namespace weft::bench
