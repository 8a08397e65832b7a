// SPDX-License-Identifier: BSD-3-Clause
#include "weft/collective/monitors.hpp"

#include <deque>
#include <optional>
#include <utility>

#include "core/bind.hpp"
#include "core/end.hpp"
#include "core/raised.hpp"
#include "core/repr.hpp"
#include "core/step.hpp"
#include "core/world.hpp"
#include "weft/error.hpp"
#include "weft/names.hpp"

namespace weft::python {
namespace {

constexpr Names<Algorithm> algorithms("algorithm of monitors", {{Algorithm::recursive_doubling, "recursive_doubling"},
                                                                {Algorithm::tree, "tree"}});

// A monitor of Python: one or several numbers, each with its own reduction. The reductions are C++, since progress
// threads call them.
struct PythonMonitor {
  nb::object local, use;
  std::vector<double> values;
  bool is_scalar = true;

  void read() {
    const nb::gil_scoped_acquire gil;
    of_program([this] { read_values(); });
  }
  void give(std::int64_t step) {
    const nb::gil_scoped_acquire gil;
    of_program([&] { give_values(step); });
  }

 private:
  static std::string type_of(nb::handle given) { return nb::cast<std::string>(given.type().attr("__name__")); }
  static double number(nb::handle given) {
    const double value = PyFloat_AsDouble(given.ptr());
    if (value != -1 || PyErr_Occurred() == nullptr) return value;
    PyErr_Clear();
    throw InputError("local() of a monitor has given a '" + type_of(given) +
                     "' instead of a number. Return one number, or tell add() how many there are (size).");
  }
  void read_values() {
    nb::object given = local();
    if (is_scalar) {
      values[0] = number(given);
      return;
    }
    if (PySequence_Check(given.ptr()) == 0)
      throw InputError("local() of a monitor with several numbers has given a '" + type_of(given) +
                       "'. Return a sequence or an array.");
    std::size_t k = 0;
    for (const auto value : given) {
      if (k == values.size()) break;
      values[k++] = number(value);
    }
    if (k != values.size() || nb::len(given) != values.size())
      throw InputError("local() of a monitor has given " + std::to_string(nb::len(given)) + " numbers instead of " +
                       std::to_string(values.size()) + ". Return as many as add() was told.");
  }
  void give_values(std::int64_t step) {
    if (is_scalar) {
      use(values[0], step);
      return;
    }
    nb::list all;
    for (const auto value : values) all.append(value);
    use(nb::module_::import_("numpy").attr("array")(all), step);
  }
};

struct Sum {
  static constexpr const char* name = "sum";
  static double of(double a, double b) { return a + b; }
};
struct Minimum {
  static constexpr const char* name = "minimum";
  static double of(double a, double b) { return smaller(a, b); }
};
struct Maximum {
  static constexpr const char* name = "maximum";
  static double of(double a, double b) { return larger(a, b); }
};

// One number of a monitor, as weft::Monitors has it.
template <class Reduce>
struct Number {
  using Value = double;
  static constexpr bool commutative = true;
  PythonMonitor* of;
  std::size_t k;

  double local() const {
    if (k == 0) of->read();
    return of->values[k];
  }
  static double combine(const double& a, const double& b) { return Reduce::of(a, b); }
  static std::string what() { return std::string("a ") + Reduce::name; }
  void use(const double& all, std::int64_t step) const {
    of->values[k] = all;
    if (k + 1 == of->values.size()) of->give(step);
  }
};

class MonitorsCore final : public Live {
 public:
  explicit MonitorsCore(std::shared_ptr<mpi::Communicator> on)
      : transport_(std::move(on)), monitors_(std::make_unique<Monitors>(*transport_)) {}
  ~MonitorsCore() override { close(); }

