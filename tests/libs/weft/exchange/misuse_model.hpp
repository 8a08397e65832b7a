// SPDX-License-Identifier: BSD-3-Clause
//
// Random programs that call weft in the wrong order, too, and fail wherever they like: what their acts are made of.
//
// A program is drawn from a seed. What ranks must decide alike (collective calls, sizes, who fails) they draw from
// common(), which any rank asks with the same numbers; the rest is a rank's own. What is moved are hashes of where it
// comes from, so each receiver knows what it must find.
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

/// What all ranks of a program share: for who watches it.
struct Watched {
  std::atomic<std::uint64_t> seed{0};
  std::atomic<double> since{0};
  std::atomic<bool> escapes{false};  // a rank lets an exception escape: the program ends with it
  struct Place {
    std::atomic<const char*> what{"nothing"};
    std::atomic<std::uint64_t> number{0};
  };
  std::array<Place, 4> places;
};

/// What programs throw themselves; now and then they throw something else.
struct Thrown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Who fails in a step.
struct Failure {
  enum class Who : std::uint8_t { nobody, everybody, one };
  Who who = Who::nobody;
  int rank = 0;  ///< of one
  bool hits(int of_rank) const { return who == Who::everybody || (who == Who::one && rank == of_rank); }
};

/// One rank of a program.
class Rank {
 public:
  Rank(Transport& transport, std::uint64_t seed, Watched& watched);

  /// The same numbers on all ranks, for one place of the program.
  Random common(std::initializer_list<std::uint64_t> place) const;
  /// Where it is, for who watches.
  void at(const char* what, std::uint64_t number = 0);
  /// Throws one thing or another.
  [[noreturn]] static void fail(std::uint64_t kind);
  /// Whether the action throws nothing. What it throws has to be the program's own, or an Error that names something.
  bool attempt(const std::function<void()>& action);
  /// Whether the last attempt ended since this world has few tags; the same on all ranks.
  bool lacks_tags() const { return lacks_tags_; }
  /// The action has to throw an Error that holds this text.
  void refused(const char* what, const std::function<void()>& action, const std::string& text);
  /// Whether all ranks say so. A barrier.
  bool all(bool say);

  /// The same on all ranks but for what is a rank's own choice; deferred only without continuations.
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

/// What one client moves.
class Moves {
 public:
  struct Shape {
    int rounds = 1;
    bool continuations = false;  ///< the rounds follow each other by continuations
    bool reduces = false;        ///< a sum over all ranks in each round
    std::size_t turns = 1;       ///< places of each part
    std::size_t largest = 700;   ///< elements
  };
  Moves(Rank& rank, std::uint64_t number, Shape shape);

  /// With new memory, of other sizes than those of another generation.
  void list(Requests& requests, std::uint64_t generation = 0);
  void fill(int round, std::uint64_t step);
  /// All that came in that round.
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
    std::vector<std::unique_ptr<Numbers>> places;  // by turn
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

// The acts. Each makes its objects, plays with them for some steps and leaves nothing.
void play_exchange(Rank& rank, std::uint64_t act);
void play_bad_commit(Rank& rank, std::uint64_t act);
void play_steps(Rank& rank, std::uint64_t act);
void play_pipeline(Rank& rank, std::uint64_t act);
void play_mailbox(Rank& rank, std::uint64_t act);

}  // namespace weft::testing
