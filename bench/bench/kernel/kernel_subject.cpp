// SPDX-License-Identifier: BSD-3-Clause
#include "bench/kernel/kernel_subject.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/kernel/stream.hpp"
#include "bench/shared/size_text.hpp"
#include "bench/workload/given_case.hpp"
#include "bench/workload/synthetic_vessel.hpp"
#include "flow/case/case.hpp"
#include "flow/vessel/vessel.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

using geometry::Domain;
using lattice::DenseLattice;
using lattice::SparseLattice;

struct Model {
  lattice::VelocitySet velocities;
  lattice::Collision collision;
  lattice::Precision precision;
  lattice::Advection advection = lattice::Advection::plain;
};

// A small force, so that not all populations are zero.
constexpr double force = 1e-7;

// Two-dimensional lattices get as many sites, in rows of the same length.
DenseLattice::Extent block_of(const Index& size, lattice::VelocitySet set) {
  if (set == lattice::VelocitySet::d2q9) return {size[0] * size[1], size[2], 1};
  return {size[0], size[1], size[2]};
}

// A dense lattice with about as many sites, whose arrays the stream uses. This rank touches its memory first.
std::shared_ptr<DenseLattice> arrays_for(double sites, const Model& m) {
  const std::size_t edge = sites < 1e6 ? 16 : 64,
                    layers = std::max<std::size_t>(1, static_cast<std::size_t>(sites) / (edge * edge));
  return std::make_shared<DenseLattice>(DenseLattice::Extent{layers, edge, edge},
                                        lattice::DenseParameters{.velocities = m.velocities, .precision = m.precision});
}

double bytes_of_site(const Model& m, std::size_t directions) {
  return static_cast<double>(directions * (m.precision == lattice::Precision::fp64 ? sizeof(double) : sizeof(float)));
}

std::string title(const std::string& place, const Model& m) {
  auto name = fmt::format("{} {}", place, name_of(m.precision));
  if (m.velocities != lattice::VelocitySet::d3q19 || m.collision != lattice::Collision::trt)
    name += fmt::format(", {} {}", name_of(m.velocities), name_of(m.collision));
  if (m.advection == lattice::Advection::corrected) name += ", advection corrected";
  return name;
}

KernelSubject dense_subject(const KernelOptions& options, const Index& size, const Model& m) {
  const lattice::DenseParameters parameters{
      .velocities = m.velocities,
      .precision = m.precision,
      .collision = m.collision,
      .force = {force, force, m.velocities == lattice::VelocitySet::d2q9 ? 0 : force},
      .instruction_set = options.instruction_set,
      .wraps_last_axis = options.wraps};
  const auto block = block_of(size, m.velocities);
  const auto dense = std::make_shared<DenseLattice>(block, parameters);
  const auto sites = static_cast<double>(block[0] * block[1] * block[2]);
  const double populations = sites * bytes_of_site(m, dense->velocities().size());
  return {.name = title(name_of_size(size), m),
          .figure = "dense",
          .precision = m.precision,
          .sites = sites,
          .streamed_bytes = 2 * populations,
          .memory = static_cast<double>(dense->bytes()) / populations,
          .step =
              [dense] {
                dense->update({0, 0, 0}, dense->block());
                dense->finish_step();
              },
          .arrays = std::make_shared<DenseLattice>(block, parameters)};
}

KernelSubject sparse_subject(Transport& transport, const KernelOptions& options,
                             const std::shared_ptr<const Domain>& domain, int rank, const std::string& place,
                             const Model& m) {
  const auto sparse = std::make_shared<SparseLattice>(*domain, rank,
                                                      lattice::Parameters{.velocities = m.velocities,
                                                                          .precision = m.precision,
                                                                          .collision = m.collision,
                                                                          .advection = m.advection,
                                                                          .force = {force, force, force},
                                                                          .instruction_set = options.instruction_set});
  const auto mean = [&](double value) { return all_reduce(transport, value, sum<double>()) / transport.size(); };
  const auto sites = static_cast<double>(sparse->sites());
  const double populations = sites * bytes_of_site(m, sparse->directions());
  const double all_sites = mean(sites);
  // In pieces, as a run updates its interior.
  const auto step = [sparse, domain] {
    constexpr std::size_t cut = 4096;
    sparse->update_edge(lattice::Diagnostics::nothing);
    for (std::size_t k = 0; k < sparse->interior_sites(); k += cut)
      sparse->update_interior(k, std::min(k + cut, sparse->interior_sites()), lattice::Diagnostics::nothing);
    sparse->finish();
  };
  return {.name = title(place, m),
          .figure = domain->openings.empty() ? "" : "sparse",
          .precision = m.precision,
          .sites = all_sites,
          .streamed_bytes = 2 * mean(populations),
          .memory = mean(static_cast<double>(sparse->bytes())) / mean(populations),
          .step = step,
          .arrays = arrays_for(all_sites, m)};
}

