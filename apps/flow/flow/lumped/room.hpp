// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "flow/case/case.hpp"

namespace weft::flow {

/// The vessel as one room (0-D) of pressure p that openings' flows enter and windkessels leave: C dp/dt = what enters -
/// what leaves through (p - P) / proximal. By backward Euler, since what lies behind a small proximal resistance
/// answers much faster than a beat takes. Pressures that are prescribed hold the room at their mean. Borrows the case.
class Room {
 public:
  static constexpr int steps_a_beat = 1000;
  static constexpr int most_beats = 300;

  struct Outlet {
    const OpeningCase* opening;
    double pressure;  ///< Pa, at its capacitor
  };

  /// `compliance` of the room itself, m^3/Pa.
  Room(const Case& c, double compliance);

  double inflow(double time) const;
  void advance(double time, double step);
  double pressure() const { return pressure_; }
  const std::vector<Outlet>& outlets() const { return outlets_; }
  /// The longest time that pressures take to follow, s. Not a number of seconds (infinite, none) where nothing gives
  /// way.
  double slowest() const;

 private:
  double held(double time) const;

  const Case& case_;
  double compliance_;
  std::vector<Outlet> outlets_;
  std::vector<const OpeningCase*> holding_;  ///< prescribed pressures
  double share_ = 0, pressure_ = 0;
};

/// The longest period there is (0: none), and the time after which tables without one stay as they are, s.
struct RoomTimes {
  double period = 0, ends = 0;
};
RoomTimes room_times(const Case& c);

/// Gives each windkessel that is not told where to begin the pressure that the room has come to once beats are alike,
/// at a beat's beginning; with flows that have no period, what the first of them would come to. Not known where the
/// outlets have nothing that flows: then the pressure behind stays.
void settle_windkessels(Case& c);

}  // namespace weft::flow
