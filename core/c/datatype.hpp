// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>

#include "weft/transport/region.hpp"

namespace weft::c {

/// The bytes that `count` items of an MPI datatype at `data` consist of, in the order in which MPI sends them. Throws
/// an Error for a datatype whose parts MPI does not tell (of MPI_Type_create_darray and of Fortran's parametrised
/// types).
Region region_of_datatype(void* data, std::size_t count, MPI_Datatype datatype, bool writable);

}  // namespace weft::c
