// SPDX-License-Identifier: BSD-3-Clause
//
//     weft-doctor-probe-ABI version LIBRARY            what MPI_Get_library_version says; needs no launcher
//     weft-doctor-probe-ABI measure LIBRARY SECONDS    on two ranks, started by the library's own launcher
//
// Opens an MPI library that it was not built with, and prints one line of JSON after the word weft-doctor-probe. One
// source, built once per ABI. It never blocks in MPI: ranks may share a core, where a spinning wait takes a whole time
// slice.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "advise/busy.hpp"
#include "doctor/probe/eager_limit.hpp"
#include "doctor/probe/mpi.hpp"
#include "doctor/probe/overlap.hpp"

namespace weft::doctor::probe {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    if (c == '\n') out += "\\n";
  }
  return out + '"';
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
  std::snprintf(text, sizeof text,
                "{\"bytes\": %zu, \"transfer_seconds\": %.4g, \"progressed\": %.4f, \"hidden\": %.4f, \"repeats\": %d}",
                o.bytes, o.transfer_seconds, o.progressed, o.hidden, o.repeats);
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

}  // namespace
}  // namespace weft::doctor::probe

int main(int argc, char** argv) {
  using namespace weft::doctor::probe;
  const std::string what = argc > 1 ? argv[1] : "";
  if ((what != "version" || argc != 3) && (what != "measure" || argc != 4)) {
    std::fprintf(stderr, "This program is a part of weft doctor. Run weft doctor instead.\n");
    return 2;
  }
  const double seconds = argc > 3 ? std::atof(argv[3]) : 0;
  alarm(static_cast<unsigned>(std::ceil(seconds)) + 10);  // ends this process even if the launcher fails
  if (!mpi.open(argv[2])) return 4;
  return what == "version" ? print_version() : measure(argc, argv, seconds);
}
