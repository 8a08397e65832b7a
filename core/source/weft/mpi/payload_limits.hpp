// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace weft::mpi {

/// The largest payload of an eager message, within this machine and between two; 0: the library does not report it.
struct PayloadLimits {
  std::size_t shared = 0;   ///< within a machine
  std::size_t network = 0;  ///< between two
};

/// The limits that follow from Open MPI's parameters. `by_ob1`: its own messages (pml ob1) are in use, so that the
/// limits of shared memory and of the available networks apply; the smallest of these is safe. Otherwise `ucx`, the
/// value of UCX_RNDV_THRESH, if it is a number.
PayloadLimits payload_limits(bool by_ob1, std::span<const std::optional<std::size_t>> shared,
                             std::span<const std::optional<std::size_t>> networks, const std::string& ucx);

}  // namespace weft::mpi
