// SPDX-License-Identifier: BSD-3-Clause
#include "advise/waiting.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "advise/between_tests.hpp"
#include "weft/clock.hpp"

namespace weft::advise {
namespace {

constexpr int tag = 11;
constexpr std::size_t piece = std::size_t{1} << 26;  // largest message of a text, since MPI counts are int

}  // namespace

void finish_at_once(int n, MPI_Request* requests) {
  for (int done = 0;;) {
    PMPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
    if (done != 0) return;
    BetweenTests::rest();
  }
}

void yield_until_complete(const std::vector<std::uint64_t>& words, bool all) {
  std::size_t complete = 0;  // number of complete requests at the front
  while (complete < words.size()) {
    for (std::size_t i = complete; i < words.size(); ++i) {
      MPI_Request request;
      std::memcpy(&request, &words[i], sizeof request);
      int done = 0;
      // An error is reported by the program's own call.
      if (PMPI_Request_get_status(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || (done != 0 && !all)) return;
      if (done != 0 && i == complete) ++complete;
    }
    if (complete < words.size()) sched_yield();
  }
}

void yield_until_there(int peer, int tag, MPI_Comm comm) {
  for (int there = 0;;) {
    if (PMPI_Iprobe(peer, tag, comm, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS || there != 0) return;
    sched_yield();
  }
}

Waiting::Waiting(double seconds)
    : until_(now_seconds() + seconds), kept_(std::make_unique<std::vector<std::shared_ptr<void>>>()) {}

Waiting::~Waiting() {
  if (late_) static_cast<void>(kept_.release());
}

double Waiting::seconds_left() const { return std::max(0.0, until_ - now_seconds()); }

void Waiting::free_kept() {
  if (!late_) kept_->clear();
}

void Waiting::finish(int n, MPI_Request* requests, MPI_Status* statuses) {
  constexpr double timeout = 2e-3;
  const double start = now_seconds();
  long pause = 50'000;  // ns
  for (int done = 0;;) {
    PMPI_Testall(n, requests, &done, statuses);
    if (done != 0) return;
    const double now = now_seconds();
    if (now > until_) {
      late_ = true;
      throw Late();
    }
    if (now - start < timeout) {
      sched_yield();
      continue;
    }
    const timespec time{0, pause};
    nanosleep(&time, nullptr);
    pause = std::min(2 * pause, 1'000'000L);
  }
}

bool Waiting::finishes(MPI_Request* request, MPI_Status* status) {
  try {
    finish(1, request, status);
    return true;
  } catch (const Late&) {
    return false;
  }
}

void Waiting::send_text(const std::string& text, int to, MPI_Comm comm) {
  auto& size = keep<std::uint64_t>(1);
  auto& data = keep<char>(text.size());
  size[0] = text.size();
  std::copy(text.begin(), text.end(), data.begin());
  MPI_Request request;
  PMPI_Isend(size.data(), sizeof size[0], MPI_BYTE, to, tag, comm, &request);
  finish(request);
  for (std::size_t at = 0; at < data.size(); at += piece) {
    PMPI_Isend(data.data() + at, static_cast<int>(std::min(piece, data.size() - at)), MPI_BYTE, to, tag, comm,
               &request);
    finish(request);
  }
}

std::string Waiting::receive_text(int from, MPI_Comm comm) {
  auto& size = keep<std::uint64_t>(1);
  MPI_Request request;
  PMPI_Irecv(size.data(), sizeof size[0], MPI_BYTE, from, tag, comm, &request);
  finish(request);
  auto& data = keep<char>(size[0]);
  for (std::size_t at = 0; at < data.size(); at += piece) {
    PMPI_Irecv(data.data() + at, static_cast<int>(std::min(piece, data.size() - at)), MPI_BYTE, from, tag, comm,
               &request);
    finish(request);
  }
  return {data.begin(), data.end()};
}

}  // namespace weft::advise
