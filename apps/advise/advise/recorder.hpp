// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "advise/key_map.hpp"
#include "advise/record.hpp"

namespace weft::advise {

/// What one rank calls, written down as it happens. Knows MPI's handles only as words.
///
/// Nothing here allocates once the program has been through its first steps. Not thread-safe: the hooks lock around it
/// if the program may call MPI from several threads.
class Recorder {
 public:
  static constexpr std::size_t most_sites = 4096;

  /// `sites`: where the sums are kept, room for most_sites; null: in memory of its own.
  explicit Recorder(std::size_t events, Site* sites = nullptr);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Is called when a call comes from a place that was not known.
  std::function<void(std::size_t number, const Site&)> on_new_site;

  /// A call that is over and left nothing behind; returns its number.
  std::uint64_t called(std::uint64_t address, const char* call, Kind kind, std::uint64_t start, std::uint64_t finish,
                       std::uint64_t bytes = 0, std::uint32_t stream = no_stream);
  /// A further message of the call before (what MPI_Sendrecv receives).
  void also(Kind kind, std::uint64_t bytes, std::uint32_t stream);
  /// A message (or collective) is on its way until `request` completes.
  void posted(std::uint64_t address, const char* call, Kind kind, std::uint64_t start, std::uint64_t finish,
              std::uint64_t bytes, std::uint32_t stream, std::uint64_t request, std::uint64_t communicator = 0);
  /// A further message of the request that was posted last (what MPI_Isendrecv receives).
  void posted_too(Kind kind, std::uint64_t bytes, std::uint32_t stream, std::uint64_t request);
  /// A persistent request was made: from now on it can be started.
  void prepared(Kind kind, std::uint64_t bytes, std::uint32_t stream, std::uint64_t request,
                std::uint64_t communicator);
  /// MPI_Start, MPI_Startall.
  void started(std::uint64_t address, const char* call, std::uint64_t start, std::uint64_t finish,
               std::span<const std::uint64_t> requests);
  /// A call that completed these requests. A test after many in vain, with next to nothing done between them, was a
  /// wait that began with the first of them. `sources` is empty, or has for each the stream of what came from any rank.
  void completed(std::uint64_t address, const char* call, Kind kind, std::uint64_t start, std::uint64_t finish,
                 std::span<const std::uint64_t> requests, std::span<const std::uint32_t> streams = {});
  /// Whether a test or probe from there would be one of many in vain, of which few have to be looked at: programs test
  /// millions of times, as often as every half a microsecond.
  bool is_one_of_many(std::uint64_t address) const {
    constexpr int many = 64, looks = 32;
    return spin_.tests >= many && spin_.unseen + 1 < looks && spin_.address == address && spin_.events == log_.count();
  }
  /// When the test before it returned that was looked at.
  std::uint64_t last_in_vain() const { return spin_.finish; }
  /// One of many was in vain, too.
  void unseen_in_vain() { ++spin_.unseen; }
  /// A test or probe that found nothing, of so many requests.
  void in_vain(std::uint64_t address, const char* call, Kind kind, std::uint64_t start, std::uint64_t finish,
               std::size_t requests = 0);
  /// MPI_Request_free.
  void forgotten(std::uint64_t request);
  /// The site of the last call was reached by way of this one.
  void called_from(std::uint64_t address) { callers_[last_site_].add(address); }
  /// Whether it is time to look who called: often at first, then rarely, since looking takes microseconds.
  bool wants_caller() {
    if (!std::exchange(fresh_, false)) return false;
    const auto calls = sites_[last_site_].calls;
    return calls % 1024 == 0 || std::has_single_bit(calls);
  }
  /// The communicator (as it was given to posted) on which that request receives from a rank that is not known yet, or
  /// 0.
  std::uint64_t of_any_rank(std::uint64_t request);

  /// From here on calls pass unseen, and from there on they are recorded again. What was on its way is forgotten.
  void rest();
  void wake();
  /// The last events between which none is missing, if there are enough of them: from the first to before the second.
  std::pair<std::uint64_t, std::uint64_t> last_window() const;
  bool rested() const { return first_rest_ != ~std::uint64_t{0}; }
  /// Before this event no call was missed, so both ends of a message count alike.
  std::uint64_t counted_until() const { return first_rest_; }

  /// The stream of that name; no_stream if there are too many of them.
  std::uint32_t stream(std::uint64_t communicator, int peer, int tag, bool outgoing);

  std::span<const Site> sites() const { return {sites_, site_count_}; }
  const Callers& callers(std::size_t site) const { return callers_[site]; }
  const std::vector<Stream>& streams() const { return streams_; }
  const Log& log() const { return log_; }
  /// How much there was to record, in calls: tests in vain count, which leave nothing in the log, and so do requests,
  /// of which a call may have thousands.
  std::uint64_t effort() const { return effort_; }
  /// How many requests are on their way.
  std::int64_t outstanding() const { return outstanding_; }
  /// What all of this takes.
  std::size_t bytes() const;

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  struct Request {
    std::uint64_t event = 0, second = none;
    std::uint64_t bytes = 0;
    std::uint64_t communicator = 0;
    std::uint32_t stream = no_stream;
    Kind kind = Kind::mark;
    bool persistent = false, active = false;
  };
  std::uint16_t site(std::uint64_t address, const char* call, Kind kind);
  Event& add(std::uint16_t site, Kind kind, std::uint64_t start, std::uint64_t finish, std::uint64_t bytes,
             std::uint32_t stream);
  void complete(std::uint64_t number, std::uint64_t waited, std::uint64_t finish, std::uint64_t completer);

  struct Spin {
    std::uint16_t site = 0;
    std::uint64_t start = 0, finish = 0, inside = 0, events = 0;
    std::uint64_t address = 0;
    int tests = 0, unseen = 0;  // unseen: since the last one that was looked at
  };
  void end_spin();
  bool spun(std::uint16_t site, std::uint64_t now) const;

  KeyMap<std::uint16_t> site_numbers_;
  std::unique_ptr<Site[]> own_sites_;
  Site* sites_;
  std::size_t site_count_ = 0;
  std::uint16_t last_site_ = 0;
  bool fresh_ = false;  // a call was recorded since it was asked who made the last one
  std::vector<Callers> callers_;
  KeyMap<std::uint32_t> stream_numbers_;
  std::vector<Stream> streams_;
  KeyMap<Request> requests_;
  Log log_;
  std::uint64_t effort_ = 0;
  std::int64_t outstanding_ = 0;
  Spin spin_;
  std::uint64_t first_rest_ = ~std::uint64_t{0};
  std::vector<std::uint64_t> windows_ = {0};  // starts, and of those before the last one ends, in turns
};

}  // namespace weft::advise
