// SPDX-License-Identifier: BSD-3-Clause
#include "bench/kernel/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/kernel/stream.hpp"
#include "bench/shared/rotation.hpp"
#include "bench/shared/size_text.hpp"
#include "bench/workload/vessels.hpp"
#include "flow/case/case.hpp"
#include "flow/vessel/vessel.hpp"
#include "geometry/domain.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

/// A lattice of this rank whose steps are timed, and arrays of the same size for the stream.
struct KernelSubject {
  std::string name;              ///< "128^3 fp64", "vessel of 2000000 sites fp32, D3Q27 mrt"
  std::string figure;            ///< start of its figures' names; empty: no figures
  std::string numbers;           ///< "fp64", "fp16"
  double sites, streamed_bytes;  ///< mean over the ranks
  double memory;                 ///< memory / memory of the populations
  std::function<void()> step;
  std::shared_ptr<lattice::DenseLattice> arrays;
};

/// A subject that is created when it is measured. Collective.
struct KernelPlan {
  double sites;
  std::function<KernelSubject()> make;
};

using geometry::Domain;
using lattice::DenseLattice;
using lattice::SparseLattice;

struct Model {
  lattice::VelocitySet velocities;
  lattice::Collision collision;
  lattice::Precision precision;
  lattice::Storage storage = lattice::Storage::full;
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
  return std::make_shared<DenseLattice>(
      DenseLattice::Extent{layers, edge, edge},
      lattice::DenseParameters{.velocities = m.velocities, .precision = m.precision, .storage = m.storage});
}

double bytes_of_site(const Model& m, std::size_t directions) {
  return static_cast<double>(directions * lattice::bytes_of(m.precision, m.storage));
}

std::string numbers_of(const Model& m) {
  return std::string(m.storage == lattice::Storage::full ? name_of(m.precision) : name_of(m.storage));
}

std::string title(const std::string& place, const Model& m) {
  auto name = fmt::format("{} {}", place, numbers_of(m));
  if (m.velocities != lattice::VelocitySet::d3q19 || m.collision != lattice::Collision::trt)
    name += fmt::format(", {} {}", name_of(m.velocities), name_of(m.collision));
  if (m.advection == lattice::Advection::corrected) name += ", advection corrected";
  return name;
}

KernelSubject dense_subject(const KernelOptions& options, const Index& size, const Model& m) {
  const lattice::DenseParameters parameters{
      .velocities = m.velocities,
      .precision = m.precision,
      .storage = m.storage,
      .collision = m.collision,
      .force = {force, force, m.velocities == lattice::VelocitySet::d2q9 ? 0 : force},
      .wraps_last_axis = options.wraps};
  const auto block = block_of(size, m.velocities);
  const auto dense = std::make_shared<DenseLattice>(block, parameters);
  dense->use(options.kernel);
  const auto sites = static_cast<double>(block[0] * block[1] * block[2]);
  const double populations = sites * bytes_of_site(m, dense->velocities().size());
  return {.name = title(name_of_size(size), m),
          .figure = "dense",
          .numbers = numbers_of(m),
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
                                                                          .storage = m.storage,
                                                                          .collision = m.collision,
                                                                          .advection = m.advection,
                                                                          .force = {force, force, force}});
  sparse->use(options.kernel);
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
          .numbers = numbers_of(m),
          .sites = all_sites,
          .streamed_bytes = 2 * mean(populations),
          .memory = mean(static_cast<double>(sparse->bytes())) / mean(populations),
          .step = step,
          .arrays = arrays_for(all_sites, m)};
}

