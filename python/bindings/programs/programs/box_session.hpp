// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "box_program/run.hpp"
#include "programs/session.hpp"

namespace weft::python {

/// A run of weft box. Inside on_step the fields are computed from the lattice; afterwards they are those of the last
/// step, which are copied before it is freed.
class BoxSession final : public Session {
 public:
  /// Of this rank's block, without ghosts: density (x, y, z), velocity (x, y, z, 3), solid (x, y, z); of two dimensions
  /// without z.
  nb::object field(const std::string& name) const;
  /// The block of this rank: the first site, and the sites along each axis; and those of the box.
  std::vector<std::size_t> first() const { return axes(first_); }
  std::vector<std::size_t> count() const { return axes(count_); }
  std::vector<std::size_t> extent() const { return axes(extent_); }
  /// The particles' rows: position, velocity, spin, and the radius.
  nb::dict particles() const;

 protected:
  void run_in(mpi::Communicator& world, const Document& document) override;

 private:
  struct Fields {
    std::vector<double> density{}, velocity{};
    std::vector<std::uint8_t> solid{};
    std::vector<box_program::Particle> particles{};
  };
  static Fields fields_of(const box_program::Simulation& simulation);
  std::vector<std::size_t> axes(const std::array<std::size_t, 3>& all) const {
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(dimensions_)};
  }

  box_program::Simulation* live_ = nullptr;
  /// Throws an Error if there are no fields to read.
  void check_fields() const;

  bool has_kept_ = false;
  Fields kept_{};
  std::size_t dimensions_ = 3;
  std::array<std::size_t, 3> first_{}, count_{}, extent_{};
};

}  // namespace weft::python
