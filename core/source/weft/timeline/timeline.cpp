// SPDX-License-Identifier: BSD-3-Clause
#include "weft/timeline/timeline.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>

#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {

const char* name_of(Activity activity) {
  switch (activity) {
    case Activity::compute: return "compute";
    case Activity::pack: return "pack";
    case Activity::wait: return "wait";
    case Activity::unpack: return "unpack";
    case Activity::in_flight: return "in flight";
  }
  return "?";
}

void Timeline::check_client(const std::string& name) {
  const auto who = "Client '" + name + "' ";
  if (name.empty() || name.size() > 47)
    throw Error(who + "has a name of " + std::to_string(name.size()) + " letters. Use 1 to 47.");
  if (name == exchange_track)
    throw Error(who + "has the name under which reports show the times of all clients. Use another name.");
  for (const char c : name)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ')
      throw Error("Client '" + name +
                  "' has a quote, a backslash or a control character in its name (reports are JSON). "
                  "Use letters, digits and blanks.");
}

std::size_t Timeline::track(const std::string& name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  names_.push_back(name);
  totals_.push_back({});
  marks_.push_back({});
  return names_.size() - 1;
}

void Timeline::add(std::size_t track, Activity activity, double start_seconds, double finish_seconds) {
  totals_[track][static_cast<std::size_t>(activity)] += finish_seconds - start_seconds;
  if (keep_spans_) spans_.push_back({static_cast<std::uint32_t>(track), activity, start_seconds, finish_seconds});
}

// When all places for marks are taken, every second mark goes and parts become twice as long.
void Timeline::end_step() {
  if (++steps_ % steps_of_part_ != 0) return;
  for (std::size_t t = 0; t < totals_.size(); ++t) marks_[t][parts_] = totals_[t];
  if (++parts_ < most_parts) return;
  parts_ = most_parts / 2;
  steps_of_part_ *= 2;
  for (auto& marks : marks_)
    for (std::size_t i = 0; i < parts_; ++i) marks[i] = marks[2 * i + 1];
}

double Timeline::seconds_of_part(std::size_t part, std::size_t track, Activity activity) const {
  const auto at = static_cast<std::size_t>(activity);
  const auto& marks = marks_[track];
  return marks[part][at] - (part > 0 ? marks[part - 1][at] : 0);
}

void Timeline::reset() {
  for (auto& t : totals_) t = {};
  for (auto& marks : marks_) marks = {};
  steps_ = 0;
  steps_of_part_ = 1;
  parts_ = 0;
  spans_.clear();
}

std::string Timeline::json_text(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return text;
}

std::string Timeline::trace_text(int rank, double origin) const {
  std::string text;
  char line[256];
  std::snprintf(line, sizeof line,
                "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"rank %d\"}},\n", rank, rank);
  text += line;
  // In-flight spans overlap the others, so each track has a second line for them.
  for (std::size_t t = 0; t < names_.size(); ++t)
    for (std::size_t flight = 0; flight < 2; ++flight) {
      std::snprintf(line, sizeof line,
                    "{\"ph\":\"M\",\"pid\":%d,\"tid\":%zu,\"name\":\"thread_name\",\"args\":{\"name\":\"", rank,
                    2 * t + flight);
      text += line + json_text(names_[t]) + (flight ? ", in flight" : "") + "\"}},\n";
    }
  for (const auto& s : spans_) {
    const unsigned flight = s.activity == Activity::in_flight ? 1 : 0;
    std::snprintf(line, sizeof line, "{\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"name\":\"%s\",\"ts\":%.3f,\"dur\":%.3f},\n",
                  rank, 2 * s.track + flight, name_of(s.activity), 1e6 * (s.start - origin),
                  1e6 * (s.finish - s.start));
    text += line;
  }
  return text;
}

void Timeline::write_trace(Transport& transport, const std::filesystem::path& path) const {
  double first = std::numeric_limits<double>::max();
  for (const auto& s : spans_) first = std::min(first, s.start);
  const double origin = all_reduce(transport, first, minimum<double>());
  std::optional<WholeFile> file;
  on_root(transport, [&] {
    file.emplace(path);
    file->stream() << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  });
  gather_text(transport, trace_text(transport.rank(), origin),
              [&](const std::string& piece) { file->stream() << piece; });
  on_root(transport, [&] {
    file->stream() << "{\"ph\":\"M\",\"pid\":0,\"name\":\"end\"}\n]}\n";
    file->finish();
  });
}

}  // namespace weft
