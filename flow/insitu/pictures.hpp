// SPDX-License-Identifier: BSD-3-Clause
//
// The library insitu: pictures of values on the lattice's sites, rendered on the ranks that compute them: rays through
// bricks, their colours composited over the ranks, streamlines, and drawing (colours, legend, PNG). It takes sites and
// values from its caller and does not access the lattice; it sends its data through weft's exchange, so that a picture
// adds no wait to a step.
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

namespace [[gnu::visibility("default")]] weft {
namespace insitu {

/// A complete picture, on rank 0: one segment for each pixel that is not empty.
struct Rendered {
  Segments segments;
  Scene scene;
  Range range;  ///< of the colours, in the quantity's unit
  Projection projection;
  std::int64_t step = 0;  ///< of the fields
  std::uint64_t tag = 0;
};

/// The cost of the pictures so far on this rank.
struct PictureCosts {
  std::int64_t pictures = 0;
  double seconds = 0;  ///< of values, streamlines, casting and compositing; not of messages
};

/// Pictures of a running program, as clients of its step: they add no wait.
///
/// Each picture passes through these states, each of several steps. All ranks change the state together, when a control
/// monitor (one small all-reduce, in the step's messages) reports that all ranks are done:
///     fields   the program is requested to store its fields in the next step
///     values   ranks get the values at their sites and exchange those at their bricks' edges
///     lines    streamlines grow and pass from rank to rank, and every rank gets all points
///     casting  each rank casts its bricks, a few per step, within its share of the step's time
///     stages   the runs are sent (composite.hpp), some chunks per step
class Pictures {
 public:
  struct Options {
    CompositeWay way = CompositeWay::binary_swap;
    std::size_t chunk_bytes = 64 << 10;
    std::size_t lines = 48;  ///< streamlines
    double share = 0.05;     ///< of a step's time that casting may take
    bool operator==(const Options&) const = default;
  };
  /// A picture requested by rank 0: of the first step, from this one on, that stores its fields.
  struct Wanted {
    Scene scene{};
    std::int64_t from_step = 0;
    std::uint64_t tag = 0;  ///< returned with the picture
  };
  /// Callbacks of the program. All except `wanted` and `done` are called on every rank.
  struct Program {
    /// Fills in the quantity at each own site (Domain::sites), for the state of the last step with fields; NaN if there
    /// is none. Returns that step.
    std::function<std::int64_t(Quantity, std::span<float>)> values;
    /// The same for the velocity, three numbers per site, in the unit of the speed. Called if there are streamlines.
    std::function<void(std::span<float>)> velocity;
    /// Whether this step can store its fields on request: the same on every rank.
    std::function<bool(std::int64_t step)> can_leave_fields;
    /// On rank 0, once per step while no picture is being made: the next request, if any.
    std::function<std::optional<Wanted>(std::int64_t step)> wanted;
    /// On rank 0: a picture is complete. Between steps.
    std::function<void(Rendered)> done;
  };

  /// The transport must outlive the pictures. `domain` is not needed afterwards. Collective.
  Pictures(Transport& transport, const geometry::Domain& domain, const Options& options, Program program);
  ~Pictures();

  /// Adds the clients, before the one whose fields are shown. They may be added to several managers, of which one runs
  /// at a time (for example while a program is paused). Collective.
  void add_to(StepManager& manager);
  /// Whether the step must store its fields. The same on every rank.
  bool wants_fields() const;
  /// The quantity of the current picture, or of the last one. The same on every rank.
  Quantity quantity() const;
  bool busy() const;
  /// Sets the share of a step's time from the next step on, for example if nothing else is to be done.
  void set_share(double share);
  PictureCosts costs() const;
  void reset_costs();

 private:
  struct All;
  std::unique_ptr<All> all_;
};

}  // namespace insitu
}  // namespace weft
