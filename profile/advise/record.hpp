// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::advise {

/// The kinds of calls that the analysis distinguishes.
enum class Kind : std::uint8_t {
  send,       ///< blocking
  receive,    ///< blocking
  exchange,   ///< MPI_Sendrecv: logged twice, for its send and for its receive
  post_send,  ///< also the start of a persistent request
  post_receive,
  collective,  ///< blocking
  post_collective,
  wait,
  test,  ///< only tests that completed a request are logged
  probe,
  mark,    ///< MPI_Pcontrol: a step starts
  region,  ///< no call: the program enters (`bytes` 1) or leaves (0) a region
  // Of the following, only number and time are recorded, no messages.
  one_sided,       ///< MPI_Put, MPI_Get and the like
  one_sided_wait,  ///< waits for one-sided operations
  making,          ///< creation of communicators, windows and topologies: collective
  file,
  other,
  uncovered,
};

inline constexpr std::array kind_names{"send",       "receive",         "exchange",  "post_send",      "post_receive",
                                       "collective", "post_collective", "wait",      "test",           "probe",
                                       "mark",       "region",          "one_sided", "one_sided_wait", "making",
                                       "file",       "other",           "uncovered"};

/// Calls whose messages can't be analysed; the report lists them.
constexpr bool is_unjudged(Kind kind) {
  return kind == Kind::one_sided || kind == Kind::file || kind == Kind::uncovered;
}

constexpr bool is_post(Kind kind) {
  return kind == Kind::post_send || kind == Kind::post_receive || kind == Kind::post_collective;
}
constexpr bool is_collective(Kind kind) { return kind == Kind::collective || kind == Kind::post_collective; }
/// Whether the call may have to wait for another rank. A blocking send is not counted: eager ones never wait.
constexpr bool is_synchronising(Kind kind) {
  return kind == Kind::receive || kind == Kind::exchange || kind == Kind::collective || kind == Kind::wait ||
         kind == Kind::probe || kind == Kind::one_sided_wait || kind == Kind::making;
}

/// A call site, with sums over the whole run. A plain struct, since it is stored in a file that outlives the process
/// (live.hpp).
struct Site {
  std::uint64_t address = 0;  ///< return address of the call, or a number of source_place()
  const char* call = "";      ///< "MPI_Isend"
  Kind kind = Kind::mark;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t ticks = 0;      ///< inside MPI
  std::uint64_t fruitless = 0;  ///< tests and probes that found nothing
  std::uint64_t last = 0;       ///< ticks: end of the last call
};
static_assert(sizeof(Site) == 64);

/// The callers of the function that contains a call site, and the time of their calls, sampled.
struct Callers {
  static constexpr std::size_t most = 32;
  struct Caller {
    std::uint64_t address = 0, ticks = 0;
  };
  std::array<Caller, most> all{};
  std::size_t count = 0;
  std::uint32_t passed = 0, gap = 1;  ///< short calls since the last look; the number at which the next one follows
  std::uint64_t calls = 0;            ///< short ones

  /// Returns 1 + the caller's place; 0 if there are too many.
  std::uint8_t add(std::uint64_t address, std::uint64_t ticks) {
    std::size_t at = 0;
    while (at < count && all[at].address != address) ++at;
    if (at == most) return 0;
    if (at == count) all[count++].address = address;
    all[at].ticks += ticks;
    return static_cast<std::uint8_t>(at + 1);
  }
};

/// The regions that the program names, and in which it is. A region inside another one has a number of its own there.
class Regions {
 public:
  static constexpr std::size_t most = 255;
  struct Region {
    std::string name;         ///< "step/halo"; of the whole program empty
    std::uint8_t parent = 0;  ///< lower than its own number; of the whole program itself
  };

