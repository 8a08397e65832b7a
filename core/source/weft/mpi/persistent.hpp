// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of MPI 4 that a library may lack: persistent collectives and partitioned messages. WEFT_INIT(name) is the name
// of a persistent collective (MPI-4's, or Open MPI's extension), and undefined if the library has none.
//
// With WEFT_MPI4_AT_RUN_TIME the calls are weak symbols. A binary built with a new MPI library then also runs with an
// older version of it, where they are null.
#pragma once

#include <mpi.h>

#if defined(WEFT_HAVE_MPI_PERSISTENT_COLLECTIVES)
#define WEFT_INIT(name) MPI_##name##_init
#elif defined(WEFT_HAVE_MPIX_PERSISTENT_COLLECTIVES)
#include <mpi-ext.h>
#define WEFT_INIT(name) MPIX_##name##_init
#endif

#if defined(WEFT_MPI4_AT_RUN_TIME)
#pragma weak MPI_Allgatherv_init
#pragma weak MPI_Allreduce_init
#pragma weak MPI_Alltoallv_init
#pragma weak MPI_Barrier_init
#pragma weak MPI_Bcast_init
#pragma weak MPI_Gatherv_init
#pragma weak MPI_Parrived
#pragma weak MPI_Pready
#pragma weak MPI_Precv_init
#pragma weak MPI_Psend_init
#pragma weak MPI_Reduce_init
#endif

namespace weft::mpi {

#if defined(WEFT_MPI4_AT_RUN_TIME) && defined(WEFT_INIT)
inline bool has_persistent_collectives() { return MPI_Allreduce_init != nullptr; }
#elif defined(WEFT_INIT)
constexpr bool has_persistent_collectives() { return true; }
#else
constexpr bool has_persistent_collectives() { return false; }
#endif

#if defined(WEFT_MPI4_AT_RUN_TIME) && defined(WEFT_HAVE_MPI_PARTITIONED)
inline bool has_partitioned() { return MPI_Psend_init != nullptr; }
#elif defined(WEFT_HAVE_MPI_PARTITIONED)
constexpr bool has_partitioned() { return true; }
#else
constexpr bool has_partitioned() { return false; }
#endif

}  // namespace weft::mpi
