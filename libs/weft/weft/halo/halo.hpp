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

/// Options of a halo. Must be identical on all ranks. Scheme and payload affect performance only, not the values of the
/// ghost points that are read.
struct HaloOptions {
  /// Width of the ghost layer on each side; at most the shortest block.
  std::size_t width = 1;
  /// Which messages carry the ghost points.
  enum class Scheme : std::uint8_t {
    direct,        ///< all neighbours at once, edges and corners too: 26 messages (8 in 2-D, 2 in 1-D), one round
    by_dimension,  ///< faces only, one axis after the other, each with the ghosts of those before: 6 messages, 3 rounds
    reference,     ///< all data to all ranks, for tests: only fill_by_reference() and HaloExchange support it
  } scheme = Scheme::direct;  ///< which messages carry the ghost points
  /// Which components are sent.
  enum class Payload : std::uint8_t {
    whole,       ///< all components of all ghost points
    directions,  ///< all components, in the directions that `reads` needs: of D3Q19 no corners (18 messages)
    reduced,     ///< only the components that `reads` needs: of D3Q19 five per face, one per edge
  } payload = Payload::whole;  ///< which components are sent
  /// From owner to ghost, or from ghost to owner.
  enum class Flow : std::uint8_t {
    fill,               ///< halo exchange: ghost points get the values of their owners
    give_back,          ///< reverse halo exchange: values that the computation wrote into ghost points go to the owners
  } flow = Flow::fill;  ///< from owner to ghost, or from ghost to owner
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
/// with all other parts. HaloExchange and HaloClient do that for you.
///
///     CartesianGrid grid(world, {.extent = {64, 64, 64}, .periodic = {true, true, true}});
///     Halo halo(grid, {.payload = HaloOptions::Payload::reduced});
///     auto f = structure_of_arrays(populations, 19);
///     f.reads = reads_of_velocities(d3q19);
///     halo.add(f);
///
/// What two ranks of a 2-D grid send (width 1; periodic along y, where each rank is its own neighbour):
///
///     rank 0, x edge | rank 1       direct, one round:   to 1: face (+1, 0), corners (+1, -1) and (+1, +1)
///      a b           |  e f                              to itself: faces (0, -1) and (0, +1)
///      c d           |  g h         by_dimension:        round 0 to 1: face (+1, 0), b and d
///                                                        round 1 to itself: faces (0, -1) and (0, +1), each one longer
///                                                        by the ghost that round 0 filled: c d (g) and a b (e)
///
/// Reverse halo exchange (Flow::give_back), for example after an update in place: sends the values that the computation
/// wrote into ghost points to the points' owners, where they overwrite. It sends exactly the values that were written,
/// whatever the payload; the field's `velocities` determine which these are. Every value has at most one writer, so
/// nothing is added.
///
/// The schemes direct and by_dimension fill the same ghost points; those beyond an edge that is not periodic are left
/// unchanged. by_dimension may fill more than `reads` needs: the values that it forwards. The memory of the fields is
/// borrowed and must not move. The constructor and add() are local operations. Given the same arguments they throw on
/// all ranks or on none.
class Halo {
 public:
  /// The data sent to a neighbour in one direction, and the data received from it. The boxes count from the corner of
  /// the ghost points that are filled, so the block's first point is (width, width, width).
  struct Transfer {
    int peer;                                     ///< the neighbour's rank, perhaps this rank
    int round;                                    ///< in which it is sent
    Direction direction;                          ///< towards the neighbour
    Box send;                                     ///< the points that are sent
    Box receive;                                  ///< the points that are received
    std::vector<std::size_t> send_components;     ///< the components that are sent
    std::vector<std::size_t> receive_components;  ///< the components that are received
    unsigned piece = 0;                           ///< number of the box, if one direction has several
  };

  /// A halo without fields. Throws Error if the width is 0 or more than the shortest block.
  explicit Halo(const CartesianGrid& grid, const HaloOptions& options = {});

  /// Adds a field and returns its number.
  std::size_t add(Field field);
  /// The same halo with other options, to switch between steps (HaloClient::replace()).
  Halo with(const HaloOptions& options) const;
  /// Lists the parts of all fields. A key holds the numbers of the field, the box and the direction. Returns the parts
  /// by field.
  std::vector<std::vector<Part>> request(Requests& requests) const;
  /// Sets the address of a field that was added with Field::moves.
  void move(std::size_t field, std::byte* data);
  /// The regions of the field's parts, in the order in which request() returns the parts.
  std::vector<Region> regions(std::size_t field) const;
  /// Dependent rounds: 1, or the number of axes along which there are neighbours.
  int rounds() const;

  /// The points that need no ghost point of a neighbour: compute them while messages are in flight. Counted from the
  /// block's first point.
  Box interior() const;
  /// The other points of the block, in disjoint boxes: compute them afterwards.
  std::vector<Box> boundary() const;

  /// The grid.
  const CartesianGrid& grid() const { return grid_; }
  /// The options.
  const HaloOptions& options() const { return options_; }
  /// The fields, by number.
  const std::vector<PlacedField>& fields() const { return fields_; }
  /// The transfers of a field, by round.
  std::vector<Transfer> transfers(std::size_t field) const;
  /// The components of the ghost points in `direction` that the options and the field's `reads` need.
  std::vector<std::size_t> wanted(std::size_t field, const Direction& direction) const;

  /// A text for the user: process grid, block, neighbours, messages, bytes, and the saving of the payload.
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
