// SPDX-License-Identifier: BSD-3-Clause
//
// The library insitu: pictures of what is on the lattice's sites, made on the ranks that compute them: rays through
// bricks, their segments composited over the ranks, streamlines, and drawing (colours, legend, PNG). It takes sites
// and values from its caller and reads no lattice; what it sends goes through weft's exchange, so that a picture costs
// a step no synchronisation point of its own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "geometry/domain.hpp"
#include "insitu/caster.hpp"
#include "insitu/composite.hpp"
#include "insitu/scene.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/transport.hpp"

namespace weft::insitu {

/// A picture that is whole, on rank 0: one segment for each pixel that is not empty.
struct Rendered {
  Segments segments;
  Scene scene;
  Range range;  ///< of the colours, in the quantity's unit
  Projection projection;
  std::int64_t step = 0;  ///< that left the fields
  std::uint64_t tag = 0;
};

/// What the pictures cost so far on this rank.
struct PictureCosts {
  std::int64_t pictures = 0;
  double seconds = 0;  ///< of values, streamlines, casting and putting together; not of messages
};

/// Pictures of a running program, as clients of its step: no synchronisation point of their own.
///
/// One picture after the other goes through these states, each of some steps, between which the ranks pass alike since
/// a control monitor (one small all-reduce, in the step's messages) says when all are done:
///     fields   the program is asked to leave its fields in the next step
///     values   ranks ask for the values at their sites and swap those at their bricks' edges
///     lines    streamlines grow, handed over between ranks, and every rank hears of all points
///     casting  each rank casts its bricks, a few a step, within the share of the step that it may take
///     stages   segments travel (composite.hpp), some chunks a step
class Pictures {
 public:
  struct Options {
    CompositeWay way = CompositeWay::binary_swap;
    std::size_t chunk_bytes = 64 << 10;
    std::size_t lines = 48;  ///< streamlines
    double share = 0.05;     ///< of a step's time that casting may take
  };
  /// A picture that rank 0 wants: of the first step that leaves its fields, from this one on.
  struct Wanted {
    Scene scene{};
    std::int64_t from_step = 0;
    std::uint64_t tag = 0;  ///< comes back with the picture
  };
  /// The program's side. All but `wanted` and `done` are called on every rank.
  struct Program {
    /// Fills in the quantity at each own site (Domain::sites), of the state that the last step with fields left;
    /// not-a-number where there is none. Returns that step.
    std::function<std::int64_t(Quantity, std::span<float>)> values;
    /// The same of the velocity, three numbers a site, in the unit of the speed. Asked for if there are streamlines.
    std::function<void(std::span<float>)> velocity;
    /// Whether this step leaves its fields if asked to: the same on every rank.
    std::function<bool(std::int64_t step)> can_leave_fields;
    /// Rank 0, once a step while no picture is being made: what is wanted now, if anything.
    std::function<std::optional<Wanted>(std::int64_t step)> wanted;
    /// Rank 0: a picture is whole. Between steps.
    std::function<void(Rendered)> done;
  };

  /// The transport is borrowed. `domain` is not needed afterwards. Collective.
  Pictures(Transport& transport, const geometry::Domain& domain, const Options& options, Program program);
  ~Pictures();

  /// Becomes clients, to be added before the one whose fields are shown. May be added to several managers, of which one
  /// runs at a time (as while a program is paused). Collective.
  void add_to(StepManager& manager);
  /// Whether the step has to leave its fields. The same on every rank.
  bool wants_fields() const;
  /// What the picture in the making shows, or the last one. The same on every rank.
  Quantity quantity() const;
  bool busy() const;
  /// From the next step on, as when nothing else is to be done.
  void set_share(double share);
  PictureCosts costs() const;
  void reset_costs();

 private:
  struct All;
  std::unique_ptr<All> all_;
};

}  // namespace weft::insitu
