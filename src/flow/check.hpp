// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flow/case.hpp"
#include "flow/scaling.hpp"
#include "geometry/lumen.hpp"

namespace weft::flow {

/// Something about a case that will go wrong, and the change that would mend it.
struct Finding {
  bool refused = false;  ///< the simulation would not be valid; otherwise a warning
  std::string text;      ///< one line: what is wrong (why that is wrong). what to do.
};

/// Looks at tau, Mach number, density and openings of a case. Pure; needs no geometry.
std::vector<Finding> find_problems(const Case& c, const Scaling& scaling);

/// What is known beside the case when it is checked. Zeros are left out of the report.
struct CheckNumbers {
  int ranks = 1;
  std::int64_t sites = 0;
  std::vector<std::int64_t> opening_sites;  ///< sites at each opening
  std::vector<std::int64_t> extract_sites{};  ///< of each extract
  std::vector<double> section_areas{};        ///< m^2, of each section
  std::vector<geometry::Lumen> lumens{};      ///< of each opening
  struct Extension {
    std::size_t opening;
    double length;       ///< m
    std::int64_t sites;  ///< that it added
  };
  std::vector<Extension> extensions{};
  double balance = 1;                       ///< largest number of sites on a rank over the average
  double bytes_per_site = 0;
  double mlups = 0;  ///< million site updates a second that all ranks together are thought to make
};

/// The text of `weft flow --check`: a table of the numbers, the openings, and the problems found. Ends with a newline.
std::string check_report(const Case& c, const Scaling& scaling, const CheckNumbers& numbers);

/// Memory of a site on the case's lattice, at most: its populations and a quarter more (SparseLattice), and the fields that the run
/// keeps once it writes them.
double estimated_bytes_per_site(const Case& c);

}  // namespace weft::flow
