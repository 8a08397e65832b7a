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

#include "weft/exchange/exchange.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/exchange/options.hpp"
#include "weft/step/client.hpp"
#include "weft/step/step_profile.hpp"

namespace weft {

class StepRecorder;

/// How the messages of a step are sent. The received data do not depend on these options, with one exception: if one
/// client reads the memory of another, the order of add() matters when coalesce is false, because then each client runs
/// completely before the next one starts.
struct StepOptions {
  /// True: all clients share one exchange and one wait per round. False: each client has an exchange and waits of its
  /// own, one client after the other, as in a program without weft.
  bool coalesce = true;
  /// How messages are sent. With deferred unpacking, a received part is unpacked after Step::accept, or when all
  /// `during` of its round have returned.
  MessageOptions messages{};
  ProgressOptions progress{};    ///< how MPI progress is made
  Timeline* timeline = nullptr;  ///< borrowed; null: no times are recorded

  /// Whether all options are equal.
  bool operator==(const StepOptions&) const = default;
};

/// When a client is active: in the steps n with n % every == offset % every.
struct Schedule {
  std::int64_t every = 1;   ///< period in steps; at least 1
  std::int64_t offset = 0;  ///< in steps; 0 or more
};

/// What the exchanges of a StepManager have done so far, on this rank.
struct StepCounts {
  std::int64_t steps = 0;        ///< steps that were run
  std::int64_t waits = 0;        ///< waits: one per round of each exchange
  std::int64_t collectives = 0;  ///< collectives that were started
  /// Messages sent to each other rank. If a message is cut into pieces, each piece is counted.
  std::map<int, std::int64_t> messages;
  std::map<int, std::int64_t> bytes;  ///< bytes sent in these messages
};

/// Runs the steps of a program: calls its clients before, during and after the exchange that carries the messages of
/// all clients. (Carver, Groen, Hetherington, Nash, Bernabeu, Coveney: Coalesced communication: a design pattern for
/// complex parallel scientific software, 2012.)
///
/// With StepOptions::coalesce the number of waits in a step is the largest number of rounds of its active clients.
/// Without it, the number of waits is the sum of the clients' numbers of rounds. The exchange for each set of active
/// clients is committed when it is first needed, and kept. All exchanges share one duplicate of the transport
/// (MessageSpace).
///
/// The member functions are collective: all ranks must make the same calls in the same order, with the same clients and
/// options, at the same point (in step n, or between the steps n and n + 1). Only step(), counts(), reset_counts(),
/// profile(), options(), coalesces(), rebind() and fail() are local: a single rank may call them.
///
/// A failure is final. If a client throws an exception in a step, or in request() when it has changed, the StepManager
/// has failed on all ranks: the exception leaves the call, and on the other ranks the running or a later call throws a
/// PeerError. Parts that were not ready are not sent. When the call has thrown, no MPI operation uses
/// memory of a client; StartedExchange has the details. From then on each call throws an Error that names the first
/// rank that failed, and its error; only has_failed() and the destructor don't. Clients may be destroyed before the
/// StepManager then. To go on, make a new one.
class StepManager {
 public:
  /// Duplicates the transport. Throws Error if the transport does not support options.progress.
  StepManager(Transport& transport, const StepOptions& options = {});
  ~StepManager();

  /// Adds a client, which is called from the next step on. The client is borrowed: it must exist until it is removed,
  /// or until no further step is run. Names are unique. A client may call add() in a step, if all ranks do. If the
  /// client's request() throws, the exception propagates and the manager has failed.
  void add(const std::string& name, Client& client, Schedule schedule = {});
  /// Removes the client, which may then be destroyed. In a step only if this step has added it. Throws Error if the
  /// client was not added.
  void remove(const Client& client);
  /// Calls the client's request() again, even if the client is inactive. Between steps this happens at once. A client
  /// may also call changed() during a step, if all ranks do; request() is then called before the next step.
  void changed(const Client& client);
  /// Sets the memory of a part that the client has listed with given(), from the next step on, until the next rebind()
  /// or changed(), as Exchange::rebind does. Not in a step. Not collective.
  void rebind(const Client& client, Part part, Region region);
  /// Makes a client active or inactive, from the next step on. A client that was added is active. A client may call
  /// activate() in a step, if all ranks do.
  void activate(const Client& client, bool on);
  /// Switches StepOptions::coalesce on or off, from the next step on. If use() was called earlier in the same step,
  /// coalesce() changes the options that were given to use().
  void coalesce(bool on);
  /// Whether all clients share one exchange.
  bool coalesces() const;
  /// Uses these options from the next step on, with the same timeline as before. The received data do not change.
  /// `keep`: the exchanges committed for earlier options are kept, so a later use() can switch back to them without a
  /// new commit (tuning does so). A client may call use() in a step, if all ranks do. After several calls in a step,
  /// the options of the last call are used.
  void use(const StepOptions& options, bool keep = false);

  /// Sets the number of the next step (0 or more), for a program that continues an earlier run. The same on all ranks,
  /// which is not checked: it selects the buffers. Not in a step.
  void start_at(std::int64_t step);
  /// Runs one step. Returns when all messages have arrived and all callbacks of the clients have returned. Exceptions
  /// of clients propagate.
  void run_step();
  /// The number of the current step; between two steps, of the next step.
  std::int64_t step() const {
    space_.failure()->check();
    return step_;
  }
  /// This rank fails, as if a client had thrown an exception in a step: for an error that keeps it from going on.
  void fail(const std::string& why) noexcept { space_.failure()->fail(why); }
  /// Whether it has failed on some rank, as far as this rank knows.
  bool has_failed() const { return space_.failure()->has_failed(); }

  /// Measures the communication alone, in seconds: the exchanges of the next step are started and waited for `repeats`
  /// times, without computation. Of a part of up to n bytes it sends as many as the last step with this exchange (0 if
  /// there was none). The targets of receives are saved and restored, so no result changes. The timeline records this
  /// communication; counts() does not include it. Returns this rank's median. If `repeats` is 0 or less, nothing is
  /// started, and the result is 0.
  double measure_alone(int repeats);

  /// Runs a collective set-up of a client, such as the creation of its own transport, with the transport of the
  /// manager. If a rank fails meanwhile, the others don't wait for it.
  void set_up(const std::function<void(Transport&)>& work) {
    space_.failure()->together([&] { work(*space_.transport()); });
  }

  /// The totals since the beginning, or reset_counts().
  const StepCounts& counts() const {
    space_.failure()->check();
    return counts_;
  }
  /// Resets the totals, for example after a warm-up.
  void reset_counts();
  /// The data of this rank that a prediction (`weft predict`) needs, since the beginning or reset_counts().
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
