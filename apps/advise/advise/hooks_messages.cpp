// SPDX-License-Identifier: BSD-3-Clause
// The program's calls of MPI that move messages between two ranks, as C sees them.
#include "advise/calls.hpp"

namespace a = weft::advise;

#define WEFT_CALLER(name) \
  a::Caller { __builtin_return_address(0), #name }

#define WEFT_SEND(name)                                                                                   \
  extern "C" int name(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) { \
    return a::send(WEFT_CALLER(name), {count, type, peer, tag, comm},                                     \
                   [&] { return P##name(data, count, type, peer, tag, comm); });                          \
  }
WEFT_SEND(MPI_Send)
WEFT_SEND(MPI_Ssend)
WEFT_SEND(MPI_Bsend)
WEFT_SEND(MPI_Rsend)

#define WEFT_ISEND(name)                                                                                 \
  extern "C" int name(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,  \
                      MPI_Request* request) {                                                            \
    return a::post(                                                                                      \
        WEFT_CALLER(name), a::Kind::post_send, {count, type, peer, tag, comm}, [&] { return *request; }, \
        [&] { return P##name(data, count, type, peer, tag, comm, request); });                           \
  }
WEFT_ISEND(MPI_Isend)
WEFT_ISEND(MPI_Issend)
WEFT_ISEND(MPI_Ibsend)
WEFT_ISEND(MPI_Irsend)

#define WEFT_SEND_INIT(name)                                                                            \
  extern "C" int name(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, \
                      MPI_Request* request) {                                                           \
    return a::prepare(                                                                                  \
        a::Kind::post_send, {count, type, peer, tag, comm}, [&] { return *request; },                   \
        [&] { return P##name(data, count, type, peer, tag, comm, request); });                          \
  }
WEFT_SEND_INIT(MPI_Send_init)
WEFT_SEND_INIT(MPI_Ssend_init)
WEFT_SEND_INIT(MPI_Bsend_init)
WEFT_SEND_INIT(MPI_Rsend_init)

extern "C" {

int MPI_Recv(void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Status own;
  auto* told = status == MPI_STATUS_IGNORE ? &own : status;
  return a::receive(WEFT_CALLER(MPI_Recv), {count, type, peer, tag, comm}, told,
                    [&] { return PMPI_Recv(data, count, type, peer, tag, comm, told); });
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  return a::post(
      WEFT_CALLER(MPI_Irecv), a::Kind::post_receive, {count, type, peer, tag, comm}, [&] { return *request; },
      [&] { return PMPI_Irecv(data, count, type, peer, tag, comm, request); });
}

int MPI_Recv_init(void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  return a::prepare(
      a::Kind::post_receive, {count, type, peer, tag, comm}, [&] { return *request; },
      [&] { return PMPI_Recv_init(data, count, type, peer, tag, comm, request); });
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  return a::exchange(WEFT_CALLER(MPI_Sendrecv), {out_count, out_type, to, out_tag, comm},
                     {in_count, in_type, from, in_tag, comm}, [&] {
                       return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag,
                                            comm, status);
                     });
}

int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                         MPI_Comm comm, MPI_Status* status) {
  return a::exchange(WEFT_CALLER(MPI_Sendrecv_replace), {count, type, to, out_tag, comm},
                     {count, type, from, in_tag, comm},
                     [&] { return PMPI_Sendrecv_replace(data, count, type, to, out_tag, from, in_tag, comm, status); });
}

int MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status* status) {
  return a::probe(WEFT_CALLER(MPI_Probe), [&] { return PMPI_Probe(peer, tag, comm, status); });
}

int MPI_Iprobe(int peer, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
  return a::probe(
      WEFT_CALLER(MPI_Iprobe), [&] { return PMPI_Iprobe(peer, tag, comm, found, status); }, found);
}

int MPI_Start(MPI_Request* request) {
  return a::start(
      WEFT_CALLER(MPI_Start), 1, [&](int) { return *request; }, [&] { return PMPI_Start(request); });
}

int MPI_Startall(int n, MPI_Request* requests) {
  return a::start(
      WEFT_CALLER(MPI_Startall), n, [&](int i) { return requests[i]; }, [&] { return PMPI_Startall(n, requests); });
}

int MPI_Request_free(MPI_Request* request) {
  const a::Hook hook;
  if (hook.follows()) {
    const a::Writing writing;
    a::session->recorder.forgotten(a::word_of(*request));
  }
  return PMPI_Request_free(request);
}

}  // extern "C"
