// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace weft::mpi {

/// The most that a message may hold and leave at once, on this machine and between two; 0: the library does not tell.
struct PayloadLimits {
  std::size_t shared = 0;   ///< within a machine
  std::size_t network = 0;  ///< between two
};

/// What follows of what OpenMPI says. `by_ob1`: its own messages (pml ob1) are in use, so that the limits hold of
/// shared memory and of the networks that are there, of which the smallest is safe. Otherwise `ucx`, what
/// UCX_RNDV_THRESH says, if it is a number.
PayloadLimits payload_limits(bool by_ob1, std::span<const std::optional<std::size_t>> shared,
                             std::span<const std::optional<std::size_t>> networks, const std::string& ucx);

}  // namespace weft::mpi
