// SPDX-License-Identifier: BSD-3-Clause
//
//     weft-doctor-probe-ABI version LIBRARY            what MPI_Get_library_version says; needs no launcher
//     weft-doctor-probe-ABI measure LIBRARY SECONDS    on two ranks, started by the library's own launcher
//     weft-doctor-probe-ABI device LIBRARY SECONDS     likewise: whether it takes addresses of a device
//
// Opens an MPI library that it was not built with, and prints one line of JSON after the word weft-doctor-probe. One
// source, built once per ABI. It never blocks in MPI: ranks may share a core, where a spinning wait takes a whole time
// slice.
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "advise/busy.hpp"
#include "doctor/probe/gpu.hpp"
#include "doctor/probe/mpi.hpp"
#include "weft/text.hpp"

namespace weft::doctor::probe {
namespace {

// Sends one message while the receiver sleeps outside MPI. The message is eager if the sender's request completes
// before the receiver wakes.
bool left_early(const Pair& pair, std::vector<char>& data, std::size_t bytes) {
  constexpr double asleep = 6e-3, timeout = 3e-3;
  pair.agree(0);
  bool early = false;
  if (pair.rank == 0) {
    MPI_Request request = pair.send(data.data(), bytes, 2);
    early = mpi.done_within(request, timeout);
    if (!early) mpi.finish(request);
  } else {
    const timespec t{0, static_cast<long>(1e9 * asleep)};
    nanosleep(&t, nullptr);
    MPI_Request request = pair.receive(data.data(), bytes, 2);
    mpi.finish(request);
  }
  return pair.agree(early);
}

// The largest eager message in bytes, to 1 %; 0 if none was eager, `most` if all were.
std::size_t eager_limit(const Pair& pair, double seconds) {
  constexpr std::size_t most = std::size_t{4} << 20;
  std::vector<char> data(most);
  const double end = now_seconds() + seconds;
  // A sender that was not scheduled looks as if it had waited, so a message must fail three times in a row.
  const auto early = [&](std::size_t bytes) {
    return left_early(pair, data, bytes) || left_early(pair, data, bytes) || left_early(pair, data, bytes);
  };
  std::size_t low = 0, high = 64;
  while (high <= most && pair.agree(now_seconds() < end) && early(high)) {
    low = high;
    high *= 2;
  }
  if (high > most) return most;
  while (high - low > std::max<std::size_t>(8, low / 100) && pair.agree(now_seconds() < end)) {
    const std::size_t middle = low + (high - low) / 2;
    (early(middle) ? low : high) = middle;
  }
  return low;
}

struct Overlap {
  std::size_t bytes;
  double transfer_seconds;  ///< of the operation alone, until it is complete on both ranks
  double progressed;        ///< share of it that completed during the computation, at whatever cost
  double fraction;          ///< overlap fraction, as weft/timeline/overlap_fraction.hpp defines it
  int repeats;
};

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// A fixed amount of work, not a fixed time: it takes longer if another thread uses the core.
double work(long turns) {
  volatile double x = 1;
  for (long i = 0; i < turns; ++i) x = x * 0.999 + 0.001;
  return x;
}

double seconds_a_turn() {
  constexpr long turns = 20000;
  double least = 1;
  for (int i = 0; i < 20; ++i) {
    const double began = now_seconds();
    work(turns);
    least = std::min(least, now_seconds() - began);
  }
  return least / turns;
}

// `start` posts the operation of this rank.
Overlap overlap(const Pair& pair, std::size_t bytes, double seconds, const std::function<MPI_Request()>& start) {
  const double turn = seconds_a_turn(), end = now_seconds() + seconds;
  std::vector<double> alone, together, waited;
  // Time outside the computation: a receiver whose message has arrived may copy it in the posting call.
  double outside = 0;
  const auto once = [&](long turns) {
    pair.agree(0);
    const double began = now_seconds();
    MPI_Request request = start();
    const double started = now_seconds();
    work(turns);
    const double computed = now_seconds();
    mpi.finish(request);
    const double end = now_seconds();
    outside = pair.slower(started - began + end - computed);
    return pair.slower(end - began);
  };
  for (int i = 0; i < 3; ++i) once(0);  // maps memory and establishes connections
  for (int i = 0; i < 5; ++i) alone.push_back(once(0));
  const double length = pair.agree(median(alone));
  const auto turns = static_cast<long>(length / turn);
  do {
    alone.push_back(once(0));
    together.push_back(once(turns));
    waited.push_back(outside);
  } while (pair.agree(together.size() < 5 || (now_seconds() < end && together.size() < 200)));
  const double transfer = median(alone), computed = pair.slower(static_cast<double>(turns) * turn);
  return {bytes, transfer, 1 - median(waited) / transfer,
          std::clamp((transfer + computed - median(together)) / std::min(transfer, computed), 0.0, 1.0),
          static_cast<int>(together.size())};
}

Overlap overlap_of_isend(const Pair& pair, double seconds) {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  std::vector<char> data(bytes);
  return overlap(pair, bytes, seconds, [&] {
    return pair.rank == 0 ? pair.send(data.data(), bytes, 3) : pair.receive(data.data(), bytes, 3);
  });
}

Overlap overlap_of_iallreduce(const Pair& pair, double seconds) {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  std::vector<double> in(bytes / sizeof(double), 1.0), out(in.size());
  return overlap(pair, bytes, seconds, [&] {
    MPI_Request request;
    mpi.Iallreduce(in.data(), out.data(), static_cast<int>(in.size()), mpi.real, mpi.sum, mpi.world, &request);
    return request;
  });
}

int print_version() {
  char text[8192] = {};
  int length = 0;
  mpi.Get_library_version(text, &length);
  std::printf("weft-doctor-probe {\"version\": %s}\n", quoted(text).c_str());
  return 0;
}

// The names of MPI's thread levels, whose values differ between ABIs.
const char* name_of_level(int level) {
  static const char* const names[] = {"single", "funneled", "serialized", "multiple"};
  const int i = MPI_THREAD_MULTIPLE == 3 ? level : level / 1024;
  return names[i < 0 ? 0 : i > 3 ? 3 : i];
}

std::string cores_of_this_rank() {
  cpu_set_t set;
  std::string out;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return "";
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) out += (out.empty() ? "" : ", ") + std::to_string(i);
  return out;
}

std::string json(const Overlap& o) {
  char text[300];
  std::snprintf(
      text, sizeof text,
      "{\"bytes\": %zu, \"transfer_seconds\": %.4g, \"progressed\": %.4f, \"overlap_fraction\": %.4f, \"repeats\": %d}",
      o.bytes, o.transfer_seconds, o.progressed, o.fraction, o.repeats);
  return text;
}

int measure(int argc, char** argv, double seconds) {
  int level = 0;
  mpi.Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  Pair pair;
  if (pair.ranks != 2) {
    std::fprintf(stderr, "the launcher started %d ranks in one MPI_COMM_WORLD, not 2 (it belongs to another library)\n",
                 pair.ranks);
    std::_Exit(3);  // MPI_Finalize might wait for missing ranks
  }
  const std::string mine = cores_of_this_rank(), other = pair.swap(mine);
  const auto before = advise::Busy::now();
  const std::size_t eager = eager_limit(pair, seconds / 4);
  const Overlap isend = overlap_of_isend(pair, seconds / 4), iallreduce = overlap_of_iallreduce(pair, seconds / 4);
  const auto busy = advise::Busy::now() - before;
  const double waited = std::max(busy.waited, busy.stolen), waited_there = std::stod(pair.swap(std::to_string(waited)));
  if (pair.rank == 0) {
    std::printf(
        "weft-doctor-probe {\"thread_level\": \"%s\", \"cores_of_ranks\": [[%s], [%s]], \"eager_bytes\": %zu, "
        "\"waited_for_core_share\": %.4f, "
        "\"isend\": %s, "
        "\"iallreduce\": %s}\n",
        name_of_level(level), mine.c_str(), other.c_str(), eager, std::max(waited, waited_there), json(isend).c_str(),
        json(iallreduce).c_str());
    std::fflush(stdout);
  }
  pair.agree(true);
  mpi.Finalize();
  return 0;
}

// Whether a message goes from device to device and back unchanged. A library that can't do that may also end this
// process, or send other bytes.
bool passes(const Pair& pair, const Gpu& gpu, std::size_t bytes) {
  void* const memory = gpu.allocate(bytes);
  std::vector<unsigned char> host(bytes);
  const auto value = [](std::size_t i, int turn) { return static_cast<unsigned char>(i * 7 + i / 251 + 13u * turn); };
  bool right = memory != nullptr;
  for (int turn = 0; turn < 2 && pair.agree_both(right); ++turn) {
    const bool sends = pair.rank == turn;
    for (std::size_t i = 0; i < bytes; ++i) host[i] = sends ? value(i, turn) : static_cast<unsigned char>(0);
    right = gpu.put(memory, host.data(), bytes);
    if (!pair.agree_both(right)) break;
    MPI_Request request = sends ? pair.send(memory, bytes, 4) : pair.receive(memory, bytes, 4);
    mpi.finish(request);
    if (sends) continue;
    right = gpu.take(host.data(), memory, bytes);
    for (std::size_t i = 0; i < bytes; ++i) right = right && host[i] == value(i, turn);
  }
  return pair.agree_both(right);
}

int try_device(int argc, char** argv) {
  Gpu gpu;
  const std::string trouble = gpu.open();  // before MPI_Init, as libraries want it
  int level = 0;
  mpi.Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  Pair pair;
  if (pair.ranks != 2) std::_Exit(3);
  std::size_t wrong = 0;
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{1} << 16, std::size_t{4} << 20})
    if (trouble.empty() && wrong == 0 && !passes(pair, gpu, bytes)) wrong = bytes;
  if (pair.rank == 0) {
    std::printf("weft-doctor-probe {\"device\": %s, \"none\": %s, \"wrong_bytes\": %zu}\n", quoted(gpu.name()).c_str(),
                quoted(trouble).c_str(), wrong);
    std::fflush(stdout);
  }
  pair.agree(true);
  mpi.Finalize();
  return 0;
}

}  // namespace

}  // namespace weft::doctor::probe

int main(int argc, char** argv) {
  using namespace weft::doctor::probe;
  const std::string what = argc > 1 ? argv[1] : "";
  if ((what != "version" || argc != 3) && ((what != "measure" && what != "device") || argc != 4)) {
    std::fprintf(stderr, "This program is a part of weft doctor. Run weft doctor instead.\n");
    return 2;
  }
  const double seconds = argc > 3 ? std::atof(argv[3]) : 0;
  alarm(static_cast<unsigned>(std::ceil(seconds)) + 10);  // ends this process even if the launcher fails
  if (!mpi.open(argv[2])) return 4;
  if (what == "device") return try_device(argc, argv);
  return what == "version" ? print_version() : measure(argc, argv, seconds);
}
