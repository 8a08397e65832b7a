// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "advise/record.hpp"

namespace weft::advise {

/// The program enters or leaves a region (weft_region.h, MPI_Pcontrol). Before MPI_Init it is only kept, after
/// MPI_Finalize ignored. Thread-safe; with several threads the regions are those of their common sequence of calls.
void mark_region(const char* name, bool enters);
/// The regions that were entered before the session.
Regions regions_before();

}  // namespace weft::advise
