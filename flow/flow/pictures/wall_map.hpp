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

/// A colour map of a quantity on the wall, from two opposite sides.
struct WallMap {
  enum class What : std::uint8_t { shear_stress, pressure, oscillatory_shear_index, relative_residence_time };
  struct Side {
    insitu::Image image{};
    std::string from{};  ///< direction of the camera: "-y"
  };
  What what = What::shear_stress;
  std::array<Side, 2> sides{};  ///< across the axis along which the vessel is thinnest
  double low = 0, high = 0;     ///< range of the colours: Pa; index: dimensionless; residence time: 1/Pa
  insitu::ColourMap map{};
  bool is_mean = false;      ///< a time average; else at one time
  double time_s = 0;         ///< that time
  std::int64_t samples = 0;  ///< of the mean
  double wall_mean = 0;      ///< of an average: over the sites beside the wall
  double low_share = 0;      ///< of an averaged wall shear stress: fraction of these sites below low_stress
  static constexpr double low_stress = 0.4;  ///< Pa; below it arteries are prone to atheroma (Malek et al. 1999)

  bool exists() const { return !sides[0].image.pixels.empty(); }
};

/// The last valid state of a flow that became unstable.
struct SoundState {
  const Snapshot& snapshot;
  geometry::Vector place;  ///< m, where the flow broke down: a ring marks it
};
/// Draws the wall shear stress (from velocities, see PictureSource) and the pressure of the state. Returns maps on rank
/// 0, none on others. Collective.
std::vector<WallMap> draw_sound_maps(Transport& transport, const Vessel& vessel, const LatticeClient& client,
                                     const SoundState& state);

/// Draws the maps after the last step of a run, which has stored its fields: the wall shear stress (with averages at
/// the wall its mean magnitude, otherwise that of the last step, which has stored its stress), the last step's
/// pressure, and with averages the oscillatory shear index and the relative residence time. Returns maps on rank 0,
/// none on others; takes some tenths of a second each. Collective.
std::vector<WallMap> draw_wall_maps(Transport& transport, const Vessel& vessel, const LatticeClient& client,
                                    Extracts& extracts);

}  // namespace weft::flow
