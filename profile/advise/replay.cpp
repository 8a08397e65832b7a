// SPDX-License-Identifier: BSD-3-Clause
#include "advise/replay.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include "advise/between_tests.hpp"
#include "advise/busy.hpp"
#include "advise/gather.hpp"
#include "advise/network.hpp"
#include "weft/clock.hpp"

namespace weft::advise {
namespace {

// Seconds. Shorter passes would end before streams in both directions slow each other down.
constexpr double wanted_pass = 0.1, least_budget = 0.5;
constexpr double most_bytes = 128e6, most_messages = 16384;  // of a rank
constexpr double least_share = 0.9;                          // of the messages must be sent, or the time means nothing
constexpr double least_steps = 3;
constexpr int most_passes = 4;
constexpr int first_tag = 100;  // above those of the other messages of this communicator

bool is_sent(Kind kind) { return kind == Kind::send || kind == Kind::exchange || kind == Kind::post_send; }
bool is_received(Kind kind) { return kind == Kind::receive || kind == Kind::post_receive; }

}  // namespace

struct Replay::Message {
  std::uint64_t key, bytes;
  int peer;
  bool outgoing;
  double posted, complete;
  int tag = 0;
  char* memory = nullptr;
  MPI_Request request = MPI_REQUEST_NULL;
};

// The steps' messages, once.
class Replay::Pass {
 public:
  Pass(MPI_Comm comm, std::vector<Message> messages) : comm_(comm), messages_(std::move(messages)), pages_(size()) {
    std::map<std::pair<int, bool>, std::vector<Message*>> pairs;
    std::size_t at = 0;
    for (auto& message : messages_) {
      message.memory = pages_.all().data() + at;
      at += padded(message.bytes);
      pairs[{message.peer, message.outgoing}].push_back(&message);
      actions_.push_back({message.posted, &message, false});
      actions_.push_back({message.complete, &message, true});
    }
    std::ranges::stable_sort(actions_, {}, &Action::at);
    for (auto& [pair, all] : pairs) {
      std::ranges::sort(all, {}, &Message::key);
      for (std::size_t i = 0; i < all.size(); ++i) all[i]->tag = first_tag + static_cast<int>(i);
    }
  }

  // The duration; below 0: a request did not complete within `most` seconds. Then it can't be run again.
  double run(double most) {
    MPI_Request all_there;
    PMPI_Ibarrier(comm_, &all_there);
    until_ = now_seconds() + most;
    if (!finishes(all_there)) return -1;
    const double start = now_seconds();
    for (const auto& action : actions_)
      if (!action.completes)
        post(*action.message);
      else if (!finishes(action.message->request))
        return give_up();
    return now_seconds() - start;
  }

 private:
  struct Action {
    double at;
    Message* message;
    bool completes;
  };

  static std::size_t padded(std::uint64_t bytes) { return (bytes + 64) / 64 * 64; }

  std::size_t size() const {
    std::size_t all = 64;
    for (const auto& message : messages_) all += padded(message.bytes);
    return all;
  }

  void post(Message& m) {
    const auto bytes = static_cast<int>(m.bytes);
    if (m.outgoing)
      PMPI_Isend(m.memory, bytes, MPI_BYTE, m.peer, m.tag, comm_, &m.request);
    else
      PMPI_Irecv(m.memory, bytes, MPI_BYTE, m.peer, m.tag, comm_, &m.request);
  }

  bool finishes(MPI_Request& request) const {
    for (int done = 0, tries = 1;; ++tries) {
      PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return true;
      BetweenTests::rest();
      if (tries % 64 == 0 && now_seconds() > until_) return false;
    }
  }

  // The requests stay behind, and so does their memory.
  double give_up() {
    for (auto& message : messages_)
      if (!message.outgoing && message.request != MPI_REQUEST_NULL) PMPI_Cancel(&message.request);
    pages_.leak();
    return -1;
  }

