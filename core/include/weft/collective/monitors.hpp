// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "weft/collective/composite.hpp"
#include "weft/collective/rounds.hpp"
#include "weft/names.hpp"
#include "weft/step/client.hpp"
#include "weft/step/step_manager.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Reduces diagnostics of a running program over all ranks. A monitor is any object with
///
///     struct Value { ... };                                     // trivially copyable
///     Value local();                                            // the value of this rank
///     static Value combine(const Value& a, const Value& b);     // associative; `a` is of lower ranks than `b`
///     void use(const Value& all, std::int64_t step);            // on every rank: the result of local() in this step
///
/// All monitors of one Monitors object share one all-reduce:
///
///     Monitors monitors(world);
///     monitors.add(incompressibility);
///     monitors.add(convergence);
///     monitors.start(manager, "monitors", {.every = 10});
///
/// local() is called at the beginning of a step, before the clients that were added later compute anything. In
/// combine() use smaller() and larger(), which return a NaN of any rank; std::min and std::max lose it.
///
/// The type may have `static constexpr bool commutative = true`: then the ranks may be combined in another order, which
/// Algorithm::tree needs. The ranks compare the names of the types, or what `static std::string what()` returns.
class Monitors {
 public:
  /// How the all-reduce is done.
  enum class Way : std::uint8_t {
    nonblocking,  ///< MPI's non-blocking all-reduce, with the step's messages; use() is called in the same step
    blocking,     ///< MPI's all-reduce, waited for at once, as in a program without weft: for comparison
    rounds,       ///< weft's own all-reduce (Rounds), all rounds in one step
    phased,       ///< the same, one round per step: use() is called (number of rounds - 1) steps later
  };
  /// When and how monitors are reduced. The same on all ranks.
  struct Options {
    Way way = Way::nonblocking;  ///< how the all-reduce is done
    std::int64_t every = 1;      ///< period in steps; phased: at least the number of rounds
    std::int64_t offset = 0;     ///< local() is called in steps n with n % every == offset % every
    Algorithm algorithm = Algorithm::recursive_doubling;  ///< rounds, phased: of the all-reduce
    int arity = 4;                                        ///< Algorithm::tree: children of a rank
  };

  /// A monitor whose value is bytes, for other languages.
  struct Entry {
    std::string what;                                         ///< compared between ranks
    Composite::Value value;                                   ///< size and reduction of the value
    std::function<void(std::byte*)> local;                    ///< writes the value of this rank
    std::function<void(const std::byte*, std::int64_t)> use;  ///< gets that of all ranks, and the step
  };

  /// An object without monitors. The transport is borrowed.
  explicit Monitors(Transport& transport);
  ~Monitors();
  Monitors(const Monitors&) = delete;
  Monitors& operator=(const Monitors&) = delete;

  /// Adds a monitor, which is borrowed. Call it before start(), in the same order on all ranks.
  template <class M>
  requires requires(M& monitor) { monitor.local(); }
  void add(M& monitor) {
    using Value = typename M::Value;
    static_assert(std::is_trivially_copyable_v<Value>, "a monitor's value is sent as bytes");
    constexpr auto combine = [](const Value& a, const Value& b) { return M::combine(a, b); };
    std::string what = typeid(M).name();
    if constexpr (requires { M::what(); }) what = M::what();
    entries_.push_back({std::move(what), Composite::Value::of(weft::reduction<Value>(combine, is_commutative<M>())),
                        [&monitor](std::byte* to) {
                          const Value value = monitor.local();
                          std::memcpy(to, &value, sizeof value);
                        },
                        [&monitor](const std::byte* from, std::int64_t step) {
                          Value value;
                          std::memcpy(&value, from, sizeof value);
                          monitor.use(value, step);
                        }});
  }
  /// The same for a monitor whose value is bytes.
  void add(Entry monitor) { entries_.push_back(std::move(monitor)); }
  /// The number of monitors.
  std::size_t size() const { return entries_.size(); }

  /// The client of Way::nonblocking, for programs that add it to one or several managers themselves. The first call is
  /// collective.
  weft::Client& client();
  /// Adds the monitors to the manager as a client; without monitors it does nothing. This object is borrowed until
  /// stop(), or until no further step is run. Collective. Throws an Error on all ranks, and adds nothing, if the ranks'
  /// monitors differ.
  void start(StepManager& manager, const std::string& name, const Options& options);
  /// Removes the client from the manager. Collective.
  void stop(StepManager& manager);
  /// Whether no reduction is unfinished between the steps `step - 1` and `step`: always true, except with Way::phased.
  /// Not collective; the same on all ranks.
  bool idle_before(std::int64_t step) const;
  /// Reduces the monitors at once, between steps: local(), a waited-for all-reduce, use(). Collective.
  void read_now(std::int64_t step);

 private:
  template <class M>
  static constexpr bool is_commutative() {
    if constexpr (requires { M::commutative; }) return M::commutative;
    return false;
  }
  class Client;
  void prepare(Transport& transport);
  void compare(Transport& transport) const;
  void load(std::int64_t step);
  void use();
  Collective all_reduce();

  Transport& transport_;
  std::vector<Entry> entries_;
  std::unique_ptr<Composite> composite_;
  std::vector<std::byte> in_, out_;
  std::int64_t step_ = -1;
  std::unique_ptr<Client> client_;
  std::unique_ptr<Rounds> rounds_;
  Options options_;
};

/// The names of ways.
inline constexpr Names<Monitors::Way> monitor_way_names("way of monitors", {{Monitors::Way::nonblocking, "nonblocking"},
                                                                            {Monitors::Way::blocking, "blocking"},
                                                                            {Monitors::Way::rounds, "rounds"},
                                                                            {Monitors::Way::phased, "phased"}});
/// The name as in the enumeration.
const char* name_of(Monitors::Way way);
/// The way with this name. Throws as Names::named().
Monitors::Way monitors_way(const std::string& name);

}  // namespace weft
