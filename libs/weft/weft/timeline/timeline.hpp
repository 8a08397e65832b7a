// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft {

/// What a rank can be seen doing. `in_flight` lies over the others: the time from the first departure of a round to its
/// last arrival.
enum class Activity : std::uint8_t { compute, pack, wait, unpack, in_flight };
/// How many activities there are.
constexpr std::size_t activity_count = 5;
/// The name as in the enumeration.
const char* name_of(Activity activity);

/// What one rank did when, per track (a client, or the exchange as a whole).
///
/// Always keeps the sums; keeps each span too if asked, for a trace. Not thread-safe: helper threads hand what they did
/// to the computing thread, which adds it. Adding costs no allocation unless spans are kept.
class Timeline {
 public:
  /// `keep_spans`: for write_trace(), at 24 bytes a span.
  explicit Timeline(bool keep_spans = false) : keep_spans_(keep_spans) {}

  /// The number of the track of that name, made if it is new.
  std::size_t track(const std::string& name);
  /// Times are now_seconds().
  void add(std::size_t track, Activity activity, double start_seconds, double finish_seconds);

  /// The names, by number.
  const std::vector<std::string>& tracks() const { return names_; }
  /// Since the beginning, or reset().
  double total_seconds(std::size_t track, Activity activity) const {
    return totals_[track][static_cast<std::size_t>(activity)];
  }
  /// Forgets the sums and the spans, keeps the tracks: for leaving a warm-up out.
  void reset();

  /// Writes all ranks' spans as a Chrome trace (JSON), which Perfetto opens: a process a rank, a thread a track.
  /// Collective; the file is written by rank 0 beside and renamed. Each rank has its own text in memory, rank 0 16 MiB
  /// of the others' besides.
  void write_trace(Transport& transport, const std::filesystem::path& path) const;

 private:
  struct Span {
    std::uint32_t track;
    Activity activity;
    double start, finish;
  };
  std::string trace_text(int rank, double origin) const;

  bool keep_spans_;
  std::vector<std::string> names_;
  std::vector<std::array<double, activity_count>> totals_;
  std::vector<Span> spans_;
};

}  // namespace weft
