// SPDX-License-Identifier: BSD-3-Clause
//
// The loop of stream(), included by one file per instruction set, with its vector width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lattice/velocity_sets.hpp"

namespace weft::bench::detail {

constexpr std::size_t line = 64;

/// Arrays `stride` bytes apart, of `length` bytes each, a multiple of a cache line.
struct Streams {
  std::byte* first;
  std::size_t stride, length;
  std::uint64_t nothing;  ///< always 0, which the compiler must not know, or it would drop the writes
};

// Bits are combined, not floating-point numbers, so that the values do not affect the time. As in the lattice's kernel,
// cache lines are prefetched, since the processor's prefetcher follows fewer streams and stops at each page.
template <std::size_t bytes, int arrays>
void pass(const Streams& streams) {
  typedef std::uint64_t Vector __attribute__((vector_size(bytes)));
  const Streams s = streams;
  const Vector mask = Vector{} | s.nothing;
  for (std::size_t k = 0; k < s.length; k += line)
    lattice::unrolled<arrays>([&](auto i) __attribute__((always_inline)) {
      std::byte* const at = s.first + static_cast<std::size_t>(i()) * s.stride + k;
      __builtin_prefetch(at + 8 * line, 1, 3);
      lattice::unrolled<static_cast<int>(line / bytes)>([&](auto part) __attribute__((always_inline)) {
        Vector v;
        std::memcpy(&v, at + part() * bytes, sizeof v);
        v ^= mask;
        std::memcpy(at + part() * bytes, &v, sizeof v);
      });
    });
}

/// Indexed by VelocitySet.
using Pass = void (*)(const Streams&);
template <std::size_t bytes>
constexpr Pass passes[4] = {&pass<bytes, 9>, &pass<bytes, 15>, &pass<bytes, 19>, &pass<bytes, 27>};

extern const Pass* const avx2_passes;
extern const Pass* const avx512_passes;

}  // namespace weft::bench::detail
