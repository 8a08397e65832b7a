// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of random programs that call weft correctly and wrongly, and fail at any point.
//
// A program is drawn from a seed. Decisions that all ranks must make alike (collective calls, sizes) are drawn from
// common(), which gives the same numbers on all ranks; other decisions are a rank's own. The elements that are sent are
// hashes of their origin, so that each receiver can compute the expected values.
//
// A program has *things*: exchanges, step managers, pipelines, mailboxes, halos, with the memory that they use. It uses
// them in *bursts*. Each callback, and each gap between two calls, is a *point*, and in some bursts ranks fail at the
// n-th point that they reach. What has failed is replaced after the burst.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/core_random.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/step/step_manager.hpp"

namespace weft::testing {

using Actions = std::vector<std::function<void()>>;

/// Shared by all ranks of a program, for the observer.
struct Watched {
  std::atomic<std::uint64_t> seed{0};
  std::atomic<double> since{0};
  std::atomic<bool> escapes{false};  // an exception escapes from a rank's program, which ends it
  bool may_escape = true;
  struct Place {
    std::atomic<const char*> what{"nothing"};
    std::atomic<std::uint64_t> number{0};
  };
  std::array<Place, 8> places;
};

/// One rank of a program.
class Rank {
 public:
  Rank(Transport& transport, std::uint64_t seed, Watched& watched);
  ~Rank() { here = nullptr; }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  /// The same numbers on all ranks, for one point of the program.
  Random common(std::initializer_list<std::uint64_t> place) const;
  /// The current point of the program, for the observer.
  void at(const char* what, std::uint64_t number = 0);

  /// Draws which ranks fail in the next burst, and at which point.
  void plan(std::uint64_t burst, bool nobody);
  /// A callback, or a gap between two calls. Also on progress threads.
  void point() {
    if (is_due()) fail();
  }
  /// Whether this is the point at which this rank fails.
  bool is_due() { return points_.fetch_add(1) == fails_at_; }
  /// Throws an exception of a random type; sometimes another thing fails before.
  [[noreturn]] void fail();
  /// Decides how this rank fails; usable in continuations.
  std::uint64_t kind() const { return kind_; }
  /// Whether this rank has come to the point at which it fails.
  bool has_failed() const { return points_ > fails_at_; }
  bool nobody_fails() const { return nobody_fails_; }
  /// Whether exceptions of the burst leave the program of this rank.
  bool escapes() const { return escapes_; }

  /// Whether the action does not throw. Its exception must be the program's own, or an Error that names something.
  bool attempt(const std::function<void()>& action);
  /// Whether the last attempt failed since the transport has few tags.
  bool lacks_tags() const { return lacks_tags_; }
  /// The text of its Error.
  const std::string& said() const { return said_; }
  /// The action must throw an Error that contains this text. PeerErrors are thrown on.
  void refused(const char* what, const std::function<void()>& action, const std::string& text);
  /// Whether this is true on all ranks. A barrier.
  bool all(bool say);

  /// The same on all ranks, except for choices that each rank makes itself. No deferred unpacking with continuations.
  StepOptions options(std::initializer_list<std::uint64_t> place, bool continuations);

  Transport& world;
  std::uint64_t seed;
  Random own;
  Watched& watched;
  int rank, size;
  std::function<void()> fail_another{};  // thing of the program
  static thread_local Rank* here;        // of this computing thread

 private:
  bool lacks_tags_ = false, nobody_fails_ = true, escapes_ = false;
  std::atomic<std::int64_t> points_{0};
  std::int64_t fails_at_ = 0;
  std::uint64_t kind_ = 0;
  std::string said_;
  std::thread::id thread_ = std::this_thread::get_id();
};

ExchangeOptions exchange_options(Rank& rank, const StepOptions& options);

/// Objects of weft, and their memory. The constructor does what is collective over the program's own transport.
class Thing {
 public:
  virtual ~Thing() = default;
  /// Commits, adds clients: what can fail on one rank. Throws.
  virtual void prepare() = 0;
  /// Uses the objects. Throws.
  virtual void step(std::uint64_t number) = 0;
  /// Ends the objects while another rank may use them.
  virtual void fail() noexcept = 0;
  /// Whether an object has failed, as far as this rank knows.
  virtual bool has_failed() const = 0;
  /// Uses the objects, which have failed on another rank, until this rank knows.
  virtual void learn() = 0;
  /// Calls that failed objects refuse.
  virtual Actions calls() = 0;
  /// Overwrites and frees the memory of the messages.
  virtual void forget() = 0;
  /// Destroys the objects; in any order if they have failed.
  virtual Actions ends() = 0;

  bool is_prepared = false, is_lost = false;  // on this rank
};
using Things = std::vector<std::unique_ptr<Thing>>;

std::unique_ptr<Thing> make_exchanges(Rank& rank, std::uint64_t number);
std::unique_ptr<Thing> make_steps(Rank& rank, std::uint64_t number);
std::unique_ptr<Thing> make_pipeline(Rank& rank, std::uint64_t number);
std::unique_ptr<Thing> make_mailbox(Rank& rank, std::uint64_t number);
std::unique_ptr<Thing> make_halo(Rank& rank, std::uint64_t number);
/// Ranks whose requests differ.
void commit_badly(Rank& rank, std::uint64_t number);
/// One random program, on one rank.
void play(Transport& world, std::uint64_t seed, Watched& watched);

}  // namespace weft::testing
