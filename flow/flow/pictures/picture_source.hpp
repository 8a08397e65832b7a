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

/// The values of a flow's pictures, in SI units, of the last step that stored its fields, or of a snapshot.
class PictureSource {
 public:
  /// All are borrowed. `wall_stress`: source of the wall shear stress; `snapshot`: shown instead of the lattice's
  /// fields. Both may be null.
  PictureSource(const geometry::Domain& domain, const Scaling& scaling, const LatticeClient& client,
                const WallStress* wall_stress = nullptr, const Snapshot* snapshot = nullptr);

  /// Values at each site of this rank; not-a-number at sites without a value. Returns the step of the values.
  ///   wall_shear_stress the magnitude at points of the wall from the last WallStress::update, if that is not of a
  ///   step before `oldest`; otherwise, and for a snapshot, from velocities alone: mu |u_t| / d at sites beside
  ///   the wall, u_t along it and d the distance from it, first order in d
  std::int64_t values(insitu::Quantity quantity, std::span<float> out, std::int64_t oldest = 0) const;
  /// Three numbers per site, m/s; not for a snapshot.
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