// The vessel of a case file, or a straight one with so many sites.
std::shared_ptr<const Domain> vessel_domain(Transport& transport, const std::string& what, const Options& options) {
  if (std::all_of(what.begin(), what.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    if (what.size() < 3 || what.size() > 9)
      throw InputError(fmt::format("--vessels is {} sites. Give 100 to 999999999 sites, or a case file.", what), true);
    flow::Case c;
    return std::make_shared<Domain>(synthetic_vessel(transport, std::stoll(what), c).domain);
  }
  auto c = given_case(transport, what, options);
  return std::make_shared<Domain>(flow::make_vessel(transport, c).domain);
}

}  // namespace

Domain box_domain(const Index& size) {
  using geometry::block_width;
  Domain d;
  d.grid.voxel = 1;
  for (std::size_t a = 0; a < 3; ++a) d.grid.extent[a] = static_cast<std::int32_t>(size[a]);
  const auto& n = d.grid.extent;
  const auto each = [&](geometry::Position first, std::int32_t width, const auto& f) {
    geometry::Position p;
    for (p[2] = first[2]; p[2] < std::min(n[2], first[2] + width); ++p[2])
      for (p[1] = first[1]; p[1] < std::min(n[1], first[1] + width); ++p[1])
        for (p[0] = first[0]; p[0] < std::min(n[0], first[0] + width); ++p[0]) f(p);
  };
  const auto add_site = [&](const geometry::Position& p) {
    std::uint32_t fluid = 0;
    for (int link = 0; link < 27; ++link) {
      const auto c = geometry::link_offset(link);
      bool inside = link != geometry::link_index(0, 0, 0);
      for (std::size_t a = 0; a < 3; ++a) inside = inside && p[a] + c[a] >= 0 && p[a] + c[a] < n[a];
      if (inside) fluid |= 1U << link;
    }
    d.sites.push_back(p);
    d.fluid.push_back(fluid);
  };
  const auto blocks = d.grid.blocks();
  for (std::int32_t z = 0; z < blocks[2]; ++z)
    for (std::int32_t y = 0; y < blocks[1]; ++y)
      for (std::int32_t x = 0; x < blocks[0]; ++x) {
        const geometry::Position first{x * block_width, y * block_width, z * block_width};
        d.owner[d.grid.block_id(first)] = 0;
        each(first, block_width, add_site);
      }
  d.global_sites = static_cast<std::int64_t>(d.sites.size());
  d.global_blocks = static_cast<std::int64_t>(d.owner.size());
  return d;
}

std::vector<KernelPlan> kernel_subjects(Transport& transport, const KernelOptions& options) {
  std::vector<Model> models;
  for (const auto velocities : options.velocities)
    for (const auto collision : options.collisions)
      for (const auto precision : options.precisions)
        for (const auto advection : options.advections)
          if (advection == lattice::Advection::plain || lattice::can_correct_advection(velocities, collision))
            models.push_back({velocities, collision, precision, advection});
  const auto is_plain = [](const Model& m) { return m.advection == lattice::Advection::plain; };
  const auto is_3d = [](const Model& m) { return m.velocities != lattice::VelocitySet::d2q9; };

  std::vector<KernelPlan> plans;
  for (const auto& size : options.sizes) {
    const auto sites = static_cast<double>(size[0] * size[1] * size[2]);
    for (const auto& m : models)
      if (options.dense && is_plain(m))
        plans.push_back({sites, [&options, size, m] { return dense_subject(options, size, m); }});
    if (!options.sparse) continue;
    const auto box = std::make_shared<const Domain>(box_domain(size));
    for (const auto& m : models)
      if (is_3d(m))
        plans.push_back({sites, [&transport, &options, box, size, m] {
                           return sparse_subject(transport, options, box, 0, name_of_size(size) + " as a list", m);
                         }});
  }
  if (!options.sparse) return plans;
  for (const auto& what : options.vessels) {
    const auto domain = vessel_domain(transport, what, options);
    const auto place = fmt::format("vessel of {} sites", domain->global_sites);
    const double sites = static_cast<double>(domain->global_sites) / transport.size();
    for (const auto& m : models)
      if (is_3d(m))
        plans.push_back({sites, [&transport, &options, domain, place, m] {
                           return sparse_subject(transport, options, domain, transport.rank(), place, m);
                         }});
  }
  return plans;
}

}  // namespace weft::bench
