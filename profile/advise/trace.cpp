// SPDX-License-Identifier: BSD-3-Clause
#include "advise/trace.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "advise/call_sites.hpp"
#include "advise/gather.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::advise {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + '"';
}

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
        "\"args\":{\"bytes\":%llu,\"needed_us\":%.3f,\"hidden_us\":%.3f,\"late_us\":%.3f,\"place\":%s}},\n",
        rank, id, rank, name, micro(f.start), static_cast<unsigned long long>(event.bytes), 1e6 * f.needed,
        1e6 * f.hidden, 1e6 * f.late, quoted(names[event.site].text).c_str());
    text.add(
        "{\"ph\":\"e\",\"cat\":\"in flight\",\"id\":\"%d.%llu\",\"pid\":%d,\"tid\":0,\"name\":\"%s\",\"ts\":%.3f},\n",
        rank, id, rank, name, micro(f.finish));
  }
  return text.all;
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

}  // namespace weft::advise
