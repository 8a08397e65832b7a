// SPDX-License-Identifier: BSD-3-Clause
// MPI_Wait and MPI_Test in all their forms, as C sees them.
#include "advise/calls.hpp"

namespace a = weft::advise;

#define WEFT_CALLER(name) \
  a::Caller { __builtin_return_address(0), #name }

namespace {

const MPI_Status* told(const MPI_Status* status, int i) { return status == MPI_STATUSES_IGNORE ? nullptr : status + i; }

}  // namespace

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  MPI_Status own;
  auto* of = status == MPI_STATUS_IGNORE ? &own : status;
  return a::complete(
      WEFT_CALLER(MPI_Wait), a::Kind::wait, 1, [&](int) { return *request; }, [] { return a::Completed{1}; },
      [&](int) { return of; }, [&] { return PMPI_Wait(request, of); });
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[]) {
  return a::complete(
      WEFT_CALLER(MPI_Waitall), a::Kind::wait, n, [&](int i) { return requests[i]; }, [&] { return a::Completed{n}; },
      [&](int i) { return told(statuses, i); }, [&] { return PMPI_Waitall(n, requests, statuses); });
}

int MPI_Waitany(int n, MPI_Request requests[], int* index, MPI_Status* status) {
  MPI_Status own;
  auto* of = status == MPI_STATUS_IGNORE ? &own : status;
  return a::complete(
      WEFT_CALLER(MPI_Waitany), a::Kind::wait, n, [&](int i) { return requests[i]; },
      [&] {
        return a::Completed{*index == MPI_UNDEFINED ? 0 : 1, index};
      },
      [&](int) { return of; }, [&] { return PMPI_Waitany(n, requests, index, of); });
}

int MPI_Waitsome(int n, MPI_Request requests[], int* count, int indices[], MPI_Status statuses[]) {
  return a::complete(
      WEFT_CALLER(MPI_Waitsome), a::Kind::wait, n, [&](int i) { return requests[i]; },
      [&] {
        return a::Completed{*count, indices};
      },
      [&](int i) { return told(statuses, i); }, [&] { return PMPI_Waitsome(n, requests, count, indices, statuses); });
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  MPI_Status own;
  auto* of = status == MPI_STATUS_IGNORE ? &own : status;
  return a::complete(
      WEFT_CALLER(MPI_Test), a::Kind::test, 1, [&](int) { return *request; }, [&] { return a::Completed{*flag}; },
      [&](int) { return of; }, [&] { return PMPI_Test(request, flag, of); });
}

int MPI_Testall(int n, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  return a::complete(
      WEFT_CALLER(MPI_Testall), a::Kind::test, n, [&](int i) { return requests[i]; },
      [&] { return a::Completed{*flag != 0 ? n : 0}; }, [&](int i) { return told(statuses, i); },
      [&] { return PMPI_Testall(n, requests, flag, statuses); });
}

int MPI_Testany(int n, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  MPI_Status own;
  auto* of = status == MPI_STATUS_IGNORE ? &own : status;
  return a::complete(
      WEFT_CALLER(MPI_Testany), a::Kind::test, n, [&](int i) { return requests[i]; },
      [&] {
        return a::Completed{*flag != 0 && *index != MPI_UNDEFINED ? 1 : 0, index};
      },
      [&](int) { return of; }, [&] { return PMPI_Testany(n, requests, index, flag, of); });
}

int MPI_Testsome(int n, MPI_Request requests[], int* count, int indices[], MPI_Status statuses[]) {
  return a::complete(
      WEFT_CALLER(MPI_Testsome), a::Kind::test, n, [&](int i) { return requests[i]; },
      [&] {
        return a::Completed{*count, indices};
      },
      [&](int i) { return told(statuses, i); }, [&] { return PMPI_Testsome(n, requests, count, indices, statuses); });
}

}  // extern "C"
