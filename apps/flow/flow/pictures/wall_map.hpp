// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "flow/extracts/extracts.hpp"
#include "flow/step/last_sound.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "insitu/drawing.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// The wall in the colours of a quantity, from two opposite sides.
struct WallMap {
  enum class What : std::uint8_t { shear_stress, pressure, oscillatory_shear_index, relative_residence_time };
  struct Side {
    insitu::Image image{};
    std::string from{};  ///< "-y": from where it is seen
  };
  What what = What::shear_stress;
  std::array<Side, 2> sides{};  ///< across the axis along which the vessel is thinnest
  double low = 0, high = 0;     ///< of the colours: Pa; of the index no unit; of the residence time 1/Pa
  insitu::ColourMap map{};
  bool is_mean = false;      ///< over the averages' time; else at one time
  double time_s = 0;         ///< that
  std::int64_t samples = 0;  ///< of the mean

  bool exists() const { return !sides[0].image.pixels.empty(); }
};

/// The last sound state of a flow that became unstable.
struct SoundState {
  const Snapshot& snapshot;
  geometry::Vector place;  ///< m, where it broke: a ring is drawn around it
};
/// Draws the wall shear stress (from velocities, see PictureSource) and the pressure of it. On rank 0, none elsewhere.
/// Collective.
std::vector<WallMap> draw_sound_maps(Transport& transport, const Vessel& vessel, const LatticeClient& client,
                                     const SoundState& state);

/// Draws them after the last step of a run, which has left its fields: the wall shear stress (the mean of its magnitude
/// where the case has averages at the wall, else the last step's, which has left its stress), the last step's pressure,
/// and where there are averages the oscillatory shear index and the relative residence time. On rank 0, none elsewhere;
/// some tenths of a second each. Collective.
std::vector<WallMap> draw_wall_maps(Transport& transport, const Vessel& vessel, const LatticeClient& client,
                                    Extracts& extracts);

}  // namespace weft::flow
