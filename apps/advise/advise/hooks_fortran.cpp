// SPDX-License-Identifier: BSD-3-Clause
// The same calls as Fortran sees them: mpif.h and `use mpi` (mpi_isend_), `use mpi_f08` (mpi_isend_f08_, or _f08ts_
// where buffers are described). OpenMPI's Fortran calls PMPI itself, so its C hooks see nothing of it; MPICH's calls
// MPI_Isend, from a place in its own library. Everything is a pointer there: arguments are handed on as they came, and
// only what is written down is looked at. So Fortran's MPI_BOTTOM, MPI_IN_PLACE and ignored statuses need no care.
#include <dlfcn.h>

#include "advise/calls.hpp"

namespace a = weft::advise;

namespace {

int number(const void* p) { return *static_cast<const MPI_Fint*>(p); }
MPI_Datatype type(const void* p) { return PMPI_Type_f2c(number(p)); }
MPI_Comm comm(const void* p) { return PMPI_Comm_f2c(number(p)); }
MPI_Request request(const void* p, int i = 0) { return PMPI_Request_f2c(static_cast<const MPI_Fint*>(p)[i]); }
// With mpi_f08 the error need not be asked for.
int error(const void* p) { return p == nullptr ? MPI_SUCCESS : number(p); }
const MPI_Status* nobody_knows(int) { return nullptr; }

}  // namespace

#define WEFT_P1 void* a0
#define WEFT_P2 WEFT_P1, void* a1
#define WEFT_P3 WEFT_P2, void* a2
#define WEFT_P4 WEFT_P3, void* a3
#define WEFT_P5 WEFT_P4, void* a4
#define WEFT_P6 WEFT_P5, void* a5
#define WEFT_P7 WEFT_P6, void* a6
#define WEFT_P8 WEFT_P7, void* a7
#define WEFT_P9 WEFT_P8, void* a8
#define WEFT_P10 WEFT_P9, void* a9
#define WEFT_P11 WEFT_P10, void* a10
#define WEFT_P12 WEFT_P11, void* a11
#define WEFT_P13 WEFT_P12, void* a12
#define WEFT_A1 a0
#define WEFT_A2 WEFT_A1, a1
#define WEFT_A3 WEFT_A2, a2
#define WEFT_A4 WEFT_A3, a3
#define WEFT_A5 WEFT_A4, a4
#define WEFT_A6 WEFT_A5, a5
#define WEFT_A7 WEFT_A6, a6
#define WEFT_A8 WEFT_A7, a7
#define WEFT_A9 WEFT_A8, a8
#define WEFT_A10 WEFT_A9, a9
#define WEFT_A11 WEFT_A10, a10
#define WEFT_A12 WEFT_A11, a11
#define WEFT_A13 WEFT_A12, a12

