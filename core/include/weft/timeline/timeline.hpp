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

/// The activities of a rank. `in_flight` overlaps the others: the time from the first send of a round to its last
/// arrival.
enum class Activity : std::uint8_t { compute, pack, wait, unpack, in_flight };
/// The number of activities.
constexpr std::size_t activity_count = 5;
/// The name as in the enumeration.
const char* name_of(Activity activity);

/// Records the activities of one rank, per track (a client, or the exchange as a whole).
///
/// Always keeps the sums; keeps each span too on request, for a trace. Not thread-safe: progress threads pass their
/// times to the computing thread, which adds them. Adding allocates no memory unless spans are kept.
class Timeline {
 public:
  /// `keep_spans`: for write_trace(), at 24 bytes per span.
  explicit Timeline(bool keep_spans = false) : keep_spans_(keep_spans) {}

  /// The name of the track that has the times of all clients' exchanges.
  static constexpr const char* exchange_track = "exchange";
  /// Checks the name of a client, which is its track in reports and files: 1 to 47 bytes, no quote, backslash or
  /// control character, and not that of the exchange's own track. Throws an Error otherwise.
  static void check_client(const std::string& name);

  /// A name as a text of JSON, without the quotes around it. A control character becomes a blank.
  static std::string json_text(const std::string& name);

  /// The number of the track with this name, created if it is new.
  std::size_t track(const std::string& name);
  /// Adds a span; times are those of now_seconds().
  void add(std::size_t track, Activity activity, double start_seconds, double finish_seconds);

  /// The names of the tracks, by number.
  const std::vector<std::string>& tracks() const { return names_; }
  /// The sum since the beginning, or reset().
  double total_seconds(std::size_t track, Activity activity) const {
    return totals_[track][static_cast<std::size_t>(activity)];
  }
  /// Deletes the sums and the spans, keeps the tracks: for example after a warm-up.
  void reset();

  /// Writes all ranks' spans as a Chrome trace (JSON), which Perfetto opens: one process per rank, one thread per
  /// track. Collective. Rank 0 writes a temporary file and renames it. Each rank holds its own text in memory, rank 0
  /// also 16 MiB of the others' texts.
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
