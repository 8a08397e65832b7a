// SPDX-License-Identifier: BSD-3-Clause
#include "advise/picture.hpp"

#include <algorithm>
#include <cstring>

namespace weft::advise {
namespace {

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
