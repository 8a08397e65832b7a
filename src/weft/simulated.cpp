// SPDX-License-Identifier: BSD-3-Clause
#include "weft/simulated.hpp"

#include <mpi.h>
#include <smpi/smpi.h>

#include <vector>

#include "weft/mpi/simulated_request.hpp"

namespace weft::simulated {
namespace {

double seconds_per_byte = 0;

}  // namespace

double now() noexcept { return MPI_Wtime(); }

void compute(double seconds) {
  if (seconds > 0) smpi_execute(seconds);
}

void copied(std::size_t bytes) { compute(static_cast<double>(bytes) * seconds_per_byte); }

void idle() {
  auto& active = mpi::active_requests();
  if (active.empty()) return compute(1e-6);
  std::vector<MPI_Request> handles(active.size());
  for (std::size_t i = 0; i < active.size(); ++i) handles[i] = active[i]->handle();
  int index = 0;
  mpi::check(MPI_Waitany(static_cast<int>(handles.size()), handles.data(), &index, MPI_STATUS_IGNORE), "MPI_Waitany");
  active[static_cast<std::size_t>(index)]->completed();
}

void set_copy_rate(double bytes_per_second) { seconds_per_byte = bytes_per_second > 0 ? 1 / bytes_per_second : 0; }

}  // namespace weft::simulated

namespace weft::mpi {

// All ranks are in one process: what is one rank's own hangs on the simulator's actor, for as long as the process lives.
std::vector<SimulatedRequest*>& active_requests() {
  using List = std::vector<SimulatedRequest*>;
  auto* mine = static_cast<List*>(smpi_process_get_user_data());
  if (mine == nullptr) smpi_process_set_user_data(mine = new List);
  return *mine;
}

}  // namespace weft::mpi
