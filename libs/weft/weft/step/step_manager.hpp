// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/exchange/exchange.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/exchange/options.hpp"
#include "weft/step/client.hpp"
#include "weft/step/step_profile.hpp"

namespace weft {

/// How the messages of a step are sent. Results never depend on it.
struct StepOptions {
  /// On: all clients share one exchange and one wait per round. Off: each client has its own, one after the other, as
  /// in a program without weft.
  bool coalesce = true;
  /// How messages are sent. With deferred unpacking (held), a received message waits for Step::accept, at the latest
  /// until all `during` of its round have returned.
  MessageOptions messages{};
  ProgressOptions progress{};    ///< how MPI progress is made
  Timeline* timeline = nullptr;  ///< borrowed; null: no times are recorded

  /// Whether all options are equal.
  bool operator==(const StepOptions&) const = default;
};

/// When a client is active: in the steps n with n % every == offset.
struct Schedule {
  std::int64_t every = 1;   ///< in steps; at least 1
  std::int64_t offset = 0;  ///< in steps; 0 or more
};

/// What the exchanges of a StepManager have done so far, on this rank.
struct StepCounts {
  std::int64_t steps = 0;                   ///< steps that were run
  std::int64_t synchronisation_points = 0;  ///< waits: one per round of each exchange
  std::int64_t collectives = 0;             ///< started
  std::map<int, std::int64_t> messages;     ///< sent, by peer (without this rank itself), each piece counted
  std::map<int, std::int64_t> bytes;        ///< sent, by peer
};

/// Runs the steps of a program: calls its clients back before, during and after the exchange that carries the messages
/// of all of them (the coalesced communication of Carver et al.).
///
/// The number of waits in a step is the largest number of rounds of its active clients, never the sum. The exchange for
/// each set of active clients is committed when it is first needed, and kept; all of them share one duplicate of the
/// transport (MessageSpace). All member functions are collective: ranks add and remove the same clients between the
/// same steps.
///
/// An exception of a client ends the step at once: parts that were not ready are not sent, and no rank waits. A program
/// that catches it on all ranks can continue with the next run_step(), for which new exchanges are committed.
class StepManager {
 public:
  /// Duplicates the transport. Throws Error if the transport does not support options.progress.
  StepManager(Transport& transport, const StepOptions& options = {});
  ~StepManager();

  /// Adds a client, which is borrowed, from the next step on. Names are unique. A client may call this in a step, if
  /// all ranks do. If the client's request() throws, the exception propagates and nothing is added.
  void add(const std::string& name, Client& client, Schedule schedule = {});
  /// Unregisters the client, which may then be destroyed. Throws Error if it is not registered, or during a step.
  void remove(const Client& client);
  /// Calls the client's request() again before the next step, also for an inactive client: at once, or, if a client
  /// calls this in a step (where all ranks do), after the step. If request() throws, the exception propagates and the
  /// change stays pending: no step runs until a later call of request() succeeds, or the client was removed.
  void changed(const Client& client);
  /// Sets the memory of a part that the client has listed with given(), from the next step on, until the next rebind()
  /// or changed(). Not in a step. Not collective, unless the last step failed: then it waits until all ranks have
  /// cancelled that step. Otherwise as Exchange::rebind.
  void rebind(const Client& client, Part part, Region region);
  /// Switches a client on (as it is at first) or off, from the next step on. A client may call this in a step, if all
  /// ranks do.
  void activate(const Client& client, bool on);
  /// Switches coalescing on or off, from the next step on. After a use() that waits for the end of the step, it changes
  /// the options of that call.
  void coalesce(bool on);
  /// Whether all clients share one exchange.
  bool coalesces() const;
  /// Uses these options from the next step on; the timeline stays the same. Results do not change. `keep`: the
  /// exchanges of other options stay committed, to switch back to them, as tuning does. A client may call this in a
  /// step, if all ranks do. Of several calls the last one counts.
  void use(const StepOptions& options, bool keep = false);

  /// Sets the number of the next step, for a program that continues an earlier run. 0 or more; not in a step.
  void start_at(std::int64_t step);
  /// Runs one step. Returns when all messages have arrived and each client has used them. Exceptions of clients
  /// propagate.
  void run_step();
  /// The number of the next step; during a step, of that step.
  std::int64_t step() const { return step_; }

  /// Measures the communication alone, in seconds: the exchanges of the next step are started and waited for `repeats`
  /// times, without computation. Received data are saved and restored, so no result changes. This is not counted, but
  /// recorded in the timeline. Returns this rank's median; 0 if `repeats` is 0 or less, for then nothing is started.
  double measure_alone(int repeats);

  /// The totals since the beginning, or reset_counts().
  const StepCounts& counts() const { return counts_; }
  /// Resets the totals, for example after a warm-up.
  void reset_counts();
  /// The data of this rank that a prediction needs, since the beginning or reset_counts(). Not collective.
  StepProfile profile() const;
  /// The options in use.
  const StepOptions& options() const;
  /// A text for the user: the exchange of the next step.
  std::string describe();

 private:
  struct Entry {
    std::string name;
    Client* client;
    Schedule schedule;
    std::uint32_t number;
    Requests requests;
    std::size_t track;
    bool active = true;
  };
  struct Group;
  struct Way;
  // Options to switch to.
  struct Wanted {
    StepOptions options;
    std::shared_ptr<Progress> progress;  // null: a way with these options exists already
    bool keep = false;
  };
  struct Pattern;

  Entry& entry_of(const Client& client);
  Way* way_with(const StepOptions& options) const;
  void outside(const char* call) const;
  void let_go_of_step() noexcept;
  void settle();
  void catch_up();
  void ask_again(const Client& client);
  void go_over_to(Wanted wanted);
  void forget(std::uint32_t number);
  const std::vector<Group*>& groups_of_step();
  Group& group_of(std::span<Entry* const> members);
  void run(Group& group);
  Pattern& pattern_of_step();
  Traffic traffic_of(std::span<const std::uint32_t> numbers) const;
  static void add_to(std::vector<StepProfile::Client>& clients, Traffic& together, const Pattern& pattern);
  void run_groups();
  void call(Group& group, StartedExchange& exchange, int round, void (Client::*phase)(Step&), bool then_ready);

  std::unique_ptr<Transport> transport_;
  MessageSpace space_;
  bool has_failed_ = false;  // the last step: its exchanges have been cancelled
  Timeline* timeline_;
  std::vector<std::unique_ptr<Way>> ways_;
  Way* way_ = nullptr;  // in use
  std::vector<std::unique_ptr<Entry>> entries_;
  std::uint32_t next_number_ = 0;
  std::int64_t step_ = 0;
  bool in_step_ = false;
  // Deferred until the step is over.
  std::vector<const Client*> changed_;
  std::optional<Wanted> wanted_;
  StepCounts counts_;
  // For profile(), if there is a timeline: by the clients' numbers, and which of them took part together.
  std::vector<StepProfile::Client> profiled_;
  Traffic together_;  // of patterns that were removed
  std::vector<std::unique_ptr<Pattern>> patterns_;
  Pattern* pattern_ = nullptr;    // of the last step
  std::vector<double> computed_;  // a ring of the last steps
  double computed_now_ = 0, seconds_ = 0, polls_ = 0;
  // Scratch of groups_of_step, so that a step allocates nothing.
  std::vector<Entry*> active_;
  std::vector<Group*> groups_now_;
  std::vector<std::uint32_t> key_;
};

}  // namespace weft