  bool is_closed() const { return monitors_ == nullptr; }
  Monitors& get() const {
    if (!monitors_) throw Error("The monitors were closed. Make new ones.");
    return *monitors_;
  }
  void add(const nb::object& monitor, const std::vector<std::string>& names, bool is_scalar) {
    auto& all = get();
    if (manager_) throw Error("A monitor is added after start(). Add all monitors before.");
    for (const char* method : {"local", "use"})
      if (!nb::hasattr(monitor, method))
        throw nb::type_error(
            (std::string("A monitor has no method ") + method + "(). Give an object with local() and use(value, step).")
                .c_str());
    auto& one = monitors_of_python_.emplace_back();
    one = {monitor.attr("local"), monitor.attr("use"), std::vector<double>(names.size()), is_scalar};
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k] == "sum")
        all.add(sums_.emplace_back(&one, k));
      else if (names[k] == "minimum" || names[k] == "min")
        all.add(minima_.emplace_back(&one, k));
      else if (names[k] == "maximum" || names[k] == "max")
        all.add(maxima_.emplace_back(&one, k));
      else
        throw InputError("Unknown reduction '" + names[k] + "'. Use one of: sum, minimum, maximum.");
    }
  }
  void start(const PyManager& manager, const std::string& name, const Monitors::Options& options) {
    auto& all = get();
    auto& steps = manager.core->get();
    if (manager.core->transport != transport_)
      throw InputError(
          "The monitors have another communicator than the step manager. Make both with the same communicator.");
    {
      const nb::gil_scoped_release released;
      all.start(steps, name, options);
    }
    manager_ = nb::find(manager);
    name_ = name;
    manager.core->other_names.push_back(name);
  }
  // Not in a step.
  void stop() {
    const auto manager = this->manager();
    if (!manager) return;
    const ManagerCall call(manager);
    const auto keep = std::move(manager_);
    std::erase(manager->other_names, name_);
    if (manager->is_closed()) return;
    auto& all = get();
    auto& steps = manager->get();
    const nb::gil_scoped_release released;
    all.stop(steps);
  }
  // Null if they are not started.
  std::shared_ptr<ManagerCore> manager() const {
    return manager_.is_valid() ? nb::inst_ptr<PyManager>(manager_)->core : nullptr;
  }
  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(manager_.ptr());
    for (const auto& one : monitors_of_python_) {
      Py_VISIT(one.local.ptr());
      Py_VISIT(one.use.ptr());
    }
    return 0;
  }

  bool is_in_use() const override {
    const auto manager = this->manager();
    return use || (manager && manager->use);
  }
  void close() override {
    if (!monitors_) return;
    if (is_forked()) return static_cast<void>(monitors_.release());  // its MPI belongs to the parent
    try {
      stop();
    } catch (const std::exception&) {  // a rank has failed; the end of the manager ends its messages
    }
    {
      auto monitors = std::move(monitors_);
      const nb::gil_scoped_release released;
      monitors.reset();
    }
    std::exchange(monitors_of_python_, {}).clear();
  }

  InUse use;

 private:
  std::shared_ptr<mpi::Communicator> transport_;
  std::deque<PythonMonitor> monitors_of_python_;
  std::deque<Number<Sum>> sums_;
  std::deque<Number<Minimum>> minima_;
  std::deque<Number<Maximum>> maxima_;
  std::unique_ptr<Monitors> monitors_;
  nb::object manager_;  // from start() to stop(); an object of Python, so that cycles through it are collected
  std::string name_;
};

/// weft.Monitors.
struct PyMonitors {
  explicit PyMonitors(std::shared_ptr<MonitorsCore> made) : core(std::move(made)) {}
  PyMonitors(const PyMonitors&) = delete;
  PyMonitors& operator=(const PyMonitors&) = delete;
  // If a callback drops them, the running step still calls them.
  ~PyMonitors() {
    if (const auto manager = core->manager(); manager && manager->use) manager->later.push_back(std::move(core));
  }

  std::shared_ptr<MonitorsCore> core;
};

// A call of monitors, and of their manager if they are started. Not by a callback of either.
class MonitorsCall {
 public:
  explicit MonitorsCall(MonitorsCore& core) : call_(core.use, false) {
    if (auto manager = core.manager()) of_manager_.emplace(std::move(manager), false);
  }

 private:
  InUse::Call call_;
  std::optional<ManagerCall> of_manager_;
};

// Nothing is visited while a call may use it, so that it is not collected.
int traverse_monitors(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const auto& core = nb::inst_ptr<PyMonitors>(self)->core;
  return core.use_count() != 1 || core->is_in_use() ? 0 : core->traverse(visit, arg);
}

int clear_monitors(PyObject* self) {
  if (!nb::inst_ready(self)) return 0;
  const auto core = nb::inst_ptr<PyMonitors>(self)->core;
  if (!core->is_in_use()) core->close();
  return 0;
}

PyType_Slot monitors_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_monitors)},
                                {Py_tp_clear, reinterpret_cast<void*>(clear_monitors)},
                                {0, nullptr}};

}  // namespace

