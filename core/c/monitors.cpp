// SPDX-License-Identifier: BSD-3-Clause
//
// Monitors, and collectives by rounds.
#include "weft/collective/monitors.hpp"

#include "c/objects.hpp"
#include "weft/collective/rounds.hpp"

namespace weft::c {

struct MonitorsObject {
  explicit MonitorsObject(std::shared_ptr<mpi::Communicator> on) : transport(std::move(on)), monitors(*transport) {}
  std::shared_ptr<mpi::Communicator> transport;
  std::shared_ptr<StepManagerObject> manager;  // that it was started in
  Monitors monitors;
};

struct RoundsObject {
  RoundsObject(const Transport& transport, const Collective& what, Algorithm algorithm, const ScheduleOptions& options)
      : rounds(transport, what, algorithm, options) {}
  Rounds::Options options;
  std::shared_ptr<StepManagerObject> manager;
  Rounds rounds;
};

namespace {

// The enumerators of weft.h have one more before: any.
Algorithm algorithm_of(int algorithm, Collective::Kind kind) {
  one_of(algorithm, WEFT_RING, "algorithm");
  return algorithm == WEFT_ANY_ALGORITHM ? algorithms_of(kind).front() : static_cast<Algorithm>(algorithm - 1);
}

Collective collective_of(const weft_rounds_options& of, int ranks) {
  using Kind = Collective::Kind;
  static constexpr std::array kinds{Kind::barrier,    Kind::broadcast,  Kind::reduce,
                                    Kind::all_reduce, Kind::all_gather, Kind::all_to_all};
  Collective what{.kind = kinds[static_cast<std::size_t>(one_of(of.kind, WEFT_COLLECTIVE_ALL_TO_ALL, "collective"))]};
  what.root = of.root;
  if (what.kind == Kind::barrier) return what;
  what.type = element_type(of.type);
  const auto bytes = product_of(of.count, element_bytes(of.type), "A collective");
  const auto all = product_of(static_cast<std::size_t>(ranks), bytes, "A collective");
  const auto in = [&](std::size_t n) {
    return std::span(static_cast<const std::byte*>(n > 0 ? need(of.in, "The input of a collective") : of.in), n);
  };
  const auto out = [&](std::size_t n) {
    return std::span(static_cast<std::byte*>(n > 0 ? need(of.out, "The output of a collective") : of.out), n);
  };
  switch (what.kind) {
    case Kind::broadcast: what.out = out(bytes); break;
    case Kind::reduce:
    case Kind::all_reduce:
      what.in = in(bytes);
      if (what.kind == Kind::all_reduce || of.out != nullptr) what.out = out(bytes);
      what.reduction = reduction_of(of.op, of.type);
      break;
    case Kind::all_gather:
      what.in = in(bytes);
      what.out = out(all);
      break;
    default: what.in = in(all); what.out = out(all);
  }
  return what;
}

std::function<void()> action_of(int (*function)(void*), void* context, const char* name) {
  if (function == nullptr) return {};
  return [=] {
    call_back(
        nullptr, [&] { return "'" + std::string(name) + "' of a collective by rounds"; }, function, context);
  };
}

template <class Object>
void must_be_in(const Object& object, const StepManagerObject& manager) {
  if (object.manager.get() != &manager) throw HandleError("It is not in this step manager.");
}

}  // namespace
}  // namespace weft::c

using namespace weft::c;

int weft_monitors_create(weft_comm comm, weft_monitors* monitors) {
  return call(__func__, [&] {
    need(monitors, "The address of the monitors");
    *monitors = handle_of<weft_monitors>(std::make_shared<MonitorsObject>(transport_of(comm)));
  });
}

int weft_monitors_free(weft_monitors* monitors) {
  return call(__func__, [&] {
    if (monitors != nullptr && *monitors != nullptr && get(*monitors).manager)
      throw HandleError("The monitors are in a step manager. Call weft_monitors_stop first.");
    if (monitors != nullptr && *monitors != nullptr) check_idle(&get(*monitors), "object of monitors");
    take(monitors);
  });
}

