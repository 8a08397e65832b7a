// SPDX-License-Identifier: BSD-3-Clause
#include "core/options.hpp"

#include <string>

#include "core/bind.hpp"
#include "core/repr.hpp"
#include "core/world.hpp"
#include "weft/error.hpp"

namespace weft::python {
namespace {

std::string word(nb::handle value) {
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value) ? "true" : "false";
  return nb::cast<std::string>(nb::str(value));
}

}  // namespace

std::optional<bool> flag_of(nb::handle value) {
  if (PyBool_Check(value.ptr()) != 0) return value.ptr() == Py_True;
  const auto type = value.type();
  const bool is_of_numpy = nb::cast<std::string>(nb::str(type.attr("__module__"))) == "numpy" &&
                           nb::cast<std::string>(nb::str(type.attr("__name__"))).starts_with("bool");
  if (is_of_numpy) return PyObject_IsTrue(value.ptr()) == 1;
  long number = 0;  // numpy's integers, too
  if (PyIndex_Check(value.ptr()) == 0 || nb::hasattr(value, "__len__") || !nb::try_cast(nb::borrow(value), number))
    return {};
  if (number != 0 && number != 1) return {};
  return number == 1;
}

bool flag(nb::handle value, const char* name) {
  const auto flag = flag_of(value);
  if (!flag)
    throw nb::type_error((std::string(name) + " is " + nb::cast<std::string>(nb::repr(value)) +
                          ", which is neither true nor false. Use True or False.")
                             .c_str());
  return *flag;
}

void Options::take(const nb::dict& given_keywords, const char* function) {
  using python::take;
  nb::dict keywords;
  keywords.update(given_keywords);
  if (keywords.contains("progress")) {
    nb::object given = keywords["progress"];
    PyDict_DelItemString(keywords.ptr(), "progress");
    if (PyProgress* object = nullptr; nb::try_cast(given, object, false) && object != nullptr) {
      shared = object->progress;
    } else {
      std::string name;
      if (!nb::try_cast(given, name))
        throw nb::type_error("progress is the name of a progress mode, or a weft.Progress.");
      progress.kind = progress_kind(name);
      shared.reset();
    }
  }
  std::string name;
  if (take(keywords, "grouping", name); !name.empty()) messages.grouping = grouping_names.named(name);
  name.clear();
  if (take(keywords, "carrier", name); !name.empty()) messages.carrier = carrier_names.named(name);
  take(keywords, "shared_memory", messages.shared_memory);
  take(keywords, "defer_unpacking", messages.defer_unpacking);
  take(keywords, "packed_limit_bytes", messages.packed_limit_bytes);
  take(keywords, "by_size_bytes", messages.by_size_bytes);
  take(keywords, "piece_bytes", messages.piece_bytes);
  take(keywords, "most_requests", messages.most_requests);
  take(keywords, "watchdog_seconds", messages.watchdog_seconds);
  take(keywords, "interval_seconds", progress.interval_seconds);
  take(keywords, "threads", progress.threads);
  take(keywords, "pin", progress.pin);
  take(keywords, "coalesce", coalesce);
  take(keywords, "compares_buffer_indices", compares_buffer_indices);
  if (keywords.contains("timeline")) {
    nb::object given = keywords["timeline"];
    PyDict_DelItemString(keywords.ptr(), "timeline");
    PyTimeline* object = nullptr;
    if (given.is_none())
      timeline.reset();
    else if (nb::try_cast(given, object, false) && object != nullptr)
      timeline = object->timeline;
    else
      throw nb::type_error("timeline is a weft.Timeline, or None.");
  }
  for (const auto& [name, value] : keywords)
    throw nb::type_error((std::string(function) + "() has no argument '" + nb::cast<std::string>(name) +
                          "'. See help(weft." + function + ").")
                             .c_str());
}

ExchangeOptions Options::of_exchange(const Transport& transport) const {
  return {.messages = messages,
          .memory = {},
          .compares_buffer_indices = compares_buffer_indices,
          .progress = shared ? shared : std::make_shared<Progress>(transport, progress),
          .timeline = timeline.get()};
}

StepOptions Options::of_step() const {
  if (shared)
    throw InputError("A step manager makes its own progress threads. Give progress as a name (polling, thread, ...).");
  return {.coalesce = coalesce, .messages = messages, .progress = progress, .timeline = timeline.get()};
}

Setting setting_of(nb::handle words) {
  Setting setting;
  if (!nb::isinstance<nb::dict>(words))
    throw nb::type_error("A setting is a dictionary of words, such as {\"progress\": \"thread\"}.");
  for (const auto& [name, value] : nb::cast<nb::dict>(words)) {
    const auto key = word(name), text = word(value);
    if ((key + text).find_first_of("\"\\\n\r") != std::string::npos)
      throw InputError("A word of a setting has a quote, a backslash or a line end. Use another word.");
    setting[key] = text;
  }
  return setting;
}

nb::dict words_of(const Setting& setting) {
  nb::dict words;
  for (const auto& [name, value] : setting) words[name.c_str()] = value;
  return words;
}

nb::list words_of(const std::vector<Setting>& settings) {
  nb::list all;
  for (const auto& setting : settings) all.append(words_of(setting));
  return all;
}

void bind_options(nb::module_& m) {
  nb::class_<PyProgress>(m, "Progress", R"(Makes MPI progress for any number of exchanges, with one set of threads.

Parameters
----------
kind : str
    ``passive`` (no progress calls), ``polling`` (the computing thread, in ``progress()``), ``thread`` (one progress
    thread) or ``send_receive_threads`` (a sending and a receiving thread). Progress threads never touch Python, and run
    while the interpreter computes.
interval_seconds : float
    Of ``polling``: the smallest time between two tests of an exchange, in seconds.
threads : int
    Of ``send_receive_threads``: with 1, one thread does both sides.
pin : sequence of int
    The core of each progress thread, in rotation; empty: the system places the threads.
comm : communicator of mpi4py, int or None
    It only determines whether threads are allowed. Collective over it at its first use.

Raises
------
Error
    If MPI was initialised without ``MPI_THREAD_MULTIPLE`` and a thread is requested, or a core does not exist.)")
      .def(
          "__init__",
          [](PyProgress* self, const std::string& kind, double interval, int threads, std::vector<int> pin,
             nb::object comm) {
            const auto transport = transport_of(comm);
            new (self) PyProgress{std::make_shared<Progress>(
                *transport, ProgressOptions{progress_kind(kind), interval, threads, std::move(pin)})};
          },
          nb::arg("kind") = "polling", nb::kw_only(), nb::arg("interval_seconds") = 50e-6, nb::arg("threads") = 2,
          nb::arg("pin") = std::vector<int>(), nb::arg("comm") = nb::none(),
          nb::sig("def __init__(self, kind: " WEFT_PROGRESS
                  " = 'polling', *, interval_seconds: float = 5e-05, threads: int = 2, pin: "
                  "collections.abc.Sequence[int] = (), comm: object | None = None) -> None"))
      .def_prop_ro(
          "kind", [](const PyProgress& p) { return name_of(p.progress->kind()); },
          nb::for_getter(nb::sig("def kind(self) -> " WEFT_PROGRESS)), "The progress mode, as a name.")
      .def(Repr([](const PyProgress& p) { return std::string(name_of(p.progress->kind())); }));
}

}  // namespace weft::python
