// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "openings/find_openings.hpp"
#include "weft/names.hpp"

namespace weft::openings {

/// The condition of SimVascular's svZeroDSolver at an outlet, in SI units.
struct ZeroDOutlet {
  std::string name;                                      ///< of the boundary condition
  std::string vessel;                                    ///< the vessel or the coupling block of the outlet
  std::string type;                                      ///< RCR, RESISTANCE, CORONARY or PRESSURE
  double proximal = 0, resistance = 0, capacitance = 0;  ///< Pa s/m^3, m^3/Pa
  double pressure = 0;                                   ///< Pa, distal
  std::vector<std::array<double, 2>> pressures{};        ///< of PRESSURE over time: s, Pa; repeats after the last

  double total() const { return proximal + resistance; }
};

/// The units of the numbers in a file, which does not say them; in SI.
struct ZeroDUnits {
  double resistance = 1, capacitance = 1, pressure = 1;
  bool operator==(const ZeroDUnits&) const = default;
};
constexpr double mmhg_of_svzerod = 133.322;
inline constexpr Names<ZeroDUnits> zero_d_units("unit of the outlets",
                                                {{{1e5, 1e-5, 0.1}, "cgs"},
                                                 {{1e6 * mmhg_of_svzerod, 1e-6 / mmhg_of_svzerod, mmhg_of_svzerod},
                                                  "mmHg"},
                                                 {{1e9, 1e-9, 1}, "mm-g-s"},
                                                 {{1, 1, 1}, "si"}});

/// The outlets of a svZeroD file (JSON): in a file for a coupled 3-D run the boundary conditions that its
/// external_solver_coupling_blocks connect, else those that its vessels name as outlets, in the order of these lists.
/// RCR and RESISTANCE are used unchanged. CORONARY becomes an RCR: Ra1; Ra2 + Rv1; Ca + Cc; Pv; its intramyocardial
/// pressure has no counterpart. Throws InputError if the file is not JSON, has no outlet, has an outlet of another
/// type, or has a missing or invalid value.
std::vector<ZeroDOutlet> read_svzerod(const std::filesystem::path& file, const ZeroDUnits& units);

/// Throws InputError, with the unit that is more likely, if the resistances in this unit (of zero_d_units) give a mean
/// pressure that no body has. `flow`: through all outlets, m^3/s.
void check_units(const std::vector<ZeroDOutlet>& outlets, const std::string& unit, double flow,
                 const std::filesystem::path& file);

/// The outlet of the file for each opening: an index for each outlet among `roles`, -1 for other openings. By name, if
/// every outlet of the file (its condition or its vessel) has the name of an outlet of the case; by `order`, the
/// openings in the order of the file's outlets, if it is not empty; else the widest opening gets the least resistance.
/// Throws InputError if the numbers of outlets differ.
std::vector<int> match_outlets(const std::vector<ZeroDOutlet>& outlets, const VesselAnalysis& vessel,
                               const std::vector<Role>& roles, const std::vector<std::size_t>& order,
                               const std::filesystem::path& file);

/// The lines of a case (TOML) for this outlet.
std::string condition_text(const ZeroDOutlet& outlet);

}  // namespace weft::openings