int weft_monitors_add(weft_monitors monitors, const weft_monitor* monitor) {
  return call(__func__, [&] {
    auto& all = get(monitors);
    const auto of = options_of<weft_monitor>(need(monitor, "The monitor"), "weft_monitor");
    if (all.manager) throw weft::Error("A monitor is added after the start. Add all monitors before.");
    const auto name = text_at(of.name, "The name of a monitor");
    need(of.local, "The function local of a monitor");
    need(of.use, "The function use of a monitor");
    need(of.combine, "The function combine of a monitor");
    product_of(of.value_bytes, 1, "A monitor");
    if (of.value_bytes == 0) throw weft::Error("The value of the monitor '" + name + "' has 0 bytes.");
    const void* object = &all;
    const auto who = [name](const char* what) { return "'" + std::string(what) + "' of the monitor '" + name + "'"; };
    all.monitors.add(
        {.what = name + " of " + std::to_string(of.value_bytes) + " bytes",
         .value = {{.element_bytes = of.value_bytes, .combine = of.combine, .commutative = of.commutative != 0},
                   of.value_bytes},
         .local =
             [=](std::byte* to) {
               call_back(
                   object, [&] { return who("local"); }, of.local, of.context, static_cast<void*>(to));
             },
         .use =
             [=](const std::byte* from, std::int64_t step) {
               call_back(
                   object, [&] { return who("use"); }, of.use, of.context, static_cast<const void*>(from), step);
             }});
  });
}

int weft_monitors_start(weft_monitors monitors, weft_step_manager manager, const char* name,
                        const weft_monitors_options* given) {
  return call(__func__, [&] {
    auto& all = get(monitors);
    auto steps = share(manager);
    if (all.manager) throw weft::Error("The monitors were started already. Call weft_monitors_stop first.");
    const auto of = options_of<weft_monitors_options>(given, "weft_monitors_options");
    weft::Monitors::Options options;
    options.way = static_cast<weft::Monitors::Way>(one_of(of.way, WEFT_PHASED, "way of monitors"));
    options.algorithm = algorithm_of(of.algorithm, weft::Collective::Kind::all_reduce);
    if (of.arity != 0) options.arity = of.arity;
    if (of.every != 0) options.every = of.every;
    options.offset = of.offset;
    all.monitors.start(steps->manager, text_at(name, "The name of the monitors"), options);
    if (all.monitors.size() == 0) return;
    ++steps->members;
    all.manager = std::move(steps);
  });
}

int weft_monitors_stop(weft_monitors monitors, weft_step_manager manager) {
  return call(__func__, [&] {
    auto& all = get(monitors);
    must_be_in(all, get(manager));
    all.monitors.stop(all.manager->manager);
    --all.manager->members;
    all.manager = nullptr;
  });
}

int weft_monitors_read_now(weft_monitors monitors, int64_t step) {
  return call(__func__, [&] { get(monitors).monitors.read_now(step); });
}

int weft_monitors_idle_before(weft_monitors monitors, int64_t step, int* idle) {
  return call(__func__, [&] { at(idle, "The address of the answer") = get(monitors).monitors.idle_before(step); });
}

int weft_rounds_create(weft_comm comm, const weft_rounds_options* given, weft_rounds* rounds) {
  return call(__func__, [&] {
    need(rounds, "The address of the collective");
    const auto of = options_of<weft_rounds_options>(need(given, "The description"), "weft_rounds_options");
    const auto& transport = get(comm);
    const auto what = collective_of(of, transport.size());
    weft::ScheduleOptions schedule{.root = of.root};
    if (of.arity != 0) schedule.arity = of.arity;
    auto object = std::make_shared<RoundsObject>(transport, what, algorithm_of(of.algorithm, what.kind), schedule);
    object->options = {.pace = of.phased != 0 ? weft::Pace::phased : weft::Pace::in_step,
                       .every = of.every == 0 ? 1 : of.every,
                       .offset = of.offset,
                       .load = action_of(of.load, of.context, "load"),
                       .use = action_of(of.use, of.context, "use")};
    *rounds = handle_of<weft_rounds>(std::move(object));
  });
}

int weft_rounds_free(weft_rounds* rounds) {
  return call(__func__, [&] {
    if (rounds != nullptr && *rounds != nullptr && get(*rounds).manager)
      throw HandleError("The collective is in a step manager. Call weft_rounds_remove first.");
    take(rounds);
  });
}

int weft_rounds_count(weft_rounds rounds, int* count) {
  return call(__func__, [&] { at(count, "The address of the number") = get(rounds).rounds.rounds(); });
}

int weft_rounds_add(weft_rounds rounds, weft_step_manager manager, const char* name) {
  return call(__func__, [&] {
    auto& of = get(rounds);
    auto steps = share(manager);
    check_mpi();
    if (of.manager) throw weft::Error("The collective was added already. Call weft_rounds_remove first.");
    of.rounds.add_to(steps->manager, text_at(name, "The name of a client"), of.options);
    ++steps->members;
    of.manager = std::move(steps);
  });
}

int weft_rounds_remove(weft_rounds rounds, weft_step_manager manager) {
  return call(__func__, [&] {
    auto& of = get(rounds);
    must_be_in(of, get(manager));
    of.rounds.remove_from(of.manager->manager);
    --of.manager->members;
    of.manager = nullptr;
  });
}
