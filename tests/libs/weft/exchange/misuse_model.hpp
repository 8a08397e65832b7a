// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of random programs that also call weft in the wrong order and fail at any point.
//
// A program is drawn from a seed. Decisions that all ranks must make alike (collective calls, sizes, who fails) are
// drawn from common(), which gives the same numbers on all ranks; other decisions are a rank's own. The elements that
// are sent are hashes of their origin, so that each receiver can compute the expected values.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/core_random.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/step/step_manager.hpp"

namespace weft::testing {

/// Shared by all ranks of a program, for the observer.
struct Watched {
  std::atomic<std::uint64_t> seed{0};
  std::atomic<double> since{0};
  std::atomic<bool> escapes{false};  // an exception escapes from a rank's program, which ends it
  struct Place {
    std::atomic<const char*> what{"nothing"};
    std::atomic<std::uint64_t> number{0};
  };
  std::array<Place, 4> places;
};

/// The exceptions that programs throw themselves; sometimes they throw another type.
struct Thrown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The ranks that fail in a step.
struct Failure {
  enum class Who : std::uint8_t { nobody, everybody, one };
  Who who = Who::nobody;
  int rank = 0;  ///< if one rank fails, which one
  bool hits(int of_rank) const { return who == Who::everybody || (who == Who::one && rank == of_rank); }
};

/// One rank of a program.
class Rank {
 public:
  Rank(Transport& transport, std::uint64_t seed, Watched& watched);

  /// The same numbers on all ranks, for one point of the program.
  Random common(std::initializer_list<std::uint64_t> place) const;
  /// The current point of the program, for the observer.
  void at(const char* what, std::uint64_t number = 0);
  /// Throws an exception of a random type.
  [[noreturn]] static void fail(std::uint64_t kind);
  /// Whether the action does not throw. Its exception must be the program's own, or an Error that names something.
  bool attempt(const std::function<void()>& action);
  /// Whether the last attempt failed since the transport has few tags; the same on all ranks.
  bool lacks_tags() const { return lacks_tags_; }
  /// The action must throw an Error that contains this text.
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

 private:
  bool lacks_tags_ = false;
};

ExchangeOptions exchange_options(Rank& rank, const StepOptions& options);

/// The messages of one client.
class Moves {
 public:
  struct Shape {
    int rounds = 1;
    bool continuations = false;  ///< a continuation starts each following round
    bool reduces = false;        ///< a sum over all ranks in each round
    std::size_t turns = 1;       ///< number of buffers per part
    std::size_t largest = 700;   ///< largest number of elements
  };
  Moves(Rank& rank, std::uint64_t number, Shape shape);

  /// With new memory, whose sizes depend on the generation.
  void list(Requests& requests, std::uint64_t generation = 0);
  void fill(int round, std::uint64_t step);
  /// Whether all parts received in this round are right.
  bool is_right(int round, std::uint64_t step) const;

  std::vector<SendPart> sends(int round) const;
  std::vector<ReceivePart> receives(int round) const;
  std::vector<CollectivePart> collectives(int round) const;

  Shape shape;
  std::uint64_t step_of_continuations = 0;  ///< set before a start
  std::function<void(int)> in_continuation{};

 private:
  using Numbers = std::vector<std::uint64_t>;
  struct End {
    bool is_sent;
    int peer, round;
    Key key;
    Part part;
    std::vector<std::unique_ptr<Numbers>> places;  // by buffer index
  };
  struct Sum {
    std::int64_t in = 0, out = 0;
    CollectivePart part{};
  };
  std::uint64_t value(int source, Key key, std::uint64_t step, std::size_t i) const;

  Rank& rank_;
  std::uint64_t number_;
  std::vector<End> ends_;
  std::vector<std::unique_ptr<Sum>> sums_;  // by round
};

// The acts of a program. Each makes its objects, uses them for some steps and destroys them.
void play_exchange(Rank& rank, std::uint64_t act);
void play_bad_commit(Rank& rank, std::uint64_t act);
void play_steps(Rank& rank, std::uint64_t act);
void play_pipeline(Rank& rank, std::uint64_t act);
void play_mailbox(Rank& rank, std::uint64_t act);

}  // namespace weft::testing
