// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "flow/extracts/wall_stress.hpp"
#include "flow/step/last_sound.hpp"
#include "flow/step/lattice_client.hpp"
#include "geometry/domain.hpp"
#include "insitu/scene.hpp"

namespace weft::flow {

/// What a flow's pictures show, in SI units, of the last step that left its fields, or of a snapshot.
class PictureSource {
 public:
  /// All are borrowed. `wall_stress`, `snapshot`: what the wall shear stress is taken from, what is shown instead;
  /// null: none.
  PictureSource(const geometry::Domain& domain, const Scaling& scaling, const LatticeClient& client,
                const WallStress* wall_stress = nullptr, const Snapshot* snapshot = nullptr);

  /// At each site of this rank; not-a-number where there is none. Returns the step.
  ///   wall_shear_stress  the magnitude at points of the wall as of the last WallStress::update, if that is not of a
  ///   step before `oldest`; else, and of a snapshot, velocities are all that is known: mu |u_t| / d at sites beside
  ///   the wall, u_t along it and d the distance from it, of first order in d
  std::int64_t values(insitu::Quantity quantity, std::span<float> out, std::int64_t oldest = 0) const;
  /// Three numbers a site, m/s; not of a snapshot.
  void velocity(std::span<float> out) const;

 private:
  void fill(insitu::Quantity quantity, std::int64_t step, const auto& density_at, const auto& velocity_at,
            std::span<float> out) const;

  const geometry::Domain& domain_;
  const Scaling& scaling_;
  const LatticeClient& client_;
  const WallStress* wall_stress_;
  const Snapshot* snapshot_;
};

std::string_view name_of(insitu::Quantity quantity);  ///< "wall shear stress"
std::string_view unit_of(insitu::Quantity quantity);

}  // namespace weft::flow