  MPI_Comm comm_;
  std::vector<Message> messages_;
  Pages pages_;
  std::vector<Action> actions_;
  double until_ = 0;
};

Replay::Replay(MPI_Comm comm, const Recorder& recorder, const Steps& steps, const TickScale& scale, double seconds,
               Waiting& waiting)
    : comm_(comm), recorder_(recorder), steps_(steps), scale_(scale), waiting_(waiting),
      budget_(std::max(least_budget, 0.1 * seconds)), from_(steps.starts.back()) {
  const auto first = steps.starts.front(), end = steps.starts.back();
  double inside = 0, bytes = 0, messages = 0;
  for (auto n = first; n < end; ++n) {
    const Event& event = *recorder.log().find(n);
    if (!event.same_call) inside += scale.seconds(event.finish) - scale.seconds(event.start);
    if (!is_sent(event.kind) && !is_received(event.kind)) continue;
    messages += 1;
    bytes += static_cast<double>(event.bytes);
  }
  const double count = std::max<double>(1, static_cast<double>(steps.count()));
  const bool can_not = recorder.rested() && recorder.counted_until() < end;
  const auto most =
      reduced(comm, {inside / count, bytes / count, messages / count, -count, can_not ? 1.0 : 0.0}, MPI_MAX, waiting);
  if (most[4] > 0 || most[2] == 0) return;
  const double fit = std::min(
      {-most[3], most_bytes / std::max(1.0, most[1]), most_messages / most[2], budget_ / std::max(1e-9, most[0])});
  const double wanted = std::max(least_steps, wanted_pass / std::max(1e-9, most[0]));
  count_ = static_cast<std::size_t>(std::min(fit, wanted));
  if (count_ > 0) from_ = steps.starts[steps.count() - count_];
}

std::vector<Replay::Message> Replay::messages(const std::vector<OtherSide>& others, double& all) const {
  std::vector<Message> result;
  int rank = 0;
  PMPI_Comm_rank(comm_, &rank);
  for (auto n = from_; n < steps_.starts.back(); ++n) {
    const Event& event = *recorder_.log().find(n);
    const bool outgoing = is_sent(event.kind);
    if (event.stream == no_stream || (!outgoing && !is_received(event.kind))) continue;
    const int peer = recorder_.streams()[event.stream].peer;
    if (peer == rank) continue;
    all += 1;
    const auto& other = others[n - steps_.starts.front()];
    const auto bytes = outgoing ? event.bytes : other.bytes;
    if (!other.again || static_cast<double>(bytes) > most_bytes) continue;
    const double complete = scale_.seconds(event.complete);
    const bool was_waited_for = event.waited != 0 && (!outgoing || other.posted < complete);
    result.push_back({other.key, bytes, peer, outgoing, scale_.seconds(event.start),
                      was_waited_for ? complete : std::numeric_limits<double>::max()});
  }
  return result;
}

ReplayTime Replay::run(const std::vector<OtherSide>& others) {
  if (count_ == 0) return {};
  double all = 0;
  auto mine = messages(others, all);
  double share = all > 0 ? static_cast<double>(mine.size()) / all : 1;
  std::unique_ptr<Pass> pass;
  try {
    pass = std::make_unique<Pass>(comm_, std::move(mine));
  } catch (const std::bad_alloc&) {
    share = 0;
  }
  if (reduced(comm_, {share}, MPI_MIN, waiting_)[0] < least_share) return {};
  std::vector<double> seconds;
  const auto start = Busy::now();
  for (int i = 0; i < most_passes; ++i) {
    const double took = pass->run(10 * budget_);
    const double spent = now_seconds() - start.seconds;
    const auto most = reduced(comm_, {took < 0 ? 1.0 : 0.0, spent}, MPI_MAX, waiting_);
    if (most[0] > 0) return {};
    seconds.push_back(took);
    if (most[1] * (1 + 1.0 / (i + 1)) > budget_) break;
  }
  const auto busy = Busy::now() - start;
  // The first pass touches the memory.
  if (seconds.size() > 2) seconds.erase(seconds.begin());
  std::ranges::sort(seconds);
  const auto middle = seconds.size() / 2;
  const double median = seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
  // A rank that only sends may be done while its data are still under way.
  return {reduced(comm_, {median / static_cast<double>(count_)}, MPI_MAX, waiting_)[0], busy.waited, from_};
}

}  // namespace weft::advise