// The vessel of a case file, or a straight one with so many sites.
std::shared_ptr<const Domain> vessel_domain(Transport& transport, const std::string& what, const Options& options) {
  const bool is_number = std::all_of(what.begin(), what.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (is_number && (what.size() < 3 || what.size() > 9))
    throw InputError(fmt::format("--vessels is {} sites. Give 100 to 999999999 sites, or a case file.", what), true);
  flow::Case c;
  return std::make_shared<Domain>(
      vessel_of(transport, is_number ? "" : what, is_number ? std::stoll(what) : 0, options, c).domain);
}

// A box of sites without openings, all on this rank.
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

// All kernels, geometries, velocity sets, collisions and precisions. Vessels are created here. Collective.
std::vector<KernelPlan> kernel_subjects(Transport& transport, const KernelOptions& options) {
  std::vector<Model> models;
  for (const auto velocities : options.velocities)
    for (const auto collision : options.collisions)
      for (const auto precision : options.precisions)
        for (const auto storage : options.storages)
          for (const auto advection : options.advections)
            if ((storage == lattice::Storage::full || precision == lattice::Precision::fp32) &&
                (advection == lattice::Advection::plain ||
                 (lattice::can_correct_advection(velocities, collision) && storage == lattice::Storage::full)))
              models.push_back({velocities, collision, precision, storage, advection});
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

// Alternates steps of either parity with passes of the stream, so that disturbances affect both equally. The stream has
// arrays of its own; with shared arrays each would find the other's data in the cache.
struct Turns {
  std::vector<double> stream, even, odd;

  Turns(Transport& transport, const KernelSubject& subject, double seconds) {
    // The stream's arrays are almost as long as the lattice's; the time is scaled.
    const double scale = subject.streamed_bytes / bench::streamed_bytes(*subject.arrays);
    const auto pass = [&] { bench::stream(*subject.arrays); };
    pass();  // the first runs map pages and raise the clock rate
    subject.step();
    subject.step();
    const Deadline deadline(transport, seconds);
    constexpr std::size_t fewest = 5, most = 1000;
    while (even.size() < fewest || (even.size() < most && !deadline.is_over())) {
      const double first = slowest(transport, pass);
      even.push_back(slowest(transport, subject.step));
      stream.push_back(scale * (first + slowest(transport, pass)) / 2);
      odd.push_back(slowest(transport, subject.step));
    }
  }

  /// f(stream, kernel) for each turn.
  template <class Function>
  Spread spread(const Function& f) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < even.size(); ++i) values.push_back(f(stream[i], (even[i] + odd[i]) / 2));
    return spread_of(std::move(values));
  }
};

// The worst value of each figure.
using Figures = std::map<std::string, double>;
void take(Figures& figures, const std::string& name, double value) {
  const auto [at, is_new] = figures.try_emplace(name, value);
  if (!is_new) at->second = std::min(at->second, value);
}

void measure(Transport& transport, const KernelSubject& subject, double seconds, Report& report, Figures& figures) {
  const Turns turns(transport, subject, seconds);
  const auto place = subject.name + ": ";
  const double bytes = 1e-9 * subject.streamed_bytes, updates = 1e-6 * subject.sites;
  const auto stream = spread_of(turns.stream), kernel = turns.spread([](double, double k) { return k; });
  const auto share = turns.spread([](double s, double k) { return s / k; });
  report.result(place + "stream", inverse(stream, bytes), "GB/s");
  report.result(place + "stream, as updates", inverse(stream, updates), "million/s");
  report.result(place + "kernel, updates", inverse(kernel, updates), "million/s");
  report.result(place + "kernel, its populations", inverse(kernel, bytes), "GB/s");
  report.result(place + "even steps, updates", inverse(spread_of(turns.even), updates), "million/s");
  report.result(place + "odd steps, updates", inverse(spread_of(turns.odd), updates), "million/s");
  report.result(place + "share of the limit", share, "");
  report.result(place + "memory, of the populations alone", subject.memory, "");
  if (subject.figure.empty()) return;
  take(figures, fmt::format("{}_mlups_{}", subject.figure, subject.numbers), updates / kernel.median);
  take(figures, fmt::format("{}_share_{}", subject.figure, subject.numbers), share.median);
  take(figures, "stream_gb_per_s", bytes / stream.median);
}

}  // namespace

void kernel(Transport& transport, const KernelOptions& options) {
  Report report("kernel", transport, options);
  auto o = options;
  if (o.sizes.empty()) o.sizes.push_back({128, 128, 128});
  if (options.sizes.empty() && !o.quick) o.sizes.push_back({256, 256, 256});
  if (o.vessels.empty()) o.vessels.emplace_back(o.quick ? "2000000" : "4000000");
  const double seconds = o.seconds_or(30, 240);
  report.setting("instruction_set", name_of(o.kernel.instruction_set));
  report.setting("prefetch", o.kernel.prefetch);
  report.setting("wraps_last_axis", o.wraps);
  report.setting("seconds", seconds);
  report.note("Rates are of the slowest rank. All ranks run at the same time, each on a core of its own.");

  // Half of the time is distributed by size, since a large lattice would otherwise get too few turns.
  const auto subjects = kernel_subjects(transport, o);
  if (subjects.empty())
    throw InputError(
        "No lattice has all of these options (16 bits: only with fp32; D2Q9: only dense; corrected advection: "
        "only the cumulants of D3Q27 as a list, in full). Use others.",
        true);
  double all = 0;
  for (const auto& subject : subjects) all += subject.sites;
  const double even = 0.5 / static_cast<double>(subjects.size());
  Figures figures;
  for (const auto& subject : subjects)
    measure(transport, subject.make(), seconds * (even + 0.5 * subject.sites / all), report, figures);
  for (const auto& [name, value] : figures) report.figure(name, value);
  report.finish(transport);
}

}  // namespace weft::bench
