// SPDX-License-Identifier: BSD-3-Clause
//
// The name of a persistent collective, if the library has them: MPI-4's, or Open MPI's extension. Otherwise undefined.
#pragma once

#include <mpi.h>

#if defined(WEFT_HAVE_MPI_PERSISTENT_COLLECTIVES)
#define WEFT_INIT(name) MPI_##name##_init
#elif defined(WEFT_HAVE_MPIX_PERSISTENT_COLLECTIVES)
#include <mpi-ext.h>
#define WEFT_INIT(name) MPIX_##name##_init
#endif
