// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/exchange/requests.hpp"
#include "weft/halo/cartesian_grid.hpp"
#include "weft/halo/field.hpp"
#include "weft/names.hpp"

namespace weft {

/// How ghosts are filled. The same on all ranks; what is filled and read is the same whatever they are.
struct HaloOptions {
  /// Ghost points on each side that are filled; at most the shortest block.
  std::size_t width = 1;
  /// In which messages.
  enum class Scheme : std::uint8_t {
    direct,        ///< every neighbour at once, edges and corners too: 26 messages (8 in 2-D, 2 in 1-D), one round
    by_dimension,  ///< faces only, one axis after the other, each with the ghosts of those before: 6 messages, 3 rounds
    reference,     ///< all data to all ranks, for tests: only fill_by_reference() and HaloExchange know it
  } scheme = Scheme::direct;  ///< in which messages
  /// How much travels.
  enum class Payload : std::uint8_t {
    whole,       ///< all components of all ghost points
    directions,  ///< all components, where the field's `reads` wants any: of D3Q19 no corners (18 messages)
    reduced,     ///< only the components that `reads` wants: of D3Q19 five a face, one an edge
  } payload = Payload::whole;  ///< how much travels
  /// Which way.
  enum class Flow : std::uint8_t {
    fill,               ///< ghosts become what their owners hold
    give_back,          ///< the other way: what the computation wrote into ghosts goes to the points' owners
  } flow = Flow::fill;  ///< which way
};

/// The names of schemes.
inline constexpr Names<HaloOptions::Scheme> halo_scheme_names("scheme of a halo",
                                                              {{HaloOptions::Scheme::direct, "direct"},
                                                               {HaloOptions::Scheme::by_dimension, "by_dimension"},
                                                               {HaloOptions::Scheme::reference, "reference"}});
/// The names of payloads.
inline constexpr Names<HaloOptions::Payload> halo_payload_names("payload of a halo",
                                                                {{HaloOptions::Payload::whole, "whole"},
                                                                 {HaloOptions::Payload::directions, "directions"},
                                                                 {HaloOptions::Payload::reduced, "reduced"}});
/// The name as in the enumeration.
const char* name_of(HaloOptions::Scheme scheme);
/// The name as in the enumeration.
const char* name_of(HaloOptions::Payload payload);
/// The name as in the enumeration.
const char* name_of(HaloOptions::Flow flow);

/// The ghost points of a block-decomposed Cartesian grid, filled with the neighbours' values.
///
/// A halo moves nothing itself: request() lists its parts in an exchange's, where they share messages and the one
/// synchronisation point with whatever else is in it. HaloExchange and HaloClient do that for you.
///
///     CartesianGrid grid(world, {.extent = {64, 64, 64}, .periodic = {true, true, true}});
///     Halo halo(grid, {.payload = HaloOptions::Payload::reduced});
///     auto f = structure_of_arrays(populations, 19);
///     f.reads = reads_of_velocities(d3q19);
///     halo.add(f);
///
/// What two ranks of a 2-D grid send, periodic along y (one rank along it, its own neighbour), width 1:
///
///     rank 0, x edge | rank 1       direct, one round:   to 1: face (+1, 0), corners (+1, -1) and (+1, +1)
///      a b           |  e f                              to itself: faces (0, -1) and (0, +1)
///      c d           |  g h         by_dimension:        round 0 to 1: face (+1, 0), b and d
///                                                        round 1 to itself: faces (0, -1) and (0, +1), each one longer
///                                                        by the ghost that round 0 filled: c d (g) and a b (e)
///
/// A computation may also write ghosts (an update in place that leaves what goes to a neighbour where the neighbour
/// will look for it): then the same halo gives them back. It sends just what was written, whatever the payload, which
/// the field's `velocities` say; every place has one writer at most, so nothing is added up.
///
/// Both fill the same ghosts; those beyond an edge that is not periodic are left alone. by_dimension may fill more than
/// `reads` asks for: what it has to pass on. The memory of the fields is borrowed and stays in place.
/// The constructor and add() are not collective, but throw the same on every rank if they are given the same.
class Halo {
 public:
  /// What travels in one direction, to a neighbour, and what comes back from it. The boxes count from the corner of the
  /// ghosts that are filled, so the block's first point is (width, width, width).
  struct Transfer {
    int peer;                                     ///< the neighbour's rank, perhaps this one
    int round;                                    ///< in which it travels
    Direction direction;                          ///< towards the neighbour
    Box send;                                     ///< what leaves
    Box receive;                                  ///< where what comes back is put
    std::vector<std::size_t> send_components;     ///< of the field, that leave
    std::vector<std::size_t> receive_components;  ///< that come back
    unsigned piece = 0;                           ///< where what goes one way has several boxes
  };

  /// Without fields. Throws Error if the width is 0 or more than the shortest block.
  explicit Halo(const CartesianGrid& grid, const HaloOptions& options = {});

  /// Returns the field's number.
  std::size_t add(Field field);
  /// The same halo with other options: how a program switches between steps. (HaloClient::replace().)
  Halo with(const HaloOptions& options) const;
  /// Lists the parts. Keys hold the field's number, the piece's and the direction's. Returns them by field.
  std::vector<std::vector<Part>> request(Requests& requests) const;
  /// The array of a field that moves lies there.
  void move(std::size_t field, std::byte* data);
  /// Where the field's parts lie, in the order in which request() returns them.
  std::vector<Region> regions(std::size_t field) const;
  /// Dependent rounds: 1, or the number of axes along which there are neighbours.
  int rounds() const;

  /// The points that no ghost of a neighbour touches: compute them while messages travel. Counted from the block's
  /// first.
  Box interior() const;
  /// The other points of the block, in boxes that don't overlap: compute them afterwards.
  std::vector<Box> boundary() const;

  /// What it was made from.
  const CartesianGrid& grid() const { return grid_; }
  /// What it was made from.
  const HaloOptions& options() const { return options_; }
  /// By number.
  const std::vector<PlacedField>& fields() const { return fields_; }
  /// What moves of a field, by round.
  std::vector<Transfer> transfers(std::size_t field) const;
  /// The components of the ghost points in `direction` that the options and the field's `reads` ask for.
  std::vector<std::size_t> wanted(std::size_t field, const Direction& direction) const;

  /// For a person: process grid, block, neighbours, messages, bytes, and what is reduced away.
  std::string describe() const;

 private:
  std::vector<Transfer> direct(std::size_t field) const;
  std::vector<Transfer> by_dimension(std::size_t field) const;
  std::vector<Transfer> backwards(std::size_t field, const std::vector<Transfer>& all) const;
  std::vector<std::size_t> carried(std::size_t field, const Direction& direction, std::size_t axis) const;
  Box ghosts(const Direction& direction) const;
  Box edge(const Direction& direction) const;
  Box used(Box box, const Direction& of, const Direction& velocity, std::size_t last) const;
  Region region(std::size_t field, Box box, const std::vector<std::size_t>& components) const;

  CartesianGrid grid_;
  HaloOptions options_;
  Index width_{0, 0, 0};  // along the grid's axes
  std::vector<PlacedField> fields_;
};

}  // namespace weft
