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

/// How the messages of a step travel. No result depends on it.
struct StepOptions {
  /// On: all clients share one exchange and one wait a round. Off: each client has its own, one after the other, as a
  /// program without weft would be written.
  bool coalesce = true;
  /// How messages travel. What is held waits for Step::accept, at the latest until all `during` of its round are over.
  MessageOptions messages{};
  ProgressOptions progress{};    ///< who drives
  Timeline* timeline = nullptr;  ///< borrowed; null: nothing is timed

  /// Whether they ask for the same.
  bool operator==(const StepOptions&) const = default;
};

/// A client's place in time: it is active in the steps n with n % every == offset.
struct Schedule {
  std::int64_t every = 1;   ///< steps; at least 1
  std::int64_t offset = 0;  ///< in steps; 0 or more
};

/// What the exchanges of a StepManager did so far, on this rank.
struct StepCounts {
  std::int64_t steps = 0;                   ///< run
  std::int64_t synchronisation_points = 0;  ///< waits: one a round of each exchange
  std::int64_t collectives = 0;             ///< started
  std::map<int, std::int64_t> messages;     ///< sent, by peer (self left out), each piece counted
  std::map<int, std::int64_t> bytes;        ///< sent, by peer
};

/// Runs the steps of a program: calls its clients back before, during and after the exchange that carries the messages
/// of all of them (the coalesced communication of Carver et al.).
///
/// The number of synchronisation points of a step is the largest number of rounds of its active clients, never the sum.
/// The exchange for each set of active clients is committed when it is first needed, and kept; all of them share one
/// duplicate of the transport (MessageSpace). All member functions are collective: ranks add and remove the same
/// clients between the same steps.
///
/// What a client throws ends the step at once: what was not ready is not sent, and nobody waits. A program that catches
/// it on all ranks can go on with the next run_step(), for which new exchanges are committed.
class StepManager {
 public:
  /// Duplicates the transport. Throws Error if options.progress asks for what it can't have.
  StepManager(Transport& transport, const StepOptions& options = {});
  ~StepManager();

  /// Adds a client, which is borrowed. Names are unique. It takes part from the next step on; a client may call this in
  /// a step, where all ranks do. What its request() throws is thrown on, and nothing was added.
  void add(const std::string& name, Client& client, Schedule schedule = {});
  /// The client is called no more, and may go. An Error if it is none, or in a step.
  void remove(const Client& client);
  /// The client's request() is asked again before the next step, also of a client that is not active: at once, or, if a
  /// client calls it in a step (where all ranks do), when that is over. What it throws is thrown on. The change is not
  /// forgotten then: nothing runs until a later call has asked again without an error, or the client was removed.
  void changed(const Client& client);
  /// Where a part that the client has listed with given() lies from the next step on, until it is rebound or the client
  /// has changed(). Not in a step. Not collective, unless the last step failed: then it waits until all ranks have let
  /// go of it. Otherwise as Exchange::rebind.
  void rebind(const Client& client, Part part, Region region);
  /// Whether the client takes part in the steps of its schedule, as it does at first. From the next step on; a client
  /// may call it in a step, where all ranks do.
  void activate(const Client& client, bool on);
  /// From the next step on. After a use() that waits for the end of the step, it changes what that asked for.
  void coalesce(bool on);
  /// Whether all clients share one exchange.
  bool coalesces() const;
  /// Communicates by these options from the next step on; the timeline stays what it was. No result changes. `keep`:
  /// the exchanges of other options stay committed too, for going back to them, as tuning does. A client may call it in
  /// a step, where all ranks do. Of several calls the last one counts.
  void use(const StepOptions& options, bool keep = false);

  /// Numbers the steps from here on, for a program that goes on from where another run ended. 0 or more; not in a step.
  void start_at(std::int64_t step);
  /// Runs one step; returns when everything has arrived and each client has used it. What a client throws is thrown on.
  void run_step();
  /// The number of the next step; in a step, its own.
  std::int64_t step() const { return step_; }

  /// Seconds that the exchanges of the next step take with nothing to hide behind: they are started and waited for
  /// `repeats` times. What is received is kept aside and put back, so no result changes. Nothing of it is counted; it
  /// does go into the timeline. Returns this rank's median; 0 if `repeats` is 0 or less, for then nothing is started.
  double measure_alone(int repeats);

  /// Since the beginning, or reset_counts().
  const StepCounts& counts() const { return counts_; }
  /// For leaving a warm-up out.
  void reset_counts();
  /// What a prediction needs to know of this rank, since the beginning or reset_counts(). Pure.
  StepProfile profile() const;
  /// By what it communicates now.
  const StepOptions& options() const;
  /// For a person: the exchange of the next step.
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
  // Options to go over to.
  struct Wanted {
    StepOptions options;
    std::shared_ptr<Progress> progress;  // null: a way has them already
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
  bool has_failed_ = false;  // the last step: its exchanges have been let go
  Timeline* timeline_;
  std::vector<std::unique_ptr<Way>> ways_;
  Way* way_ = nullptr;  // in use
  std::vector<std::unique_ptr<Entry>> entries_;
  std::uint32_t next_number_ = 0;
  std::int64_t step_ = 0;
  bool in_step_ = false;
  // Put off until the step is over.
  std::vector<const Client*> changed_;
  std::optional<Wanted> wanted_;
  StepCounts counts_;
  // For profile(), if there is a timeline: by the clients' numbers, and which of them took part together.
  std::vector<StepProfile::Client> profiled_;
  Traffic together_;  // of patterns that are no more
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
