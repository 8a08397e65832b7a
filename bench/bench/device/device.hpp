// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct DeviceOptions : TimedOptions {
  std::size_t points = 64;  ///< along each axis of a rank's block
};

/// Packing of boxes against copies on a device, and the six faces of a block on it: by weft (whole messages, pieces,
/// and addresses of the device if WEFT_DIRECT_FROM_DEVICE=1) and by plain MPI with a wait for every copy; and the
/// overlap with work on the device. Without CUDA and HIP on weft's test device, whose times are no device's.
/// Collective.
void device(mpi::Communicator& world, const DeviceOptions& options);

}  // namespace weft::bench