// One function with n arguments, the last one being the error. What follows uses `caller` and `call`.
#define WEFT_FORTRAN(symbol, c_name, n, ...)                                                   \
  extern "C" void symbol(WEFT_P##n) {                                                          \
    static const auto next = reinterpret_cast<void (*)(WEFT_P##n)>(dlsym(RTLD_NEXT, #symbol)); \
    [[maybe_unused]] const a::Caller caller{__builtin_return_address(0), #c_name};             \
    const auto call = [&] {                                                                    \
      next(WEFT_A##n);                                                                         \
      return error(WEFT_LAST##n);                                                              \
    };                                                                                         \
    __VA_ARGS__;                                                                               \
  }
#define WEFT_LAST2 a1
#define WEFT_LAST3 a2
#define WEFT_LAST4 a3
#define WEFT_LAST5 a4
#define WEFT_LAST6 a5
#define WEFT_LAST7 a6
#define WEFT_LAST8 a7
#define WEFT_LAST9 a8
#define WEFT_LAST10 a9
#define WEFT_LAST11 a10
#define WEFT_LAST12 a11
#define WEFT_LAST13 a12
#define WEFT_EACH(low, c_name, n, ...)                   \
  WEFT_FORTRAN(mpi_##low##_, c_name, n, __VA_ARGS__)     \
  WEFT_FORTRAN(mpi_##low##_f08_, c_name, n, __VA_ARGS__) \
  WEFT_FORTRAN(mpi_##low##_f08ts_, c_name, n, __VA_ARGS__)

#define WEFT_MESSAGE \
  a::Message { number(a1), type(a2), number(a3), number(a4), comm(a5) }
#define WEFT_EACH_SEND(low, c_name) WEFT_EACH(low, c_name, 7, a::send(caller, WEFT_MESSAGE, call))
WEFT_EACH_SEND(send, MPI_Send)
WEFT_EACH_SEND(ssend, MPI_Ssend)
WEFT_EACH_SEND(bsend, MPI_Bsend)
WEFT_EACH_SEND(rsend, MPI_Rsend)
WEFT_EACH(recv, MPI_Recv, 8, a::receive(caller, WEFT_MESSAGE, nullptr, call))

#define WEFT_EACH_POST(low, c_name, kind) \
  WEFT_EACH(low, c_name, 8,               \
            a::post(                      \
                caller, a::Kind::kind, WEFT_MESSAGE, [&] { return request(a6); }, call))
WEFT_EACH_POST(isend, MPI_Isend, post_send)
WEFT_EACH_POST(issend, MPI_Issend, post_send)
WEFT_EACH_POST(ibsend, MPI_Ibsend, post_send)
WEFT_EACH_POST(irsend, MPI_Irsend, post_send)
WEFT_EACH_POST(irecv, MPI_Irecv, post_receive)

#define WEFT_EACH_INIT(low, c_name, kind) \
  WEFT_EACH(low, c_name, 8,               \
            a::prepare(                   \
                a::Kind::kind, WEFT_MESSAGE, [&] { return request(a6); }, call))
WEFT_EACH_INIT(send_init, MPI_Send_init, post_send)
WEFT_EACH_INIT(ssend_init, MPI_Ssend_init, post_send)
WEFT_EACH_INIT(bsend_init, MPI_Bsend_init, post_send)
WEFT_EACH_INIT(rsend_init, MPI_Rsend_init, post_send)
WEFT_EACH_INIT(recv_init, MPI_Recv_init, post_receive)

WEFT_EACH(sendrecv, MPI_Sendrecv, 13,
          a::exchange(caller, {number(a1), type(a2), number(a3), number(a4), comm(a10)},
                      {number(a6), type(a7), number(a8), number(a9), comm(a10)}, call))
WEFT_EACH(sendrecv_replace, MPI_Sendrecv_replace, 10,
          a::exchange(caller, {number(a1), type(a2), number(a3), number(a4), comm(a7)},
                      {number(a1), type(a2), number(a5), number(a6), comm(a7)}, call))
WEFT_EACH(probe, MPI_Probe, 5, a::probe(caller, call))
WEFT_EACH(iprobe, MPI_Iprobe, 6, a::probe(caller, call, static_cast<const int*>(a3)))
WEFT_EACH(start, MPI_Start, 2,
          a::start(
              caller, 1, [&](int) { return request(a0); }, call))
WEFT_EACH(startall, MPI_Startall, 3,
          a::start(
              caller, number(a0), [&](int i) { return request(a1, i); }, call))

#define WEFT_COMPLETE(kind, n, requests, ...)                                                                          \
  a::complete(                                                                                                         \
      caller, a::Kind::kind, n, [&](int i) { return request(requests, i); }, [&] { return a::Completed __VA_ARGS__; }, \
      nobody_knows, call)
#define WEFT_NUMBERS(p) static_cast<const int*>(p)
WEFT_EACH(wait, MPI_Wait, 3, WEFT_COMPLETE(wait, 1, a0, {1}))
WEFT_EACH(waitall, MPI_Waitall, 4, WEFT_COMPLETE(wait, number(a0), a1, {number(a0)}))
WEFT_EACH(waitany, MPI_Waitany, 5,
          WEFT_COMPLETE(wait, number(a0), a1, {number(a2) == MPI_UNDEFINED ? 0 : 1, WEFT_NUMBERS(a2), 1}))
WEFT_EACH(waitsome, MPI_Waitsome, 6, WEFT_COMPLETE(wait, number(a0), a1, {number(a2), WEFT_NUMBERS(a3), 1}))
WEFT_EACH(test, MPI_Test, 4, WEFT_COMPLETE(test, 1, a0, {number(a1) != 0 ? 1 : 0}))
WEFT_EACH(testall, MPI_Testall, 5, WEFT_COMPLETE(test, number(a0), a1, {number(a2) != 0 ? number(a0) : 0}))
WEFT_EACH(testany, MPI_Testany, 6,
          WEFT_COMPLETE(test, number(a0), a1,
                        {number(a3) != 0 && number(a2) != MPI_UNDEFINED ? 1 : 0, WEFT_NUMBERS(a2), 1}))
WEFT_EACH(testsome, MPI_Testsome, 6, WEFT_COMPLETE(test, number(a0), a1, {number(a2), WEFT_NUMBERS(a3), 1}))

// Which arguments are what is in the list; a collective of n arguments has n + 1 with the error, n + 2 if it is not
// blocking.
#define WEFT_COUNT(count, type_at, all) (count < 0 ? 0 : number(all[count < 0 ? 0 : count]))
#define WEFT_TYPE(type_at, all) (type_at < 0 ? MPI_BYTE : type(all[type_at < 0 ? 0 : type_at]))
#define WEFT_FORTRAN_COLLECTIVE(low, name, n, with_error, with_both, count, type_at, comm_at)                          \
  WEFT_EACH(low, MPI_##name, with_error, void* const all[] = {WEFT_A##n};                                              \
            a::collective(caller, WEFT_COUNT(count, type_at, all), WEFT_TYPE(type_at, all), comm(all[comm_at]), call)) \
  WEFT_EACH(i##low, MPI_I##low, with_both, void* const all[] = {WEFT_A##n}; a::post_collective(                        \
                caller, WEFT_COUNT(count, type_at, all), WEFT_TYPE(type_at, all), comm(all[comm_at]),                  \
                [&] { return request(a##n); }, call))
#include "advise/collectives_fortran.inc"

WEFT_EACH(barrier, MPI_Barrier, 2, a::collective(caller, 0, MPI_BYTE, comm(a0), call))
WEFT_EACH(ibarrier, MPI_Ibarrier, 3,
          a::post_collective(
              caller, 0, MPI_BYTE, comm(a0), [&] { return request(a1); }, call))
