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

namespace [[gnu::visibility("default")]] weft {

/// Options of a halo. The same on all ranks. Scheme and payload do not affect the values of the ghost points that the
/// program reads.
struct HaloOptions {
  /// Number of ghost points on each side of the block that a step reads. Along an axis that has neighbours, layers() is
  /// at most the length of the shortest block of any rank.
  std::size_t width = 1;
  /// Which messages carry the ghost points.
  enum class Scheme : std::uint8_t {
    direct,        ///< all neighbours at once, edges and corners too: 26 messages (8 in 2-D, 2 in 1-D), one round
    by_dimension,  ///< one axis per round: faces and the ghost points of earlier rounds; 6 messages, 3 rounds
    reference,     ///< all data to all ranks, for tests: only fill_by_reference() and HaloExchange support it
  } scheme = Scheme::direct;  ///< which messages carry the ghost points
  /// Which components are sent. Field::reads defines which ones the computation reads. D3Q19 is the lattice-Boltzmann
  /// scheme with 19 velocities.
  enum class Payload : std::uint8_t {
    whole,                     ///< all components of all ghost points
    directions,                ///< all components, only to ranks that read at least one (D3Q19: 18, not 26 messages)
    reduced,                   ///< only the components that are read: for D3Q19 five per face, one per edge
  } payload = Payload::whole;  ///< which components are sent
  /// The direction of the exchange: from owner to ghost, or from ghost to owner.
  enum class Flow : std::uint8_t {
    fill,     ///< halo exchange: ghost points get the values of their owners
    reverse,  ///< reverse halo exchange: owners get the values that the computation wrote into ghost points, or combine
              ///< them
  } flow = Flow::fill;  ///< from owner to ghost, or from ghost to owner
  /// An exchange fills width * steps ghost points, and then suffices for so many steps: the program computes some ghost
  /// points itself, see Halo::sub_step(). Fewer messages for more computation. Above 1 all values of all ghost points
  /// are sent.
  std::size_t steps = 1;
  /// The number of ghost points on each side that are filled.
  std::size_t layers() const { return width * steps; }
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
/// A name for texts.
const char* name_of(HaloOptions::Flow flow);

/// The halo (ghost-point) exchange of a block-decomposed Cartesian grid.
///
/// A halo does not communicate itself: request() lists its parts for an exchange, where they share messages and waits
/// with all other parts. HaloExchange and HaloClient call request() for you.
///
///     CartesianGrid grid(world, {.extent = {64, 64, 64}, .periodic = {true, true, true}});
///     Halo halo(grid, {.payload = HaloOptions::Payload::reduced});
///     auto f = structure_of_arrays(populations, 19);
///     f.reads = reads_of_velocities(d3q19);
///     halo.add(f);
///
/// An example: a 2-D grid of 4 x 2 points on two ranks, width 1, whole payload. x points to the right, y upwards. The
/// grid is periodic only along y, where each rank is its own neighbour. Rank 0 sends:
///
///     rank 0 | rank 1      scheme        round  to rank  direction: points
///      a b   |  e f        direct        0      1        (+1, 0): b d    (+1, -1): d    (+1, +1): b
///      c d   |  g h                      0      0        (0, -1): c d    (0, +1): a b
///                          by_dimension  0      1        (+1, 0): b d
///                                        1      0        (0, -1): c d g  (0, +1): a b e   (g, e: from round 0)
///
/// The schemes direct and by_dimension fill the same ghost points. by_dimension may also fill components that
/// Field::reads does not need, because it forwards them to other ranks. Ghost points beyond an edge that is not
/// periodic are left unchanged.
///
/// Reverse halo exchange (Flow::reverse) is for an update in place that writes values into ghost points: the owners of
/// these points get the values, which replace their own (every value has at most one writer) or are combined with them
/// (Field::combine).
/// The velocities of the components (Field::velocities) determine which ghost points are sent; `payload` has no
/// influence.
///
/// With HaloOptions::steps = s only every s-th step exchanges. Its sub-steps k = 0, 1, ..., s - 1 compute sub_step(k):
/// the block and, next to neighbours, (s - 1 - k) * width layers of ghost points around it. The neighbours compute
/// these points, too, with the same bits.
///
///     for (std::size_t step = 0; step < steps; ++step) {
///       const auto now = halo.sub_step(step % s);
///       if (step % s == 0) exchange.start();
///       compute(now.interior);
///       if (step % s == 0) exchange.finish();
///       for (const auto& box : now.boundary) compute(box);
///     }
///
/// The memory of the fields is borrowed. It must stay at its address, unless Field::moves is set. The constructor and
/// add() are not collective. With the same arguments they throw on all ranks or on none.
class Halo {
 public:
  /// The data sent to a neighbour in one direction, and the data received from it. Box coordinates count from the outer
  /// corner of the block including `layers()` ghost points on each side, along every axis of the grid, so with one step
  /// the block's own first point is (width, width, width). This holds also where there is no neighbour, or if the field
  /// has more ghost layers.
  struct Transfer {
    int peer;                                     ///< the neighbour's rank; it may be this rank
    int round;                                    ///< the round in which it is sent
    Direction direction;                          ///< towards the neighbour
    Box send;                                     ///< the points that are sent
    Box receive;                                  ///< the points that are received
    std::vector<std::size_t> send_components;     ///< the components that are sent
    std::vector<std::size_t> receive_components;  ///< the components that are received
    unsigned piece = 0;                           ///< number of the transfer, if a direction has several
  };

