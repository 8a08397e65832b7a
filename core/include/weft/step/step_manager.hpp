// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/device/device.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/exchange/options.hpp"
#include "weft/step/client.hpp"
#include "weft/step/step_profile.hpp"

namespace [[gnu::visibility("default")]] weft {

class StepRecorder;

/// How a StepManager sends the messages of a step. The received data do not depend on these options. (But if one client
/// reads memory of another, or several combine into the same memory, the order of add() matters when coalesce is false:
/// each client then completes its step before the next one starts.)
struct StepOptions {
  /// True: all clients share one exchange and one wait per round. False: each client has an exchange and waits of its
  /// own, one client after the other, as in a program without weft.
  bool coalesce = true;
  /// How messages are sent. With deferred unpacking, a received part is unpacked after Step::accept, or when `during`
  /// of all clients has returned.
  MessageOptions messages{};
  ProgressOptions progress{};    ///< how MPI progress is made
  Timeline* timeline = nullptr;  ///< records the steps; borrowed, null: nothing is recorded

  /// Whether all options are equal.
  bool operator==(const StepOptions&) const = default;
};

/// When a client is called: in the steps n with n % every == offset % every.
struct Schedule {
  std::int64_t every = 1;   ///< period in steps; at least 1
  std::int64_t offset = 0;  ///< in steps; 0 or more
};

/// What the exchanges of a StepManager have done on this rank since the beginning or reset_counts().
struct StepCounts {
  std::int64_t steps = 0;        ///< steps that were run
  std::int64_t waits = 0;        ///< waits, one per round of each exchange
  std::int64_t collectives = 0;  ///< collectives that were started
  /// Messages sent to each other rank; each piece of a message counts.
  std::map<int, std::int64_t> messages;
  std::map<int, std::int64_t> bytes;  ///< bytes sent to each other rank
};

/// Runs the steps of a program: calls its clients before, during and after the exchange that carries the messages of
/// all clients. (Carver, Groen, Hetherington, Nash, Bernabeu, Coveney: Coalesced communication: a design pattern for
/// complex parallel scientific software, 2012.)
///
/// The number of waits in a step is the largest number of rounds of the clients called in it (the sum, if
/// StepOptions::coalesce is false). The exchange for each set of clients that are called together is committed when it
/// is first needed, and kept. Its buffer index is the number of the step, also with a Schedule. All exchanges share one
/// duplicate of the transport (MessageSpace).
///
/// The member functions are collective: all ranks must make the same calls in the same order, with the same clients and
/// options, at the same point (in step n, or between the steps n and n + 1). Only step(), counts(), reset_counts(),
/// profile(), options(), coalesces(), rebind(), fail() and has_failed() are local: a single rank may call them.
///
/// A failure is final. If a client throws in a step, or in request(), the StepManager has failed on all ranks: the
/// exception leaves the call on its rank, and on the other ranks the running or a later call throws a PeerError. Parts
/// that were not ready are not sent. Then no MPI operation uses memory of a client (see StartedExchange), and clients
/// may be destroyed before the StepManager. From then on run_step() and every other call that needs all ranks throws an
/// Error that names the first rank that failed, and its error. To go on, make a new StepManager.
class StepManager {
 public:
  /// Duplicates the transport. Throws Error if the transport does not support options.progress.
  StepManager(Transport& transport, const StepOptions& options = {});
  ~StepManager();

  /// Adds a client, which is called from the next step on. The client is borrowed until it is removed, or until the
  /// manager's last use (measure_alone() uses the client's memory, too). Names are unique. A client may call add() in a
  /// step, if all ranks do. If the client's request() throws, the exception propagates and the manager has failed.
  void add(const std::string& name, Client& client, Schedule schedule = {});
  /// Removes the client, which may then be destroyed. In a step only clients that this step has added can be removed.
  /// Throws Error if the client was not added.
  void remove(const Client& client);
  /// Calls the client's request() again, even if the client is inactive. Between steps this happens at once. In a step,
  /// a client may call changed() if all ranks do; request() is then called before the next step.
  void changed(const Client& client);
  /// Sets the memory of a part that the client listed with given(), from the next step until the next rebind() or
  /// changed(), as Exchange::rebind does. Not in a step. Not collective.
  void rebind(const Client& client, Part part, Region region);
  /// Makes a client active (called when its Schedule is due) or inactive, from the next step on. A client that was
  /// added is active. A client may call activate() in a step, if all ranks do.
  void activate(const Client& client, bool on);
  /// Sets StepOptions::coalesce, from the next step on. After use() in the same step, it changes the options given to
  /// use().
  void coalesce(bool on);
  /// Whether StepOptions::coalesce is set.
  bool coalesces() const;
  /// Uses these options from the next step on, except `timeline`, which is ignored. The received data do not change.
  /// `keep`: the exchanges committed with earlier options are kept, so that a later use() of these needs no new commit,
  /// as in tuning. A client may call use() in a step, if all ranks do; the last call of a step counts.
  void use(const StepOptions& options, bool keep = false);

