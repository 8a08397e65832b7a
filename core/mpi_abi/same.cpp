// SPDX-License-Identifier: BSD-3-Clause
//
// Defines the pointers of include/mpi.h for an MPI library that has the MPI standard's ABI itself (libmpi_abi.so.1).
#include <mpi_abi.h>

#include "mpi_abi/values.hpp"

namespace weft::mpi_abi {

// A cast from a number to a handle is not constant in C++, so the compiler must find that no call is left.
[[gnu::error("values.hpp has another value than mpi_abi.h")]] void differs();
#define WEFT_IS(name, number) \
  if ((std::intptr_t)MPI_##name != value::number) differs()
[[gnu::used]] void check_values() {
  WEFT_IS(OP_NULL, op_null);
  WEFT_IS(SUM, sum);
  WEFT_IS(MIN, min);
  WEFT_IS(MAX, max);
  WEFT_IS(COMM_NULL, comm_null);
  WEFT_IS(COMM_WORLD, comm_world);
  WEFT_IS(COMM_SELF, comm_self);
  WEFT_IS(FILE_NULL, file_null);
  WEFT_IS(INFO_NULL, info_null);
  WEFT_IS(REQUEST_NULL, request_null);
  WEFT_IS(ERRORS_ARE_FATAL, errors_are_fatal);
  WEFT_IS(ERRORS_RETURN, errors_return);
  WEFT_IS(DATATYPE_NULL, type_null);
  WEFT_IS(INT, type_int);
  WEFT_IS(UNSIGNED_LONG_LONG, type_unsigned_long_long);
  WEFT_IS(FLOAT, type_float);
  WEFT_IS(DOUBLE, type_double);
  WEFT_IS(BYTE, type_byte);
  WEFT_IS(INT32_T, type_int32);
  WEFT_IS(INT64_T, type_int64);
  WEFT_IS(UINT64_T, type_uint64);
  WEFT_IS(IN_PLACE, in_place);
  WEFT_IS(UNWEIGHTED, unweighted);
  WEFT_IS(WEIGHTS_EMPTY, weights_empty);
  WEFT_IS(ANY_SOURCE, any_source);
  WEFT_IS(ANY_TAG, any_tag);
  WEFT_IS(PROC_NULL, proc_null);
  WEFT_IS(UNDEFINED, undefined);
  WEFT_IS(THREAD_SINGLE, single);
  WEFT_IS(THREAD_FUNNELED, funneled);
  WEFT_IS(THREAD_SERIALIZED, serialized);
  WEFT_IS(THREAD_MULTIPLE, multiple);
  WEFT_IS(COMM_TYPE_SHARED, shared);
  WEFT_IS(KEYVAL_INVALID, keyval_invalid);
  WEFT_IS(TAG_UB, tag_ub);
  WEFT_IS(MODE_RDONLY, read_only);
  WEFT_IS(MODE_WRONLY, write_only);
  WEFT_IS(ORDER_C, order_c);
  WEFT_IS(STATUS_IGNORE, ignored);
  WEFT_IS(STATUSES_IGNORE, ignored);
  WEFT_IS(BOTTOM, bottom);
  WEFT_IS(COMM_NULL_COPY_FN, no_copy);
}
static_assert(sizeof(MPI_Status) == 32);

extern "C" {
#define WEFT_CALL(name, ...)                    \
  extern decltype(&MPI_##name) weft_mpi_##name; \
  decltype(&MPI_##name) weft_mpi_##name = MPI_##name;
#define WEFT_OWN WEFT_CALL
#define WEFT_LATER WEFT_CALL
#include "mpi_abi/functions.hpp"
extern double (*weft_mpi_Wtime)();
double (*weft_mpi_Wtime)() = MPI_Wtime;
extern decltype(&MPI_Comm_fromint) weft_mpi_Comm_f2c;
decltype(&MPI_Comm_fromint) weft_mpi_Comm_f2c = MPI_Comm_fromint;
}

}  // namespace weft::mpi_abi
