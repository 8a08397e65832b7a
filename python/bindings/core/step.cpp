// SPDX-License-Identifier: BSD-3-Clause
#include "core/step.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <utility>

#include "core/bind.hpp"
#include "core/raised.hpp"
#include "core/repr.hpp"
#include "core/world.hpp"
#include "weft/error.hpp"
#include "weft/step/overlap_report.hpp"

namespace weft::python {
namespace {

// A bound method; nothing if the object has none, or has that of weft.Client, which does nothing.
nb::object method_of(const nb::object& object, const char* name) {
  if (!nb::hasattr(object, name)) return {};
  nb::object method = object.attr(name);
  if (nb::hasattr(method, "_does_nothing")) return {};
  return method;
}

// A method that weft never calls, but whose name is almost that of one that it calls.
void warn_of_misspelt(const nb::object& object) {
  const nb::module_ difflib = nb::module_::import_("difflib");
  const nb::object names = nb::cast(std::vector<std::string>{"request", "before", "during", "after", "finish"});
  const nb::object type = nb::borrow(object.type());
  for (const auto name : nb::list(nb::module_::import_("builtins").attr("dir")(type))) {
    const auto word = nb::cast<std::string>(name);
    if (word.starts_with("_") || nb::cast<bool>(names.attr("__contains__")(name)) ||
        PyCallable_Check(nb::object(nb::getattr(type, name, nb::none())).ptr()) == 0)
      continue;
    const nb::list near(difflib.attr("get_close_matches")(name.attr("lower")(), names, 1, 0.87));
    if (nb::len(near) == 0) continue;
    const auto text = "A client of a step manager has a method " + word + "(), which weft never calls. Is " +
                      nb::cast<std::string>(near[0]) + "() meant?";
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
  }
}

}  // namespace

PythonClient::PythonClient(nb::object object, const Transport& transport, const nb::object& stream)
    : object_(std::move(object)), transport_(transport) {
  request_ = method_of(object_, "request");
  if (!request_.is_valid())
    throw nb::type_error("A client of a step manager has no method request(requests). Write one that lists its parts.");
  before_ = method_of(object_, "before");
  during_ = method_of(object_, "during");
  after_ = method_of(object_, "after");
  finish_ = method_of(object_, "finish");
  warn_of_misspelt(object_);
  of_step_ = new PyStep{.stream = &stream};
  step_ = nb::cast(of_step_, nb::rv_policy::take_ownership);
}

void PythonClient::request(Requests& requests) {
  const nb::gil_scoped_acquire gil;
  auto list = std::make_shared<List>();
  list->requests = &requests;
  list->size = transport_.size();
  list->transport = &transport_;
  struct Close {
    List& list;
    ~Close() { list.requests = nullptr; }
  } close{*list};
  of_program([&] { request_(PyRequests{list}); });
  earlier_ = std::exchange(list_, list);
}

void PythonClient::call(const nb::object& method, Step& step) {
  if (!method.is_valid()) return;
  const nb::gil_scoped_acquire gil;
  of_step_->step = &step;
  of_step_->list = list_->id;
  of_step_->arrays = list_.get();
  struct Close {
    PyStep& of;
    ~Close() { of.step = nullptr; }
  } close{*of_step_};
  of_program([&] { method(step_); });
}

int PythonClient::traverse(visitproc visit, void* arg) const {
  for (const auto* object : {&object_, &request_, &before_, &during_, &after_, &finish_, &step_})
    Py_VISIT(object->ptr());
  return 0;
}

ManagerCore::ManagerCore(std::shared_ptr<mpi::Communicator> on, const Options& how)
    : transport(std::move(on)), options(how) {
  const auto step_options = options.of_step();
  const nb::gil_scoped_release released;
  manager_ = std::make_unique<StepManager>(*transport, step_options);
}

StepManager& ManagerCore::get() const {
  if (!manager_) check_not_ended();  // closed by the end of MPI
  if (!manager_) throw Error("The step manager was closed. Make a new one.");
  return *manager_;
}

PythonClient& ManagerCore::client(nb::handle object) const {
  for (const auto& [name, client] : clients)
    if (client->object().is(object)) return *client;
  throw Error("This object is not a client of the step manager. Add it first.");
}

void ManagerCore::add(const std::string& name, nb::object object, Schedule schedule) {
  auto& manager = get();
  if (name.find_first_of("\"\\\n") != std::string::npos)
    throw InputError("The name of a client has a quote, a backslash or a line end. Use another name.");
  for (const auto& [other, client] : clients)
    if (client->object().is(object)) throw Error("Client '" + name + "' was added already, as '" + other + "'.");
  auto made = std::make_unique<PythonClient>(std::move(object), *transport, stream);
  {
    const nb::gil_scoped_release released;
    manager.add(name, *made, schedule);
  }
  clients.emplace_back(name, std::move(made));
}

void ManagerCore::remove(nb::handle object) {
  auto& manager = get();
  auto& found = client(object);
  {
    const nb::gil_scoped_release released;
    manager.remove(found);
  }
  std::erase_if(clients, [&](const auto& entry) { return entry.second.get() == &found; });
}

std::vector<std::string> ManagerCore::names() const {
  std::vector<std::string> all;
  for (const auto& [name, client] : clients) all.push_back(name);
  all.insert(all.end(), other_names.begin(), other_names.end());
  return all;
}

void ManagerCore::release_later() {
  while (!use && !later.empty()) std::exchange(later, {}).clear();
}

void ManagerCore::run_step(nb::object of_step) {
  auto& manager = get();
  device::Queue queue;
  for (const auto& [name, client] : clients) {
    client->list().begin_start();
    if (!queue) queue = client->list().queue_of_start(of_step);
  }
  struct Restore {
    nb::object& stream;
    ~Restore() { stream = nb::none(); }
  } restore{stream};
  stream = std::move(of_step);
  const nb::gil_scoped_release released;
  manager.run_step(queue);
}

void ManagerCore::fail(const std::string& why) {
  if (!manager_) return;
  const nb::gil_scoped_release released;
  manager_->fail(why);
}

void ManagerCore::close() {
  if (!manager_) return;
  std::exchange(later, {}).clear();
  {
    auto manager = std::move(manager_);
    if (is_forked()) return static_cast<void>(manager.release());  // its MPI belongs to the parent
    const nb::gil_scoped_release released;
    manager.reset();
  }
  const auto gone = std::exchange(clients, {});
}

namespace {

Step& running(const PyStep& s) {
  if (s.step == nullptr)
    throw Error("The step is used outside of a callback. Use it only in before, during, after, finish.");
  return *s.step;
}

// A client that was removed still has its times.
void check_name(const ManagerCore& core, const std::string& name) {
  auto known = core.names();
  if (std::ranges::find(known, name) != known.end()) return;
  const auto recorded = core.options.timeline->tracks();
  if (std::ranges::find(recorded, name) != recorded.end()) return;
  std::string all;
  for (const auto& one : known) all += (all.empty() ? "'" : ", '") + one + "'";
  throw InputError("The step manager has no client '" + name + "'. It has " + (all.empty() ? "none" : all) + ".");
}

template <class P>
P checked(const PyStep& s, const PyPart<P>& part) {
  running(s);
  check_part(part.list, s.list);
  return part.part;
}

int traverse_manager(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const auto* manager = nb::inst_ptr<PyManager>(self);
  if (manager->core.use_count() != 1) return 0;  // others hold the clients, too
  for (const auto& [name, client] : manager->core->clients)
    if (const int result = client->traverse(visit, arg); result != 0) return result;
  return 0;
}

int clear_manager(PyObject* self) {
  if (!nb::inst_ready(self)) return 0;
  auto* manager = nb::inst_ptr<PyManager>(self);
  if (manager->core && !manager->core->use) manager->core->close();
  return 0;
}

PyType_Slot manager_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_manager)},
                               {Py_tp_clear, reinterpret_cast<void*>(clear_manager)},
                               {0, nullptr}};

