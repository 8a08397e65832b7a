// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lattice/detail/links.hpp"
#include "lattice/detail/opening_sites.hpp"
#include "lattice/detail/rates.hpp"
#include "lattice/detail/site_order.hpp"
#include "lattice/detail/wall_links.hpp"
#include "lattice/sparse_lattice.hpp"

namespace weft::lattice::detail {

/// A sparse lattice's populations as double, single or 16-bit numbers, stored as f - w, and the loops over them.
class SiteArrays {
 public:
  static constexpr std::size_t most_lanes = group_width<float>;
  /// The populations arriving at the sites of a group: f - w.
  using Arriving = std::array<std::array<double, most_lanes>, most_directions>;

  virtual ~SiteArrays() = default;

  virtual void set(const Relaxation& relaxation) = 0;
  virtual void use(const Kernel& kernel) = 0;
  /// Updates the groups that begin in slots [first, last), all of one kind. Samples first, if `look` (relative to slot
  /// 0) is given; `openings` if they are of that kind.
  virtual void update(std::size_t first, std::size_t last, std::size_t sites_end, const DiagnosticsTask* diagnostics,
                      OpeningSites* openings) = 0;
  /// Reads the sites that begin in a slot, between steps.
  virtual void read(std::size_t first, Arriving& out) const = 0;
  /// The sums of a group's populations, density - 1, between steps; prefetch: of a group that is read soon.
  virtual void excess(std::size_t first, std::array<double, most_lanes>& out) const = 0;
  virtual void prefetch(std::size_t first) const = 0;
  /// Sets the population arriving at a site along i, before an even step.
  virtual void put(std::size_t slot, std::size_t i, double value) = 0;

  /// Between the update of the edge and the end of the step: the populations for a peer, and those received from it.
  virtual void fill_outgoing(const Links::Peer& peer, std::span<const LinkOffsets> of_walls, std::byte* out) const = 0;
  virtual void take_incoming(const Links::Peer& peer, const WallLinks::Peer* of_walls, const std::byte* in) = 0;

  /// Between steps, after all data have arrived: the populations reflected by walls that are not half-way.
  virtual void bounce(const WallLinks& walls) = 0;
  /// Ends a step, after all data have arrived, before walls.
  void end_step() {
    is_odd = !is_odd;
    corrections_given = false;
  }

  /// The number of additional values in a message: for the advection correction.
  virtual std::size_t extra_numbers(const Links::Peer& peer) const = 0;
  /// The next step's advection correction at the sites that begin in a slot, by axis.
  using Corrections = std::array<std::array<float, most_lanes>, 3>;
  virtual void read_corrections(std::size_t first, Corrections& out) const = 0;
  /// Sets a correction for the next step, which then needs no neighbours for it. For all sites, or for none: then it is
  /// 0.
  virtual void put_correction(std::size_t slot, const std::array<double, 3>& correction) = 0;

  /// The entropy of the populations in slots [first, end), between steps. In an odd step some of them arrive at other
  /// slots, or at another rank's, and others arrive from there.
  virtual Entropy entropy(std::size_t first, std::size_t end) const = 0;

  virtual std::size_t element_bytes() const = 0;
  virtual std::size_t bytes() const = 0;

  /// From now on samples keep density - 1 of the groups that begin in these slots (ascending, different).
  void watch(std::vector<std::uint32_t> groups, std::size_t width) {
    watched_excess.assign(groups.size() * width, 0);
    watched = std::move(groups);
    watched.push_back(std::numeric_limits<std::uint32_t>::max());
  }

  std::vector<std::uint32_t> watched{std::numeric_limits<std::uint32_t>::max()};
  std::vector<double> watched_excess{};  ///< a group's width for each of them

  bool is_odd = false;            ///< of the running or next step
  bool corrections_given = true;  ///< the next step's corrections are not computed from the last one's velocities
  /// Slots in which a sample found a negative or NaN population. The caller clears it before a step.
  std::vector<std::uint32_t> bad_slots{};
};

/// `links` must outlive the arrays. `values`: size of the array, including the values after the links'.
std::unique_ptr<SiteArrays> make_site_arrays(const Parameters& parameters, const Links& links, std::size_t values);

}  // namespace weft::lattice::detail
