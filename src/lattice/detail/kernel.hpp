// SPDX-License-Identifier: BSD-3-Clause
//
// What the hot loop is given. This header is included by files that are compiled for one instruction set, so it must
// hold no code: an inline function compiled there could be the one that the linker keeps for all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lattice/collision.hpp"
#include "lattice/observation.hpp"

namespace weft::lattice::detail {

/// Sites are updated in groups of 8 consecutive slots: one cache line of each direction.
constexpr std::size_t group_width = 8;

/// Where the populations of a group's sites come from: indices into the array of populations, rest population aside.
///
/// If all sites of the group have their neighbours in consecutive places (the middle of a row, a wall along it) one
/// index per direction says it all: words[start + i - 1], and site l of the group takes what lies l places behind.
/// Otherwise there are eight per direction: words[start + 8 (i - 1) + l].
struct Group {
  std::uint32_t start;
  std::uint32_t scattered;
};

/// Update of the plain sites (no opening) in slots [first, last).
struct Task {
  const double* from;         ///< populations after the last collision
  double* to;
  std::size_t stride;         ///< of a direction
  const Group* groups;
  const std::int32_t* words;
  Relaxation relaxation;
  double* density;            ///< where a step leaves its fields, per slot
  double* velocity[3];
  const std::int64_t* id;     ///< Grid::site_id per slot, -1: no site
  Observation* seen;
};

using Kernel = void (*)(const Task&, std::size_t first, std::size_t last);

/// What a kernel is specialised for.
struct Variant {
  bool trt, forced;
  Look look;
  bool bypass;  ///< stores go past the caches: pays where the populations don't fit into them
};

/// Kernels of each instruction set, by index_of(variant).
constexpr int variants = 24;
constexpr int index_of(const Variant& v) {
  return (v.trt ? 1 : 0) + (v.forced ? 2 : 0) + (v.bypass ? 4 : 0) + 8 * static_cast<int>(v.look);
}

extern const Kernel generic_kernels[variants];
extern const Kernel avx2_kernels[variants];
extern const Kernel avx512_kernels[variants];

}  // namespace weft::lattice::detail