void bind_one_step(nb::module_& m) {
  nb::class_<PyStep>(m, "Step", R"(The running step, as a client's callback sees it. Valid only during the callback.)")
      .def_prop_ro(
          "number", [](const PyStep& s) { return running(s).number(); }, "The number of the step.")
      .def_prop_ro(
          "stream", [](const PyStep& s) { return static_cast<void>(running(s)), *s.stream; },
          nb::for_getter(nb::sig("def stream(self) -> typing.Any")),
          "What ``run_step(stream=...)`` was given: ``before`` queues the work that writes what is sent, ``after`` the "
          "work that reads what was received.")
      .def_prop_ro(
          "round", [](const PyStep& s) { return running(s).round(); }, "The current round, from 0.")
      .def(
          "ready",
          [](const PyStep& s, const PyPart<SendPart>& part, nb::handle stream) {
            const auto send = checked(s, part);
            auto& step = running(s);
            const auto queue = s.arrays->queue_of_part(send.index, stream, step.queue());
            const GilForKernels released;
            step.ready(send, queue);
          },
          nb::arg("part"), nb::kw_only(), nb::arg("stream") = nb::none(),
          nb::sig("def ready(self, part: SendPart, *, " WEFT_STREAM ") -> None"),
          R"(Mark a send or collective ready: weft may send it now, before the callback returns.

When ``before`` returns, weft marks the client's other parts of the round ready.

Parameters
----------
part : SendPart or CollectivePart
n_bytes : int, optional
    Of a part of up to n bytes: how many are sent.
array : array, optional
    Of a part whose address may change: its data in this step.
stream : stream, optional
    As for ``StartedExchange.ready()``; None: also that of ``run_step()``.)")
      .def(
          "ready",
          [](const PyStep& s, const PyPart<CollectivePart>& part) {
            const auto of_step = checked(s, part);
            const GilForKernels released;
            s.step->ready(of_step);
          },
          nb::arg("part"))
      .def(
          "ready",
          [](const PyStep& s, const PyPart<SendPart>& part, std::size_t bytes) {
            const auto send = checked(s, part);
            const GilForKernels released;
            s.step->ready(send, bytes);
          },
          nb::arg("part"), nb::arg("n_bytes"))
      .def(
          "ready",
          [](const PyStep& s, const PyPart<SendPart>& part, nb::object array, nb::handle stream) {
            const auto send = checked(s, part);
            if (const auto bytes = number_of_bytes(array, "ready")) {
              const GilForKernels released;
              return s.step->ready(send, *bytes);
            }
            const auto memory = memory_of(array, false, "send", Where::anywhere);
            auto region = region_of(memory, false, 'C', "send");
            const auto queue = s.arrays->queue_of_array(send.index, memory.keeper, stream, s.step->queue());
            {
              const GilForKernels released;
              s.step->ready(send, std::move(region), queue);
            }
            s.arrays->lent[send.index] = memory.keeper;
          },
          nb::arg("part"), nb::arg("array"), nb::kw_only(), nb::arg("stream") = nb::none(),
          nb::sig("def ready(self, part: SendPart, array: object, *, " WEFT_STREAM ") -> None"))
      .def(
          "ready", [](const PyStep&, nb::none, nb::handle) {}, nb::arg("part").none(), nb::kw_only(),
          nb::arg("stream") = nb::none(), nb::sig("def ready(self, part: None, *, " WEFT_STREAM ") -> None"),
          "A part without a peer: nothing to send.")
      .def(
          "accept",
          [](const PyStep& s, const PyPart<ReceivePart>& part, nb::handle stream) {
            const auto received = checked(s, part);
            const auto queue = s.arrays->queue_of_part(received.index, stream, s.step->queue());
            const GilForKernels released;
            s.step->accept(received, queue);
          },
          nb::arg("part"), nb::kw_only(), nb::arg("stream") = nb::none(),
          nb::sig("def accept(self, part: ReceivePart, *, " WEFT_STREAM ") -> None"),
          "Permit unpacking of the received part; without ``defer_unpacking`` it does nothing.")
      .def(
          "received_bytes",
          [](const PyStep& s, const PyPart<ReceivePart>& part) { return running(s).received_bytes(checked(s, part)); },
          nb::arg("part"), "In ``after`` and ``finish``: the number of bytes received for a part of up to n bytes.")
      .def(
          "take_received",
          [](const PyStep& s, const PyPart<ReceivePart>& part) {
            auto* owned = new Bytes(running(s).take_received(checked(s, part)));
            nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Bytes*>(p); });
            return nb::cast(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(
                reinterpret_cast<std::uint8_t*>(owned->data()), {owned->size()}, owner));
          },
          nb::arg("part"), nb::sig("def take_received(self, part: ReceivePart) -> " WEFT_BYTES),
          "In ``after`` and ``finish``: the data received for a part without an array, as a numpy array of uint8.")
      .def(
          "progress",
          [](const PyStep& s) {
            auto& step = running(s);
            const nb::gil_scoped_release released;
            step.progress();
          },
          "Make MPI progress, if a call is due. Call it now and then in a long ``during``.")
      .def(Repr([](const PyStep& s) {
        return s.step == nullptr ? "over"
                                 : std::to_string(s.step->number()) + ", round " + std::to_string(s.step->round());
      }));
}

}  // namespace

