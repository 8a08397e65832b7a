// SPDX-License-Identifier: BSD-3-Clause
#include "advise/trace.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "advise/call_sites.hpp"
#include "advise/gather.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/text.hpp"

namespace weft::advise {
namespace {

class Text {
 public:
  template <class... Values>
  void add(const char* format, Values... values) {
    char line[1024];
    std::snprintf(line, sizeof line, format, values...);
    all += line;
  }
  std::string all;
};

std::string trace_text(int rank, std::uint64_t from, const Recorder& recorder, const Judge& judge, const Steps& steps,
                       const TickScale& scale, double origin) {
  Text text;
  text.add("{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"rank %d\"}},\n", rank, rank);
  text.add("{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"thread_name\",\"args\":{\"name\":\"calls\"}},\n", rank);
  std::vector<CallSite> places;
  for (const auto& site : recorder.sites()) places.push_back(call_site_of(site.address));
  const auto names = Naming{.ask = false}.names_of(places);
  const auto micro = [&](double seconds) { return 1e6 * (seconds - origin); };
  for (const auto start : steps.starts)
    if (start > from && start < steps.starts.back())
      text.add("{\"ph\":\"i\",\"s\":\"p\",\"pid\":%d,\"tid\":0,\"name\":\"step\",\"ts\":%.3f},\n", rank,
               micro(scale.seconds(recorder.log().find(start)->start)));
  for (auto n = from; n < steps.starts.back(); ++n) {
    const Event& event = *recorder.log().find(n);
    if (event.kind == Kind::region) continue;
    const auto& site = recorder.sites()[event.site];
    const double start = scale.seconds(event.start), finish = scale.seconds(event.finish);
    if (!event.same_call)
      text.add(
          "{\"ph\":\"X\",\"pid\":%d,\"tid\":0,\"name\":\"%s\",\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"place\":%s}},\n",
          rank, site.call, micro(start), 1e6 * (finish - start), quoted(names[event.site].text).c_str());
    if (!judge.is_message(event) || !is_post(event.kind)) continue;
    const auto f = judge.flight(n);
    const auto& stream = recorder.streams()[event.stream];
    char name[64];
    if (event.kind == Kind::post_collective)
      std::snprintf(name, sizeof name, "%s", site.call);
    else
      std::snprintf(name, sizeof name, "%s %d", stream.outgoing ? "to" : "from", stream.peer);
    const auto id = static_cast<unsigned long long>(n);
    text.add(
        "{\"ph\":\"b\",\"cat\":\"in flight\",\"id\":\"%d.%llu\",\"pid\":%d,\"tid\":0,\"name\":\"%s\",\"ts\":%.3f,"
        "\"args\":{\"bytes\":%llu,\"needed_us\":%.3f,\"overlapped_us\":%.3f,\"late_us\":%.3f,\"place\":%s}},\n",
        rank, id, rank, name, micro(f.start), static_cast<unsigned long long>(event.bytes), 1e6 * f.needed,
        1e6 * f.overlapped, 1e6 * f.late, quoted(names[event.site].text).c_str());
    text.add(
        "{\"ph\":\"e\",\"cat\":\"in flight\",\"id\":\"%d.%llu\",\"pid\":%d,\"tid\":0,\"name\":\"%s\",\"ts\":%.3f},\n",
        rank, id, rank, name, micro(f.finish));
  }
  return text.all;
}

constexpr int most_ranks = 64;
constexpr std::size_t most_spans = 300;

struct Packed {
  PictureRank::What what;
  int lane;
  double from, to;
  char call[40];
};

struct Time {
  double from = 0, to = 0;
};

Time median_step(const Recorder& recorder, const Steps& steps, const TickScale& scale) {
  std::vector<Time> all;
  for (std::size_t i = 1; i + 1 < steps.starts.size(); ++i) {
    const auto* before = recorder.log().find(steps.starts[i] - 1);
    const auto* last = recorder.log().find(steps.starts[i + 1] - 1);
    if (before != nullptr && last != nullptr)
      all.push_back({scale.seconds(before->finish), scale.seconds(last->finish)});
  }
  if (all.empty()) return {};
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end(),
                   [](const Time& a, const Time& b) { return a.to - a.from < b.to - b.from; });
  return *middle;
}

// The first lane in which no message is in flight at that time.
int lane_of(double from, double to, std::vector<double>& busy_until) {
  constexpr std::size_t most = 8;
  std::size_t lane = 0;
  while (lane + 1 < most && lane < busy_until.size() && busy_until[lane] > from) ++lane;
  if (lane == busy_until.size()) busy_until.push_back(0);
  busy_until[lane] = to;
  return static_cast<int>(lane);
}

std::string spans(const Recorder& recorder, const Judge& judge, const Steps& steps, const TickScale& scale,
                  const Time& time) {
  std::string all;
  std::vector<double> busy_until;
  std::size_t count = 0;
  const auto add = [&](PictureRank::What what, double from, double to, const Event& event) {
    from = std::max(from, time.from);
    to = std::min(to, time.to);
    if (from >= to || ++count > most_spans) return;
    Packed span{what, 0, from - time.from, to - time.from, {}};
    if (what == PictureRank::What::flight) span.lane = lane_of(from, to, busy_until);
    std::strncpy(span.call, recorder.sites()[event.site].call, sizeof span.call - 1);
    all.append(reinterpret_cast<const char*>(&span), sizeof span);
  };
  for (auto n = steps.starts.front(); n < steps.starts.back(); ++n) {
    const Event& event = *recorder.log().find(n);
    const double start = scale.seconds(event.start), finish = scale.seconds(event.finish);
    if (start > time.to) break;
    if (!event.same_call && finish > time.from) add(PictureRank::What::call, start, finish, event);
    if (!judge.is_message(event)) continue;
    const auto flight = judge.flight(n);
    add(PictureRank::What::flight, flight.start, flight.finish, event);
    if (flight.late > 0) add(PictureRank::What::late, flight.start - flight.late, flight.start, event);
  }
  return all;
}

}  // namespace