  /// A halo without fields. Throws Error if the width is 0 or too large.
  explicit Halo(const CartesianGrid& grid, const HaloOptions& options = {});

  /// Adds a field and returns its number.
  std::size_t add(Field field);
  /// Lists the parts of all fields. A part's key consists of the numbers of its field, transfer and direction. Returns
  /// the parts by field.
  std::vector<std::vector<Part>> request(Requests& requests) const;
  /// Sets the address of a field that was added with Field::moves. For a halo in a HaloExchange or HaloClient, call
  /// rebind() of that object instead.
  void move(std::size_t field, std::byte* data);
  /// The regions of the field's parts, in the order in which request() returns the parts.
  std::vector<Region> regions(std::size_t field) const;
  /// The number of rounds: 1; for by_dimension the number of axes along which there are neighbours, at least 1.
  int rounds() const;

  /// The points that need no ghost point of a neighbour: compute them while messages are in flight. Coordinates count
  /// from the block's own first point.
  Box interior() const;
  /// The other points of the block, in disjoint boxes: compute them when the ghost points are filled.
  std::vector<Box> boundary() const;
  /// The points to compute in a step, if HaloOptions::steps of them share an exchange. Coordinates as in a Transfer: in
  /// an array with layers() ghost points they are its indices.
  struct SubStep {
    Box points;                 ///< all
    Box interior;               ///< those that need no ghost point: compute them while messages are in flight
    std::vector<Box> boundary;  ///< the others, in disjoint boxes
  };
  /// Those of sub-step `k`, from 0 up to steps - 1. Beyond an edge that is not periodic, the values are the program's,
  /// also beside the ghost points that it computes. Throws Error if there is no such sub-step.
  SubStep sub_step(std::size_t k) const;

  /// The grid.
  const CartesianGrid& grid() const { return grid_; }
  /// The options.
  const HaloOptions& options() const { return options_; }
  /// The fields, by number.
  const std::vector<PlacedField>& fields() const { return fields_; }
  /// The transfers of a field, by round.
  std::vector<Transfer> transfers(std::size_t field) const;
  /// The components that this rank receives for its ghost points in `direction` (reverse: sends from them).
  std::vector<std::size_t> wanted(std::size_t field, const Direction& direction) const;

  /// A text for the user: process grid, block, neighbours, parts, bytes, and how many bytes the payload option saves.
  std::string describe() const;

 private:
  std::string options_text() const;
  std::string grid_text() const;
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