void bind_step(nb::module_& m) {
  bind_one_step(m);
  nb::class_<PyManager>(
      m, "StepManager", nb::type_slots(manager_slots),
      R"(Runs the steps of a program: calls its clients before, during and after the exchange of all clients' messages.

Parameters
----------
comm : communicator of mpi4py, int or None
    The ranks. None: all.
coalesce : bool
    All clients share one exchange and one wait per round; otherwise one exchange after the other.
**options
    As for ``Exchange``; ``progress`` is a name.

Raises
------
Error
    If MPI does not support the progress mode.
InputError
    If a name is unknown.

Notes
-----
A client is any object with a method ``request(requests)`` and, as needed, ``before(step)``, ``during(step)``,
``after(step)`` and ``finish(step)``; see ``weft.Client``. Methods are looked up once, in ``add()``. All functions are
collective but ``step``, ``counts``, ``options``, ``coalesces``, ``rebind()``, ``fail()`` and ``has_failed``. Parts with
several arrays use array ``step % n`` in step ``step``.

A failure is final: if a client raises an exception, ``run_step()`` raises it, and the step manager has failed on all
ranks. The other ranks get a ``PeerError``, which names this rank and the exception, in this or their next call. When
the failing call ends, the arrays may be changed and freed. Each later call raises the same sentence. To go on, make a
new step manager.

Examples
--------
>>> class Heat(weft.Client):
...     def request(self, requests):
...         self.out = requests.send(right, 1, u[-2])
...         requests.receive(left, 1, u[0])
...     def during(self, step):
...         compute_interior()
...     def after(self, step):
...         compute_boundary()
>>> manager = weft.StepManager(progress="thread", timeline=weft.Timeline())
>>> manager.add("heat", Heat())
>>> for _ in range(100):
...     manager.run_step()
>>> print(manager.report()))")
      .def(
          "__init__",
          [](PyManager* self, nb::object comm, nb::kwargs keywords) {
            Options options;
            options.take(keywords, "StepManager");
            auto core = std::make_shared<ManagerCore>(transport_of(comm), options);
            new (self) PyManager{std::move(core)};
          },
          nb::arg("comm") = nb::none(), nb::arg("options"),
          nb::sig("def __init__(self, comm: typing.Any = None, *, coalesce: bool = True, " WEFT_OPTIONS ") -> None"))
      .def(
          "add",
          [](PyManager& s, const std::string& name, nb::object client, std::int64_t every, std::int64_t offset) {
            const ManagerCall call(s.core);
            s.core->add(name, std::move(client), {.every = every, .offset = offset});
          },
          nb::arg("name"), nb::arg("client"), nb::kw_only(), nb::arg("every") = 1, nb::arg("offset") = 0,
          R"(Add a client, which is called from the next step on, and kept alive. Its ``request()`` is called now.

Parameters
----------
name : str
    Unique, and the same on all ranks.
client : object
every, offset : int
    It is active in the steps n with ``n % every == offset % every``.)")
      .def(
          "remove",
          [](PyManager& s, nb::handle client) {
            const ManagerCall call(s.core);
            s.core->remove(client);
          },
          nb::arg("client"), "Remove a client. Not in a step.")
      .def(
          "changed",
          [](PyManager& s, nb::handle client) {
            const ManagerCall call(s.core);
            auto& manager = s.core->get();
            auto& found = s.core->client(client);
            const nb::gil_scoped_release released;
            manager.changed(found);
          },
          nb::arg("client"),
          R"(Call the client's ``request()`` again: now, or after the step if one is running. Parts of the old list are
void.)")
      .def(
          "activate",
          [](PyManager& s, nb::handle client, nb::handle is_on) {
            const bool on = flag(is_on, "on");
            const ManagerCall call(s.core);
            auto& manager = s.core->get();
            auto& found = s.core->client(client);
            const nb::gil_scoped_release released;
            manager.activate(found, on);
          },
          nb::arg("client"), nb::arg("on") = true,
          nb::sig("def activate(self, client: object, on: bool = True) -> None"),
          "Make a client active or inactive, from the next step on.")
      .def(
          "rebind",
          [](PyManager& s, nb::handle client, nb::object part, nb::object array) {
            const ManagerCall call(s.core);
            auto& manager = s.core->get();
            auto& found = s.core->client(client);
            const bool receives = is_receive(part);
            Part plain;
            if (receives) {
              const auto& of = nb::cast<const PyPart<ReceivePart>&>(part);
              check_part(of.list, found.list().id);
              plain = of.part;
            } else {
              const auto& of = nb::cast<const PyPart<SendPart>&>(part);
              check_part(of.list, found.list().id);
              plain = of.part;
            }
            const char* what = receives ? "receive" : "send";
            const auto memory = memory_of(array, receives, what, Where::anywhere);
            auto region = region_of(memory, receives, 'C', what);
            {
              const nb::gil_scoped_release released;
              manager.rebind(found, plain, std::move(region));
            }
            found.list().replace(plain.index, memory.keeper);
          },
          nb::arg("client"), nb::arg("part"), nb::arg("array"),
          nb::sig("def rebind(self, client: object, part: SendPart | ReceivePart, array: typing.Any) -> None"),
          R"(Set the array of a part that the client has listed with a number of bytes, from the next step on. Not in a
step.)")
      .def(
          "coalesce",
          [](PyManager& s, nb::handle is_on) {
            const bool on = flag(is_on, "on");
            const ManagerCall call(s.core);
            auto& manager = s.core->get();
            s.core->options.coalesce = on;
            const nb::gil_scoped_release released;
            manager.coalesce(on);
          },
          nb::arg("on"), nb::sig("def coalesce(self, on: bool) -> None"),
          "Switch coalescing on or off, from the next step on.")
      .def_prop_ro(
          "coalesces", [](PyManager& s) { return s.core->get().coalesces(); },
          "Whether all clients share one exchange.")
      .def(
          "use",
          [](PyManager& s, nb::object setting, bool keep, nb::kwargs keywords) {
            const ManagerCall call(s.core);
            auto& manager = s.core->get();
            if (keywords.contains("timeline"))
              throw InputError(
                  "The timeline of a step manager can't be exchanged (its reports need all times). Give it to "
                  "StepManager().");
            Options options = s.core->options;
            options.take(keywords, "StepManager");
            auto of_step = options.of_step();
            if (!setting.is_none()) weft::apply(setting_of(setting), of_step);
            options.messages = of_step.messages;
            options.progress = of_step.progress;
            options.coalesce = of_step.coalesce;
            {
              const nb::gil_scoped_release released;
              manager.use(of_step, keep);
            }
            s.core->options = options;
          },
          nb::arg("setting") = nb::none(), nb::arg("keep") = false, nb::arg("options"),
          nb::sig(
              "def use(self, setting: " WEFT_SETTING
              " | None = None, keep: bool = False, *, coalesce: bool = ..., progress: " WEFT_PROGRESS
              " = ..., grouping: " WEFT_GROUPING " = ..., carrier: " WEFT_CARRIER
              " = ..., shared_memory: bool = ..., defer_unpacking: bool = ..., packed_limit_bytes: int = ..., "
              "by_size_bytes: int = ..., piece_bytes: int = ..., most_requests: int = ..., watchdog_seconds: float = "
              "..., "
              "interval_seconds: float = ..., threads: int = ..., pin: collections.abc.Sequence[int] = ...) -> None"),
          R"(Use other options from the next step on; those that are not given stay.

Parameters
----------
setting : dict of str, optional
    Such as a ``Tuning`` chooses. Names that are no options of a step manager are the program's own, and ignored.
keep : bool
    Keep the exchanges of the earlier options, to switch back without a new commit.
**options
    As for ``StepManager``, but ``timeline``.)")
      .def(
          "start_at",
          [](PyManager& s, std::int64_t step) {
            const ManagerCall call(s.core);
            s.core->get().start_at(step);
          },
          nb::arg("step"),
          "Set the number of the next step (0 or more), the same on all ranks (not checked: it selects the buffers). "
          "Not in a step.")
      .def(
          "run_step",
          [](PyManager& s, nb::object stream) {
            const ManagerCall call(s.core, false);
            s.core->run_step(std::move(stream));
          },
          nb::kw_only(), nb::arg("stream") = nb::none(), nb::sig("def run_step(self, *, " WEFT_STREAM ") -> None"),
          R"(Run one step. It waits without the GIL, and takes it for each callback.

Parameters
----------
stream : stream, optional
    Of arrays in memory of a device, as for ``Exchange.start()``: they leave when what it holds is done, and it, not the
    host, waits for what arrived. Clients get it as ``step.stream``.

Raises
------
Exception
    That of a client.
PeerError
    If a client has raised an exception on another rank.)")
      .def_prop_ro(
          "step", [](PyManager& s) { return s.core->get().step(); },
          "The number of the current step; between two steps, of the next step.")
      .def(
          "measure_alone",
          [](PyManager& s, int repeats) {
            const ManagerCall call(s.core, false);
            auto& manager = s.core->get();
            const nb::gil_scoped_release released;
            return manager.measure_alone(repeats);
          },
          nb::arg("repeats"),
          "Return this rank's median duration of the next step's communication alone, in seconds. No result changes.")
      .def_prop_ro(
          "counts",
          [](PyManager& s) {
            const auto& counts = s.core->get().counts();
            nb::dict all, messages, bytes;
            for (const auto& [peer, n] : counts.messages) messages[nb::int_(peer)] = n;
            for (const auto& [peer, n] : counts.bytes) bytes[nb::int_(peer)] = n;
            all["steps"] = counts.steps;
            all["waits"] = counts.waits;
            all["collectives"] = counts.collectives;
            all["messages"] = messages;
            all["bytes"] = bytes;
            return all;
          },
          nb::for_getter(nb::sig("def counts(self) -> dict[str, typing.Any]")),
          R"(The totals of this rank since the beginning or ``reset_counts()``: a dictionary with steps,
waits, collectives, and messages and bytes by peer.)")
      .def(
          "reset_counts",
          [](PyManager& s) {
            const ManagerCall call(s.core);
            s.core->get().reset_counts();
            if (s.core->options.timeline) s.core->options.timeline->reset();
          },
          "Reset the totals and the timeline, for example after a warm-up.")
      .def_prop_ro(
          "options",
          [](PyManager& s) {
            const auto& o = s.core->get().options();
            nb::dict all;
            all["coalesce"] = o.coalesce;
            all["progress"] = name_of(o.progress.kind);
            all["grouping"] = name_of(o.messages.grouping);
            all["carrier"] = name_of(o.messages.carrier);
            all["shared_memory"] = o.messages.shared_memory;
            all["defer_unpacking"] = o.messages.defer_unpacking;
            return all;
          },
          nb::for_getter(nb::sig("def options(self) -> dict[str, typing.Any]")), "The options in use, as a dictionary.")
      .def(
          "report",
          [](PyManager& s, std::optional<std::vector<std::string>> names, double exchange_seconds) {
            const ManagerCall call(s.core, false);
            auto& manager = s.core->get();
            if (!s.core->options.timeline)
              throw Error(
                  "The step manager has no timeline (it recorded no times). Make it with timeline=weft.Timeline().");
            const auto clients = names.value_or(s.core->names());
            for (const auto& name : clients) check_name(*s.core, name);
            const nb::gil_scoped_release released;
            auto report = overlap_report(*s.core->transport, manager, *s.core->options.timeline, clients);
            report.exchange_seconds = exchange_seconds;
            return report;
          },
          nb::arg("clients") = nb::none(), nb::kw_only(), nb::arg("exchange_seconds") = 0.0,
          R"(Return the overlap report of the steps since ``reset_counts()``. Collective.

Parameters
----------
clients : sequence of str, optional
    The names of clients, the same on all ranks; None: all.
exchange_seconds : float
    The result of ``measure_alone()``, for the overlap fraction.

Returns
-------
OverlapReport)")
      .def(
          "fail",
          [](PyManager& s, const std::string& why) {
            const ManagerCall call(s.core);
            static_cast<void>(s.core->get());
            s.core->fail(why);
          },
          nb::arg("why"),
          R"(This rank fails, as if a client had raised an exception: an error of the program keeps it from going on.

All ranks learn it: they get a ``PeerError`` that names this rank and ``why``. It returns when MPI uses no array any
more. Nothing happens if the step manager has failed already.

Parameters
----------
why : str
    The error, such as ``"ValueError: on purpose"``.)")
      .def_prop_ro(
          "has_failed", [](PyManager& s) { return s.core->get().has_failed(); },
          "Whether the step manager has failed on some rank, as far as this rank knows.")
      .def(
          "describe",
          [](PyManager& s) {
            const ManagerCall call(s.core, false);
            auto& manager = s.core->get();
            const nb::gil_scoped_release released;
            return manager.describe();
          },
          "Return a text for the user: the exchange of the next step. Collective.")
      .def(
          "close",
          [](PyManager& s) {
            const ManagerCall call(s.core, false);
            s.core->close();
          },
          "Destroy the manager now, and release its clients. Collective. Not in a step.")
      .def(
          "__enter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __enter__(self) -> StepManager"))
      .def(
          "__exit__",
          [](PyManager& s, nb::object, nb::object value, nb::object) {
            const ManagerCall call(s.core, false);
            if (!value.is_none()) s.core->fail(text_of(value));
            s.core->close();
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none())
      .def(Repr([](const PyManager& s) -> std::string {
        if (s.core->is_closed()) return "closed";
        std::string clients;
        for (const auto& name : s.core->names()) clients += (clients.empty() ? " (" : ", ") + name;
        const auto& manager = s.core->get();
        return "step " + std::to_string(manager.step()) + ", " + counted(s.core->names().size(), "client") + clients +
               (clients.empty() ? ", " : "), ") + "progress " + name_of(manager.options().progress.kind);
      }));
}

}  // namespace weft::python
