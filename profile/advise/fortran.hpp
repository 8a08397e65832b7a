// SPDX-License-Identifier: BSD-3-Clause
// Arguments as Fortran passes them: all are pointers. They are passed on unchanged, and only recorded arguments are
// read, so Fortran's MPI_BOTTOM, MPI_IN_PLACE and ignored statuses need no special case.
#pragma once

#include "advise/abi/mpi.hpp"

namespace weft::advise::fortran {

// In MPICH's ABI Fortran and C handles are equal; the library need not have the conversion functions.
#if defined(WEFT_ABI_MPICH)
template <class Handle>
Handle handle(Handle (*)(MPI_Fint), MPI_Fint number) {
  return number;
}
#else
template <class Handle>
Handle handle(Handle (*of)(MPI_Fint), MPI_Fint number) {
  return of(number);
}
#endif

inline const int* numbers(const void* p) { return static_cast<const MPI_Fint*>(p); }
inline int number(const void* p) { return *numbers(p); }
inline MPI_Count large(const void* p) { return *static_cast<const MPI_Count*>(p); }
template <class Count>
const Count* counts(const void* p) {
  return static_cast<const Count*>(p);
}
inline MPI_Datatype type(const void* p, int i = 0) { return handle(PMPI_Type_f2c, numbers(p)[i]); }
inline MPI_Comm comm(const void* p) { return handle(PMPI_Comm_f2c, number(p)); }
inline MPI_Request request(const void* p, int i = 0) { return handle(PMPI_Request_f2c, numbers(p)[i]); }
inline MPI_Message message(const void* p) { return handle(PMPI_Message_f2c, number(p)); }
/// With mpi_f08 the error argument is optional.
inline int error(const void* p) { return p == nullptr ? MPI_SUCCESS : number(p); }

/// Whether a buffer is Fortran's MPI_IN_PLACE, whose address is not C's.
bool in_place(const void* buffer);

struct Requests {
  const void* first;
};
inline Requests requests(const void* p) { return {p}; }

}  // namespace weft::advise::fortran
