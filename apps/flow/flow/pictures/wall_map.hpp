// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

#include "flow/extracts/extracts.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "insitu/drawing.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// The wall in the colours of its shear stress, from two opposite sides.
struct WallMap {
  struct Side {
    insitu::Image image{};
    std::string from{};  ///< "-y": from where it is seen
  };
  std::array<Side, 2> sides{};  ///< across the axis along which the vessel is thinnest
  double low = 0, high = 0;     ///< Pa, of the colours
  insitu::ColourMap map{};
  bool is_mean = false;      ///< of the magnitude over the averages' time; else at one time
  double time_s = 0;         ///< that
  std::int64_t samples = 0;  ///< of the mean

  bool exists() const { return !sides[0].image.pixels.empty(); }
};

/// Draws it after the last step of a run, which has left its fields: the mean where the case has averages at the wall,
/// else the last step's. On rank 0; some tenths of a second. Collective.
WallMap draw_wall_map(Transport& transport, const Vessel& vessel, const LatticeClient& client,
                      const Extracts& extracts);

}  // namespace weft::flow