  /// Both return the number of the region in which the program is afterwards. Beyond `most` a region counts as its
  /// parent. Leaving a region ends those inside it that were not left; one that is not open is ignored. A region that
  /// is entered again at once (recursion, a forgotten end) is the same one.
  std::uint8_t enter(const char* name);
  std::uint8_t leave(const char* name);
  std::uint8_t current() const { return open_.empty() ? 0 : open_.back().number; }
  const std::vector<Region>& all() const { return all_; }

 private:
  struct Open {
    std::string name;
    std::uint8_t number;
    std::size_t times = 1;
  };
  std::vector<Region> all_{1};
  std::vector<Open> open_;
};

constexpr int no_rank = -1;  ///< a receive from any rank whose source is not known yet, or an operation without a peer

/// The messages of one communicator, peer, tag and direction, which are received in the order in which they are sent.
struct Stream {
  std::uint64_t communicator = 0;  ///< the same number on all of its ranks
  int peer = no_rank;              ///< rank in MPI_COMM_WORLD
  int tag = 0;
  bool outgoing = false;
  std::uint32_t messages = 0;
  std::uint64_t bytes = 0;
};

constexpr std::uint32_t no_stream = ~0u;

/// A call or a message, depending on its kind. One cache line.
struct Event {
  std::uint64_t start = 0, finish = 0;     ///< ticks: of the call or the post
  std::uint64_t waited = 0, complete = 0;  ///< ticks: the call that completed the message; 0: not recorded
  std::uint64_t bytes = 0;
  std::uint64_t completer = 0;  ///< event number of the call that completed it
  std::uint32_t stream = no_stream;
  std::uint32_t sequence = 0;  ///< number in its stream
  std::uint16_t site = 0;
  Kind kind = Kind::mark;
  bool same_call = false;        ///< belongs to the same call as the event before
  std::uint8_t caller = 0;       ///< 1 + the caller's place in the site's Callers; 0: not sampled
  std::uint8_t region = 0;       ///< the innermost region of the call or post; of Kind::region: from now on
  std::uint16_t stands_for = 0;  ///< so many calls, of which only this one was sampled
};
static_assert(sizeof(Event) == 64);

/// The time in unsuccessful tests and probes between an event and the one before, which are no events themselves.
struct InVain {
  std::uint32_t sixteens = 0;  ///< of ticks
  std::uint16_t site = 0;      ///< of the last one
  static InVain of(std::uint64_t ticks, std::uint16_t site) {
    return {static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks / 16, ~std::uint32_t{0})), site};
  }
  std::uint64_t ticks() const { return std::uint64_t{16} * sixteens; }
};

/// The first and the last events, in memory that is allocated once.
class Log {
 public:
  explicit Log(std::size_t capacity) : first_(capacity / 4), events_(capacity), in_vain_(capacity) {}

  Event& add() { return events_[slot(count_++)]; }
  std::uint64_t count() const { return count_; }
  std::size_t bytes() const { return events_.size() * (sizeof(Event) + sizeof(InVain)); }
  /// Null if it has been overwritten.
  Event* find(std::uint64_t number) { return kept(number) ? &events_[slot(number)] : nullptr; }
  const Event* find(std::uint64_t number) const { return kept(number) ? &events_[slot(number)] : nullptr; }
  /// Before an event that is kept.
  InVain& in_vain(std::uint64_t number) { return in_vain_[slot(number)]; }
  const InVain& in_vain(std::uint64_t number) const { return in_vain_[slot(number)]; }
  /// From this event on, all events are kept.
  std::uint64_t last_part() const { return count_ <= events_.size() ? 0 : count_ - (events_.size() - first_); }

 private:
  bool kept(std::uint64_t n) const { return n < count_ && (n < first_ || n + (events_.size() - first_) >= count_); }
  std::size_t slot(std::uint64_t n) const { return n < first_ ? n : first_ + (n - first_) % (events_.size() - first_); }

  std::size_t first_;
  std::vector<Event> events_;
  std::vector<InVain> in_vain_;
  std::uint64_t count_ = 0;
};

}  // namespace weft::advise
