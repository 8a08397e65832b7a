// SPDX-License-Identifier: BSD-3-Clause
// Collectives, blocking and not, as C sees them. Of each is written down: on which communicator, and how many bytes
// this rank gives (a broadcast's: the whole). What has counts per rank (the "v" and "w" forms) counts its own only
// where there is one number.
#include "advise/calls.hpp"

namespace a = weft::advise;

#define WEFT_CALLER(name) \
  a::Caller { __builtin_return_address(0), #name }
#define WEFT_UNPACK(...) __VA_ARGS__

// The name without MPI_, and in small letters; the parameters and the arguments; count, type, communicator.
#define WEFT_COLLECTIVE(name, low, parameters, arguments, count, type, comm)                                 \
  extern "C" int MPI_##name(WEFT_UNPACK parameters) {                                                        \
    return a::collective(WEFT_CALLER(MPI_##name), count, type, comm, [&] { return PMPI_##name arguments; }); \
  }                                                                                                          \
  extern "C" int MPI_I##low(WEFT_UNPACK parameters, MPI_Request* request) {                                  \
    return a::post_collective(                                                                               \
        WEFT_CALLER(MPI_I##low), count, type, comm, [&] { return *request; },                                \
        [&] { return PMPI_I##low(WEFT_UNPACK arguments, request); });                                        \
  }
#include "advise/collectives.inc"

extern "C" {

int MPI_Barrier(MPI_Comm c) {
  return a::collective(WEFT_CALLER(MPI_Barrier), 0, MPI_BYTE, c, [&] { return PMPI_Barrier(c); });
}

int MPI_Ibarrier(MPI_Comm c, MPI_Request* request) {
  return a::post_collective(
      WEFT_CALLER(MPI_Ibarrier), 0, MPI_BYTE, c, [&] { return *request; }, [&] { return PMPI_Ibarrier(c, request); });
}

}  // extern "C"
