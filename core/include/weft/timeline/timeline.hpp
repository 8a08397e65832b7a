// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// What a rank does. `in_flight` overlaps the others: it lasts from the first send of a round until the rank finds that
/// the last message of the round is complete.
enum class Activity : std::uint8_t { compute, pack, wait, unpack, in_flight };
/// The number of activities.
constexpr std::size_t activity_count = 5;
/// The name as in the enumeration.
const char* name_of(Activity activity);

/// Records when one rank does what, on one track per client and one for the exchange as a whole.
///
/// Always keeps the total time of each activity per track; the single spans only on request, for a trace. Adding a span
/// allocates no memory unless spans are kept. Not thread-safe: progress threads pass their times to the computing
/// thread, which adds them.
class Timeline {
 public:
  /// `keep_spans`: keeps spans for write_trace(), at 24 bytes each.
  explicit Timeline(bool keep_spans = false) : keep_spans_(keep_spans) {}

  /// The name of the track of the exchange as a whole.
  static constexpr const char* exchange_track = "exchange";
  /// Throws an Error unless this may be the name of a client, and so of its track: 1 to 47 bytes, no quote, backslash
  /// or control character, not `exchange_track`.
  static void check_client(const std::string& name);

  /// Escapes a name for a JSON string, without the quotes around it. A control character becomes a blank.
  static std::string json_text(const std::string& name);

  /// The number of the track with this name, created if it is new.
  std::size_t track(const std::string& name);
  /// Adds a span of an activity; times are those of now_seconds().
  void add(std::size_t track, Activity activity, double start_seconds, double finish_seconds);

  /// The names of the tracks, by number.
  const std::vector<std::string>& tracks() const { return names_; }
  /// The total time of an activity since the beginning, or reset().
  double total_seconds(std::size_t track, Activity activity) const {
    return totals_[track][static_cast<std::size_t>(activity)];
  }
  /// Ends a step, for intervals in reports. Allocates no memory.
  void end_step();
  /// The run in equal parts of whole steps: 16 to 31 since the beginning, or reset(), after 16 steps. The same number
  /// on ranks that have ended as many steps.
  std::size_t parts() const { return parts_; }
  /// The number of steps in each part.
  std::int64_t steps_of_part() const { return steps_of_part_; }
  /// The total time of an activity in a part.
  double seconds_of_part(std::size_t part, std::size_t track, Activity activity) const;
  /// Deletes the totals and the spans, keeps the tracks: for example after a warm-up.
  void reset();

  /// Writes the spans of all ranks as a Chrome trace (JSON), which Perfetto opens: one process per rank, one thread per
  /// track. Collective. Each rank holds its own text in memory, rank 0 also 16 MiB of the others' texts. Throws
  /// InputError on every rank if rank 0 can't write the file.
  void write_trace(Transport& transport, const std::filesystem::path& path) const;

 private:
  struct Span {
    std::uint32_t track;
    Activity activity;
    double start, finish;
  };
  std::string trace_text(int rank, double origin) const;

  using Totals = std::array<double, activity_count>;
  static constexpr std::size_t most_parts = 32;

  bool keep_spans_;
  std::vector<std::string> names_;
  std::vector<Totals> totals_;
  std::vector<std::array<Totals, most_parts>> marks_;  // by track: totals at the end of each part
  std::int64_t steps_ = 0, steps_of_part_ = 1;
  std::size_t parts_ = 0;
  std::vector<Span> spans_;
};

}  // namespace weft