void write_trace(MPI_Comm comm, const Settings& settings, const Recorder& recorder, const Judge& judge,
                 const Steps& steps, const TickScale& scale, Waiting& waiting) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  const auto most = std::max<std::uint64_t>(16, settings.trace / static_cast<std::uint64_t>(ranks) / 2);
  const auto first = steps.starts.front(), end = steps.starts.back();
  const auto from = end - first > most ? end - most : first;
  const double mine = from < end ? scale.seconds(recorder.log().find(from)->start) : scale.seconds(ticks());
  const double origin = reduced(comm, {mine}, MPI_MIN, waiting)[0];
  std::optional<WholeFile> file;
  std::string wrong;  // thrown later, when no other rank waits for this one
  if (rank == 0) try {
      file.emplace(settings.out + ".trace.json");
      file->stream() << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    } catch (const std::exception& e) {
      wrong = e.what();
    }
  for_each_text(
      comm, trace_text(rank, from, recorder, judge, steps, scale, origin),
      [&](const std::string& text) {
        if (file) file->stream() << text;
      },
      waiting);
  if (!wrong.empty()) throw Error(wrong);
  if (file) {
    file->stream() << "{\"ph\":\"M\",\"pid\":0,\"name\":\"end\"}\n]}\n";
    file->finish();
  }
}

void take_picture(MPI_Comm comm, const Recorder& recorder, const Judge& judge, const Steps& steps,
                  const TickScale& scale, Report& report, Waiting& waiting) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  const auto own = rank == 0 && steps.by != Steps::By::nothing ? median_step(recorder, steps, scale) : Time{};
  const auto both = reduced(comm, {own.from, own.to}, MPI_SUM, waiting);
  const Time time{both[0], both[1]};
  if (time.to <= time.from) return;
  report.picture_seconds = time.to - time.from;
  int from = 0;
  for_each_text(
      comm, rank < most_ranks ? spans(recorder, judge, steps, scale, time) : std::string(),
      [&](const std::string& text) {
        PictureRank one{from++, {}};
        for (std::size_t at = 0; at + sizeof(Packed) <= text.size(); at += sizeof(Packed)) {
          Packed p;
          std::memcpy(&p, text.data() + at, sizeof p);
          one.spans.push_back({p.what, p.from, p.to, p.call, p.lane});
        }
        if (one.rank < most_ranks) report.picture.push_back(std::move(one));
      },
      waiting);
}

}  // namespace weft::advise
