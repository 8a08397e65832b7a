// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::advise {

/// Whether MPI_THREAD_MULTIPLE may make the program fail where it would run without. Before version 5, Open MPI has one
/// component for windows on networks without remote memory access, such as TCP, and it refuses that level. So this is
/// true if the program makes windows, unless OMPI_MCA_osc excludes that component. Can be called before MPI_Init.
bool threads_forbid_windows();

/// The program makes a window with that level, since a library of it does, whose symbols were not searched. Rank 0 says
/// once what that means, before the MPI library may end the program.
void warn_of_windows(int rank);

}  // namespace weft::advise
