// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "flow/case/extract_case.hpp"
#include "flow/extracts/wall_stress.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/wall_sites.hpp"

namespace weft::flow {

/// Quantities at sites, SI units.
class SiteValues {
 public:
  /// All are borrowed. `walls`: all of the rank's, ascending by site. `wall_stress`, `averages`: may be null if no
  /// requested quantity needs them.
  SiteValues(const LatticeClient& client, const Scaling& scaling, std::span<const WallSite> walls,
             const WallStress* wall_stress, const WallAverages* averages);

  /// The values of the last step that stored them: for each site (ascending) its components in sequence; not-a-number
  /// if a site has none. Before the first such step, pressure and velocity are those of the current state.
  std::vector<double> of(FieldQuantity quantity, std::span<const std::uint32_t> sites) const;

 private:
  template <class Value>
  std::vector<double> of_stress(std::span<const std::uint32_t> sites, std::size_t components, const Value& value) const;
  std::vector<double> of_walls(FieldQuantity quantity, std::span<const std::uint32_t> sites) const;

  const LatticeClient& client_;
  const Scaling& scaling_;
  std::span<const WallSite> walls_;
  const WallStress* wall_stress_;
  const WallAverages* averages_;
};

}  // namespace weft::flow