  /// Sets the number of the next step (0 or more), for a program that continues an earlier run. It must be the same on
  /// all ranks, which is not checked: it selects the buffers. Not in a step.
  void start_at(std::int64_t step);
  /// Runs one step. Returns when all messages have arrived and all callbacks have returned. Exceptions of clients
  /// propagate.
  /// With a queue of the program on a device: parts in its memory leave when what the queue holds is done, and the
  /// queue, not the host, waits for what arrived (StartedExchange::wait). Clients get it by Step::queue().
  void run_step(const device::Queue& queue = {});
  /// The number of the current step; between two steps, of the next step.
  std::int64_t step() const {
    space_.failure()->check();
    return step_;
  }
  /// Makes the manager fail, as if a client had thrown in a step: for an error that keeps this rank from going on.
  void fail(const std::string& why) noexcept { space_.failure()->fail(why); }
  /// Whether the manager has failed on some rank, as far as this rank knows.
  bool has_failed() const { return space_.failure()->has_failed(); }

  /// Measures the communication alone: runs the exchanges of the next step `repeats` times without computation, and
  /// returns this rank's median in seconds (0 if `repeats` is 0 or less). A part of up to n bytes has the size of the
  /// last step with the same exchange (0 if there was none). The memory of receives is saved and restored, so no result
  /// changes; first waits for the queue of the last run_step(). The timeline records this communication; counts() does
  /// not include it.
  double measure_alone(int repeats);

  /// Runs `work`, a client's collective set-up such as the creation of its own transport, with the manager's transport.
  /// If a rank fails meanwhile, the others don't wait for it.
  void set_up(const std::function<void(Transport&)>& work) {
    space_.failure()->together([&] { work(*space_.transport()); });
  }

  /// The totals of this rank.
  const StepCounts& counts() const {
    space_.failure()->check();
    return counts_;
  }
  /// Resets counts() and profile(), but not the timeline: for example after a warm-up.
  void reset_counts();
  /// What this rank contributes to a prediction (`weft predict`), since the beginning or reset_counts().
  StepProfile profile() const;
  /// The options in use.
  const StepOptions& options() const;
  /// A text for the user: the exchanges of the next step.
  std::string describe();

 private:
  struct Entry {
    std::string name;
    Client* client;
    Schedule schedule;
    std::uint32_t number;
    Requests requests;
    bool active = true;
  };
  struct Group;  // the clients that share one exchange, and the exchange
  struct Way;    // a set of options, and the exchanges committed with it
  // Options to switch to.
  struct Wanted {
    StepOptions options;
    std::shared_ptr<Progress> progress;  // null: there is a Way with these options already
    bool keep = false;
  };

  Entry& entry_of(const Client& client);
  Way* way_with(const StepOptions& options) const;
  void outside(const char* call) const;
  void catch_up();
  void ask_again(const Client& client);
  void go_over_to(Wanted wanted);
  void forget(std::uint32_t number);
  const std::vector<Group*>& groups_of_step();
  Group& group_of(std::span<Entry* const> members);
  void run(Group& group);
  void run_rounds(Group& group, StartedExchange& exchange);
  Traffic traffic_of(std::span<const std::uint32_t> numbers) const;
  void run_groups();
  void call(Group& group, StartedExchange& exchange, int round, void (Client::*phase)(Step&), bool then_ready);

  MessageSpace space_;
  std::unique_ptr<StepRecorder> recorder_;
  std::vector<std::unique_ptr<Way>> ways_;
  Way* way_ = nullptr;  // in use
  std::vector<std::unique_ptr<Entry>> entries_;
  std::uint32_t next_number_ = 0;
  std::uint32_t first_of_step_ = 0;  // number of the first client that the last step has added
  std::int64_t step_ = 0;
  bool in_step_ = false;
  device::Queue queue_;  // of this step
  // Deferred until the step is over.
  std::vector<const Client*> changed_;
  std::optional<Wanted> wanted_;
  StepCounts counts_;
  // Memory that groups_of_step() reuses, so that a step allocates nothing.
  std::vector<Entry*> active_;
  std::vector<Group*> groups_now_;
  std::vector<std::uint32_t> key_;
};

}  // namespace weft
