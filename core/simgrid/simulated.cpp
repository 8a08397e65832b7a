// SPDX-License-Identifier: BSD-3-Clause
#include "weft/simulated.hpp"

#include <mpi.h>
#include <smpi/smpi.h>

#include <optional>
#include <utility>
#include <vector>

#include "simgrid/cards.hpp"
#include "simgrid/request.hpp"

namespace weft::simulated {
namespace {

double seconds_per_byte = 0;
bool takes_set_up = false;
std::optional<Network> the_network;

}  // namespace

double now() noexcept { return the_network ? Cards::all().now(mpi::mine().rank) : MPI_Wtime(); }

void compute(double seconds) {
  if (the_network) return Cards::all().pass(mpi::mine().rank, seconds);
  if (seconds > 0) smpi_execute(seconds);
}

void catch_up() { compute(0); }

const Network* network() { return the_network ? &*the_network : nullptr; }
void set_network(const Network& network) { the_network = network; }

void set_set_up_takes_time(bool on) { takes_set_up = on; }
bool set_up_takes_time() { return takes_set_up; }

void copied(std::size_t bytes) { compute(static_cast<double>(bytes) * seconds_per_byte); }

void idle() {
  if (the_network) return Cards::all().idle(mpi::mine().rank);
  auto& active = mpi::mine().active;
  const bool polls = std::exchange(mpi::mine().has_probed, false);  // a message that is only probed for wakes no rank
  if (active.empty() || polls) return compute(1e-6);
  std::vector<MPI_Request> handles(active.size());
  for (std::size_t i = 0; i < active.size(); ++i) handles[i] = active[i]->handle();
  int index = 0;
  mpi::check(MPI_Waitany(static_cast<int>(handles.size()), handles.data(), &index, MPI_STATUS_IGNORE), "MPI_Waitany");
  active[static_cast<std::size_t>(index)]->completed();
}

void looked_at_memory() {
  if (the_network) return Cards::all().looked_at_memory(mpi::mine().rank);
  mpi::mine().has_probed = true;
}

void set_copy_rate(double bytes_per_second) { seconds_per_byte = bytes_per_second > 0 ? 1 / bytes_per_second : 0; }

}  // namespace weft::simulated

namespace weft::mpi {

// All ranks are in one process: the state of one rank is attached to the simulator's actor, for as long as the process
// lives.
Mine& mine() {
  auto* own = static_cast<Mine*>(smpi_process_get_user_data());
  if (own == nullptr) {
    smpi_process_set_user_data(own = new Mine);
    MPI_Comm_rank(MPI_COMM_WORLD, &own->rank);
  }
  return *own;
}

}  // namespace weft::mpi
