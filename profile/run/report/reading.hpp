// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace weft::run {

/// The values of a run's JSON that the report needs. Missing values are 0 or empty; texts are printable, times not
/// negative.
struct Reading {
  struct Caller {
    std::string place;
    double share = 0;
  };
  struct Site {
    std::string place, call, kind, function, file, module;
    int line = 0;
    std::vector<Caller> callers;
    double calls = 0, seconds = 0;  ///< of the run, all ranks
    // per step, mean over ranks:
    double step_calls = 0, step_messages = 0, step_seconds = 0, exposed_seconds = 0, late_seconds = 0;
    double message_bytes = 0, needed_seconds = 0, exposed_of_message = 0;  ///< per message
  };
  struct Advice {
    std::string what, text;
    std::vector<std::string> places;
    double gain_seconds = 0;
  };
  struct Span {
    enum class Kind { call, flight, late };
    Kind kind;
    double from, to;
    std::size_t site;  ///< index; past the last one: only the call is known
    std::string call;
    int lane;
  };
  struct PictureRank {
    int rank = 0;
    std::vector<Span> spans;
  };

  /// Where a rank of a running program is, or was when it ended.
  struct RankNow {
    int rank = 0;
    std::string process, host, call, place, caller;
    bool inside = false, goes_on = false;
    double seconds = -1;  ///< since it entered or left the call; below 0: unknown
  };

  std::string ended;  ///< finalize; early, late, sessions, runs, unknown: made from the live files
  std::vector<RankNow> now;
  std::string program;
  bool early = false;  ///< it is not of a whole run
  bool parts_known = false, has_environment = false;
  double ranks = 1, seconds = 0, mpi_seconds = 0, recorded_share = 1, deadline_seconds = 0;
  std::string library, abi, found_by, ends_with, step_warning;
  double alike = 0, left_by = 0;
  bool progress_thread = false, progress_thread_gains = false, waits_yield = false;
  // per step, mean over ranks
  double steps = 0, step_seconds = 0, step_mpi_seconds = 0, needed_seconds = 0, overlapped_seconds = 0,
         late_seconds = 0;
  double sent_messages = 0, sent_bytes = 0;  ///< of the run, all ranks, between two ranks
  double messages = 0, peers = 0, sync_points = 0, matched = 1, most_mpi_seconds = 0;
  double overlappable_seconds = 0, overlap_fraction = 0;

  struct RankTimes {
    int rank = 0;
    double computing = 0, mpi_seconds = 0, late_seconds = 0;  ///< of a step
  };
  std::vector<RankTimes> by_rank;
  std::string network;    ///< "emulated network (1 ms, 1 Gbit/s)"; empty: it is a real one
  bool replayed = false;  ///< needed_seconds is of the messages sent again, not estimated from ping-pongs

  /// A part of the program that it names; per step, mean over ranks.
  struct Region {
    std::string name;
    double seconds = 0, mpi_seconds = 0, messages = 0, overlap_fraction = 0, overlappable_seconds = 0;
    bool hardly_communicates = false;  ///< see least_communication
    double low = -1, high = -1;        ///< 95 % interval of the fraction; below 0: unknown
  };
  std::vector<Region> regions;
  double recorder_bytes = 0, recorder_share = 0;
  std::vector<std::pair<std::string, double>> unwatched;
  double nodes = 1, ranks_on_node = 0, cores_of_node = 0, cores_of_rank = 0;
  bool shared_cores = false, pinned = true;
  double waited_for_core = 0;  ///< share of the time, of the rank that waited longest
  std::string thread_level;
  std::vector<std::string> hosts;
  double eager_bytes = 0, far_eager_bytes = 0, latency = 0, far_latency = 0;

  std::vector<Site> sites;
  std::vector<Advice> advice;
  double picture_seconds = 0;
  std::vector<PictureRank> picture;
};

Reading read(const nlohmann::json& run);

/// The member of an object; null if there is none.
const nlohmann::json& in(const nlohmann::json& object, const char* key);
/// A printable text of a report.
std::string text(const nlohmann::json& object, const char* key);
/// Where communication takes a smaller share of the time, its overlap fraction is noise.
constexpr double least_communication = 0.01;

/// The name of a region as it is printed: printable, and shortened if it is very long.
std::string region_name(const std::string& name);
/// A number of a report: finite and not negative. `otherwise` if there is none.
double number(const nlohmann::json& object, const char* key, double otherwise = 0);

/// "the report was not complete within 10 s of MPI_Finalize; ..."
std::string not_complete(double deadline);

/// The network, if it was emulated: "emulated network (1 ms, 1 Gbit/s)"; else empty.
std::string network_of(const nlohmann::json& run);

}  // namespace weft::run
