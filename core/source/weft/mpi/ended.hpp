// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "weft/error.hpp"

namespace weft::mpi {

/// Throws an Error if MPI was finalised: MPI libraries end the job at any other call then.
inline void check_not_ended() {
  int is_finalised = 0;
  MPI_Finalized(&is_finalised);
  if (is_finalised != 0)
    throw weft::Error("MPI was finalised (it allows no call any more). Use weft only before MPI_Finalize.");
}

}  // namespace weft::mpi
