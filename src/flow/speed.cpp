// SPDX-License-Identifier: BSD-3-Clause
#include "flow/speed.hpp"

#include <algorithm>

#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

double measure_speed(Transport& transport, const Case& c, const Vessel& vessel) {
  auto lattice = make_lattice(transport, vessel, c);
  double fastest = 1e30;
  for (int i = 0; i < 4; ++i) {
    barrier(transport);
    const double from = now_seconds();
    lattice.update_edge(lattice::Look::nothing);
    lattice.update_interior(0, lattice.interior_sites(), lattice::Look::nothing);
    lattice.finish();
    fastest = std::min(fastest, all_reduce(transport, now_seconds() - from, maximum<double>()));
  }
  return 1e-6 * static_cast<double>(vessel.setup.sites) / fastest;
}

}  // namespace weft::flow
