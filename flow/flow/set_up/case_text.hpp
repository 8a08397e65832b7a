// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/set_up/choices.hpp"
#include "geometry/vector.hpp"

namespace weft::flow {

/// A waveform of a flow over one beat, for users without patient data.
struct Pulse {
  std::string_view name, words;               ///< "carotid", "carotid: forward flow in diastole"
  std::vector<std::array<double, 2>> points;  ///< time / period, flow / mean; linear between points; last value = first

  double highest() const;
};

std::span<const Pulse> pulses();
/// The pulse of this name; nullptr if there is none.
const Pulse* find_pulse(std::string_view name);

/// A possible opening of a vessel, in the unit of its surface.
struct FoundOpening {
  std::string what;                         ///< "hole", "cap", "blind end"
  geometry::Vector centre{}, normal{};      ///< unit normal into the vessel
  double area = 0, radius = 0;              ///< area of the lumen there; radius of a circle with that area
  double disc_radius = 0;                   ///< of a disc that cuts the whole lumen and no other one
  std::vector<geometry::Vector> contour{};  ///< the lumen's outline
  bool must_be_used = false;                ///< the surface has a hole there, so it can't be a wall
};

/// The case file for the choices, with comments, for the user to edit. `surface`: path as the case gives it.
/// `narrowest`: diameter of the narrowest lumen. Pure.
std::string case_text(const Choices& choices, std::span<const FoundOpening> found, const std::filesystem::path& surface,
                      double narrowest);

/// The voxel in the unit of the surface: `Choices::cells` of them across the narrowest lumen, inside the vessel or of a
/// used opening.
double voxel_of(const Choices& choices, std::span<const FoundOpening> found, double narrowest);

}  // namespace weft::flow
