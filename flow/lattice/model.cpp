// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/model.hpp"

#include "geometry/domain.hpp"
#include "lattice/detail/instruction_set.hpp"
#include "lattice/detail/velocity_sets.hpp"
#include "lattice/velocity_sets.hpp"
#include "weft/error.hpp"

namespace weft::lattice {

std::string_view name_of(VelocitySet set) { return velocity_set_names.of(set); }
std::string_view name_of(Precision precision) { return precision_names.of(precision); }
std::string_view name_of(Storage storage) { return storage_names.of(storage); }
std::string_view name_of(Collision collision) { return collision_names.of(collision); }
std::string_view name_of(Wall wall) { return wall_names.of(wall); }
std::string_view name_of(Advection advection) { return advection_names.of(advection); }
std::string_view name_of(InstructionSet set) { return instruction_set_names.of(set); }

namespace {

std::vector<Kernel> kernels() {
  std::vector<Kernel> all;
  const auto add = [&](InstructionSet set) {
    for (const std::size_t prefetch : {512, 256, 1024}) all.push_back({set, prefetch});
  };
  const auto best = detail::resolved(InstructionSet::best);
  add(best);
  for (const auto other : {InstructionSet::avx2, InstructionSet::sve256})
    if (other != best && supported(other)) add(other);
  return all;
}

std::string name_of(const Kernel& kernel) {
  return std::string(name_of(kernel.instruction_set)) + "-" + std::to_string(kernel.prefetch);
}

}  // namespace

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const auto& kernel : kernels()) names.push_back(name_of(kernel));
  return names;
}

Kernel kernel_named(std::string_view name) {
  for (const auto& kernel : kernels())
    if (name_of(kernel) == name) return kernel;
  throw InputError("There is no kernel '" + std::string(name) + "' for this processor. Use one of kernel_names().");
}

std::size_t bytes_of(Precision precision, Storage storage) {
  if (storage == Storage::full) return precision == Precision::fp64 ? sizeof(double) : sizeof(float);
  if (precision != Precision::fp32)
    throw InputError("The storage of the lattice is " + std::string(name_of(storage)) +
                         ", for which single precision computes, but its precision is fp64. Use the precision fp32.",
                     true);
  return sizeof(std::uint16_t);
}

}  // namespace weft::lattice

namespace weft::lattice::detail {

namespace {

template <class Model>
VelocityTable make() {
  VelocityTable table{Model::dimensions,
                      {Model::velocity.begin(), Model::velocity.end()},
                      {Model::weight.begin(), Model::weight.end()},
                      {}};
  for (const auto& c : table.velocity) table.link.push_back(geometry::link_index(c[0], c[1], c[2]));
  return table;
}

}  // namespace

const VelocityTable& table_of(VelocitySet set) {
  static const VelocityTable tables[] = {make<D2Q9>(), make<D3Q15>(), make<D3Q19>(), make<D3Q27>()};
  return tables[static_cast<std::size_t>(set)];
}

int VelocityTable::direction(int of_link) const {
  for (std::size_t i = 0; i < link.size(); ++i)
    if (link[i] == of_link) return static_cast<int>(i);
  return -1;
}

double equilibrium_excess(const VelocityTable& table, std::size_t i, const DenseLattice::State& state) {
  const auto& u = state.velocity;
  const auto& c = table.velocity[i];
  const double cu = c[0] * u[0] + c[1] * u[1] + c[2] * u[2], square = 1.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  return table.weight[i] * ((state.density - 1) + state.density * (3 * cu + (4.5 * cu * cu - square)));
}

}  // namespace weft::lattice::detail