void bind_monitors(nb::module_& m) {
  nb::class_<PyMonitors>(
      m, "Monitors", nb::type_slots(monitors_slots),
      R"(Diagnostics of a running program: reductions over all ranks, which share one all-reduce per step.

Parameters
----------
comm : communicator of mpi4py, int or None
    The ranks, those of the step manager. None: all.

Notes
-----
A monitor is any object with a method ``local()``, which returns this rank's number (or numbers), and a method
``use(value, step)``, which every rank calls with the reduced number (a numpy array if there are several) and the number
of the step of ``local()``. Numbers are float64. A sum, minimum or maximum with a NaN on any
rank is NaN on every rank. Monitors that the program drops are stopped: at once, or after the step
if a callback drops them.

Examples
--------
>>> class Mass:
...     def local(self):
...         return u.sum()
...     def use(self, value, step):
...         self.total = value
>>> monitors = weft.Monitors()
>>> monitors.add(Mass())
>>> monitors.start(manager, "monitors", every=10))")
      .def(
          "__init__",
          [](PyMonitors* self, nb::object comm) {
            new (self) PyMonitors{std::make_shared<MonitorsCore>(transport_of(comm))};
          },
          nb::arg("comm") = nb::none())
      .def(
          "add",
          [](PyMonitors& s, const nb::object& monitor, const nb::object& reduction, std::optional<std::size_t> size) {
            std::vector<std::string> names;
            std::string name;
            bool is_scalar = false;
            if (nb::try_cast(reduction, name)) {
              is_scalar = !size;
              names.assign(size.value_or(1), name);
            } else {
              if (!nb::try_cast(reduction, names))
                throw InputError(
                    "The reduction of a monitor is none of 'sum', 'minimum' and 'maximum', and no sequence of these. "
                    "Give one of them, or one for each number.");
              if (size && *size != names.size())
                throw InputError("A monitor has another number of reductions than size. Give one for each number.");
            }
            const MonitorsCall call(*s.core);
            s.core->add(monitor, names, is_scalar);
          },
          nb::arg("monitor"), nb::arg("reduction") = "sum", nb::arg("size") = nb::none(),
          nb::sig("def add(self, monitor: object, reduction: " WEFT_REDUCTION
                  " | collections.abc.Sequence[" WEFT_REDUCTION "] = 'sum', size: int | None = None) -> None"),
          R"(Add a monitor, before ``start()``, in the same order on all ranks.

Parameters
----------
monitor : object
reduction : {'sum', 'minimum', 'maximum'} or sequence of these
    A sequence: one for each of several numbers.
size : int, optional
    How many numbers ``local()`` returns; None: one, not in a sequence.)")
      .def("__len__", [](PyMonitors& s) { return s.core->get().size(); })
      .def(
          "start",
          [](PyMonitors& s, PyManager& manager, const std::string& name, const std::string& way, std::int64_t every,
             std::int64_t offset, const std::string& algorithm, int arity) {
            const MonitorsCall call(*s.core);
            const ManagerCall of_manager(manager.core, manager.core == s.core->manager());
            s.core->start(manager, name,
                          {.way = monitors_way(way),
                           .every = every,
                           .offset = offset,
                           .algorithm = algorithms.named(algorithm),
                           .arity = arity});
          },
          nb::arg("manager"), nb::arg("name") = "monitors", nb::kw_only(), nb::arg("way") = "nonblocking",
          nb::arg("every") = 1, nb::arg("offset") = 0, nb::arg("algorithm") = "recursive_doubling",
          nb::arg("arity") = 4,
          nb::sig("def start(self, manager: StepManager, name: str = 'monitors', *, way: typing.Literal['nonblocking', "
                  "'blocking', 'rounds', 'phased'] = 'nonblocking', every: int = 1, offset: int = 0, algorithm: "
                  "typing.Literal['recursive_doubling', 'tree'] = 'recursive_doubling', arity: int = 4) -> None"),
          R"(Register the monitors as a client of a step manager. Collective.

Parameters
----------
manager : StepManager
name : str
way : {'nonblocking', 'blocking', 'rounds', 'phased'}
    MPI's all-reduce with the step's other messages; the same, waited for at once; weft's own, all rounds in
    one step; the same, one round per step.
every, offset : int
    In the steps n with ``n % every == offset % every``.
algorithm, arity
    Of ``rounds`` and ``phased``: recursive_doubling, or tree with an arity.)")
      .def(
          "stop",
          [](PyMonitors& s) {
            const MonitorsCall call(*s.core);
            s.core->stop();
          },
          "Unregister from the step manager. Collective. Not in a step.")
      .def(
          "idle_before", [](PyMonitors& s, std::int64_t step) { return s.core->get().idle_before(step); },
          nb::arg("step"),
          "Return whether no reduction is in flight before a step; only ``phased`` takes more than one step.")
      .def(
          "read_now",
          [](PyMonitors& s, std::int64_t step) {
            const MonitorsCall call(*s.core);
            auto& monitors = s.core->get();
            const nb::gil_scoped_release released;
            monitors.read_now(step);
          },
          nb::arg("step"), "Call ``local()`` and ``use()`` of all monitors at once, between steps. Collective.")
      .def(
          "close",
          [](PyMonitors& s) {
            const MonitorsCall call(*s.core);
            s.core->close();
          },
          "Stop, and release the monitors. Collective. Not in a step.")
      .def(Repr([](const PyMonitors& s) {
        return s.core->is_closed() ? "closed" : counted(s.core->get().size(), "number");
      }));
}

}  // namespace weft::python
