// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/model.hpp"

#include <array>

namespace weft::lattice {

namespace {
template <std::size_t n, class Enum>
std::string_view named(const std::array<std::string_view, n>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}
}  // namespace

std::string_view name_of(VelocitySet set) {
  return named(std::array<std::string_view, 4>{"D2Q9", "D3Q15", "D3Q19", "D3Q27"}, set);
}
std::string_view name_of(Precision precision) {
  return named(std::array<std::string_view, 2>{"fp64", "fp32"}, precision);
}
std::string_view name_of(Collision collision) {
  return named(std::array<std::string_view, 5>{"bgk", "trt", "mrt", "regularised", "cumulant"}, collision);
}
std::string_view name_of(Wall wall) { return named(std::array<std::string_view, 2>{"half-way", "bouzidi"}, wall); }
std::string_view name_of(InstructionSet set) {
  return named(std::array<std::string_view, 4>{"best", "generic", "avx2", "avx512"}, set);
}

}  // namespace weft::lattice
