// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "advise/key_map.hpp"
#include "advise/record.hpp"

namespace weft::advise {

/// The record of one rank's MPI calls. It treats MPI handles as plain words.
///
/// After the program's first steps it allocates no more memory. Not thread-safe: the hooks lock it if the program may
/// call MPI from several threads.
class Recorder {
 public:
  static constexpr std::size_t most_sites = 4096;
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// The message of a request in flight.
  struct InFlight {
    std::uint64_t event = none, receive = none;  ///< events: of the request, and of its receive if it has one
    std::uint64_t open = 0;                      ///< as it was passed to posted()
  };
  /// What a status tells of a message that was received.
  struct Arrived {
    static constexpr std::uint64_t unknown = ~std::uint64_t{0};
    std::uint32_t stream = no_stream;  ///< of a receive from any rank
    std::uint64_t bytes = unknown;     ///< never more than were posted, or unknown
    bool cancelled = false;
    InFlight of = {};  ///< known if several threads call MPI: one may have the handle already that another's wait freed
  };

  /// `sites`: memory for the sums, of most_sites entries; null: allocates its own.
  explicit Recorder(std::size_t events, Site* sites = nullptr);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Called at the first call from a new call site.
  std::function<void(std::size_t number, const Site&)> on_new_site;

  /// A finished call that left no request; returns its event number.
  std::uint64_t called(std::uint64_t address, const char* call, Kind kind, std::uint64_t start, std::uint64_t finish,
                       std::uint64_t bytes = 0, std::uint32_t stream = no_stream);
  /// A second message of the previous call (the receive of MPI_Sendrecv).
  void also(Kind kind, std::uint64_t bytes, std::uint32_t stream);
  /// A message (or collective) was posted; it is in flight until `request` completes. `open`: of a receive from any
  /// rank the number of its communicator (Communicators::keep), otherwise 0.
  void posted(std::uint64_t address, const char* call, Kind kind, std::uint64_t start, std::uint64_t finish,
              std::uint64_t bytes, std::uint32_t stream, std::uint64_t request, std::uint64_t open = 0);
  /// A second message of the last posted request (the receive of MPI_Isendrecv).
  void posted_too(Kind kind, std::uint64_t bytes, std::uint32_t stream, std::uint64_t request, std::uint64_t open = 0);
  /// A persistent request was created.
  void prepared(Kind kind, std::uint64_t bytes, std::uint32_t stream, std::uint64_t request, std::uint64_t open = 0);
  /// MPI_Start, MPI_Startall.
  void started(std::uint64_t address, const char* call, std::uint64_t start, std::uint64_t finish,
               std::span<const std::uint64_t> requests);
  /// A call that completed these requests. A successful test after many unsuccessful ones, with almost no work between
  /// them, is recorded as a wait that began with the first test. `arrived` is empty, or has what is known of each.
  void completed(std::uint64_t address, const char* call, Kind kind, std::uint64_t start, std::uint64_t finish,
                 std::span<const std::uint64_t> requests, std::span<const Arrived> arrived = {});
  /// Whether a test or probe at this address follows many unsuccessful ones, of which only few are recorded: programs
  /// may test millions of times, as often as every half microsecond.
  bool is_one_of_many(std::uint64_t address) const {
    constexpr int many = 64, most = 32;
    return spin_.tests >= many && spin_.unseen + 1 < most && spin_.address == address && spin_.events == log_.count();
  }
  /// When the last recorded test returned.
  std::uint64_t last_in_vain() const { return spin_.finish; }
  /// Another unsuccessful test, which is not recorded itself.
  void unseen_in_vain(std::uint64_t address);
  /// Counts the tests that were not recorded since the last recorded one, without their time.
  void end_spin();
  /// An unsuccessful test or probe of so many requests.
  void in_vain(std::uint64_t address, const char* call, Kind kind, std::uint64_t start, std::uint64_t finish,
               std::size_t requests = 0);
  /// The program enters or leaves a region. While calls are not recorded only the regions are followed.
  void enter_region(const char* name, std::uint64_t now, bool recorded) {
    change_region(regions_.enter(name), true, now, recorded);
  }
  void leave_region(const char* name, std::uint64_t now, bool recorded) {
    change_region(regions_.leave(name), false, now, recorded);
  }
  /// The regions in which the program is before the first call.
  void begin_in(Regions regions) { regions_ = std::move(regions); }
  const std::vector<Regions::Region>& regions() const { return regions_.all(); }
  /// MPI_Request_free.
  void forgotten(std::uint64_t request);
  /// Whether to find the caller of the last call, which took so long: if it took much longer than a sample (which takes
  /// microseconds), otherwise at random distances, so that callers that take turns are seen alike.
  bool wants_caller(std::uint64_t address, std::uint64_t took) {
    return std::exchange(fresh_, false) && sites_[last_site_].address == address && is_sampled(took);
  }
  /// The function that contains the last call's site was called from this address. The sample took so many ticks.
  void called_from(std::uint64_t address, std::uint64_t sample_ticks);
  InFlight in_flight(std::uint64_t request);

  /// rest(): stops recording; wake(): starts again. Requests in flight are forgotten.
  void rest();
  void wake();
  /// The last sufficiently long range of events without gaps: [first, second).
  std::pair<std::uint64_t, std::uint64_t> last_window() const;
  bool rested() const { return first_rest_ != ~std::uint64_t{0}; }
  /// Before this event every call was recorded, so both ends of a message have the same sequence number.
  std::uint64_t counted_until() const { return first_rest_; }

  /// The number of this stream; no_stream if there are too many streams.
  std::uint32_t stream(std::uint64_t communicator, int peer, int tag, bool outgoing);

  std::span<const Site> sites() const { return {sites_, site_count_}; }
  /// The time of each caller's calls in events [from, end), or of the whole run if none was sampled there; in ticks.
  std::vector<std::vector<Callers::Caller>> callers(std::uint64_t from, std::uint64_t end) const;
  const std::vector<Stream>& streams() const { return streams_; }
  const Log& log() const { return log_; }
  /// Whether one of them is, or may be, in flight: MPI_Test finds MPI_REQUEST_NULL (`null`) and inactive requests
  /// complete, too.
  bool awaits(std::span<const std::uint64_t> requests, std::uint64_t null);
  /// The recording effort so far, in calls. It includes unsuccessful tests, which are not in the log, and the requests
  /// of calls with many requests.
  std::uint64_t effort() const { return effort_; }
  /// Number of requests in flight.
  std::int64_t outstanding() const { return outstanding_; }
  /// Memory of the recorder.
  std::size_t bytes() const;

 private:
  struct Request {
    std::uint64_t event = 0, second = none;
    std::uint64_t bytes = 0;
    std::uint64_t open = 0;
    std::uint32_t stream = no_stream;
    Kind kind = Kind::mark;
    bool persistent = false, active = false;
  };
  std::uint16_t site(std::uint64_t address, const char* call, Kind kind);
  Event& add(std::uint16_t site, Kind kind, std::uint64_t start, std::uint64_t finish, std::uint64_t bytes,
             std::uint32_t stream);
  void correct(std::uint64_t number, const Arrived& arrived);
  void complete(std::uint64_t number, std::uint64_t waited, std::uint64_t finish, std::uint64_t completer);

  bool is_sampled(std::uint64_t took);
  void change_region(std::uint8_t to, bool enters, std::uint64_t now, bool recorded);

  struct Spin {
    std::uint16_t site = 0;
    std::uint64_t start = 0, finish = 0, inside = 0, events = 0;
    std::uint64_t address = 0;
    int tests = 0, unseen = 0;  // unseen: tests since the last recorded one
  };
  std::uint64_t in_vain_ = 0;  // ticks in unsuccessful tests since the last event
  bool spun(std::uint16_t site, std::uint64_t now) const;

  KeyMap<std::uint16_t> site_numbers_;
  std::unique_ptr<Site[]> own_sites_;
  Site* sites_;
  std::size_t site_count_ = 0;
  std::uint16_t last_site_ = 0;
  bool fresh_ = false;  // a call was recorded since the last query for its caller
  std::vector<Callers> callers_;
  struct Sample {
    std::uint64_t event = none;  // of the last call, if it is in the log
    std::uint64_t took = 0, stands_for = 1;
    std::uint64_t least = ~std::uint64_t{0};  // ticks of the fastest sample
    std::uint64_t random = 0x9E3779B97F4A7C15u;
  } sample_;
  KeyMap<std::uint32_t> stream_numbers_;
  std::vector<Stream> streams_;
  KeyMap<Request> requests_;
  Regions regions_;
  Log log_;
  std::uint64_t effort_ = 0;
  std::int64_t outstanding_ = 0;
  Spin spin_;
  std::uint64_t first_rest_ = ~std::uint64_t{0};
  std::vector<std::uint64_t> windows_ = {0};  // alternating starts and ends of the recorded ranges
};

}  // namespace weft::advise
