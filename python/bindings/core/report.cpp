// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <utility>

#include "core/bind.hpp"
#include "core/options.hpp"
#include "core/repr.hpp"
#include "core/world.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/step/overlap_report.hpp"

namespace weft::python {
namespace {

constexpr std::array activities{Activity::compute, Activity::pack, Activity::wait, Activity::unpack,
                                Activity::in_flight};

Activity activity_of(const std::string& name) {
  for (const auto activity : activities)
    if (name == name_of(activity)) return activity;
  throw InputError("Unknown activity '" + name + "'. Use one of: compute, pack, wait, unpack, in_flight.");
}

// A span of computation: `with timeline.computing("client"):`.
struct Computing {
  std::shared_ptr<Timeline> timeline;
  std::string track;
  double from = 0;
};

nb::object dict_of(const OverlapReport& report) { return nb::module_::import_("json").attr("loads")(report.json()); }

}  // namespace

void bind_report(nb::module_& m) {
  nb::class_<Computing>(m, "Computing", "A span of computation, which ``Timeline.computing()`` returns.")
      .def("__enter__", [](Computing& c) { c.from = now_seconds(); })
      .def(
          "__exit__",
          [](Computing& c, nb::object, nb::object, nb::object) {
            c.timeline->add(c.timeline->track(c.track), Activity::compute, c.from, now_seconds());
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none())
      .def(Repr([](const Computing& c) { return c.track; }));

  nb::class_<PyTimeline>(m, "Timeline",
                         R"(Records the activities of this rank, per track (a client, or the exchange as a whole).

The activities are ``compute``, ``pack``, ``wait``, ``unpack`` and ``in_flight``. For one thread at a time.

Parameters
----------
keep_spans : bool
    Keep each span for ``write_trace()``, at 24 bytes per span; otherwise only sums.)")
      .def(
          "__init__", [](PyTimeline* self, bool keep) { new (self) PyTimeline{std::make_shared<Timeline>(keep)}; },
          nb::arg("keep_spans") = false)
      .def_prop_ro(
          "tracks", [](const PyTimeline& t) { return t.timeline->tracks(); }, "The names of the tracks.")
      .def(
          "total_seconds",
          [](const PyTimeline& t, const std::string& track, const std::string& activity) {
            const auto& names = t.timeline->tracks();
            const auto what = activity_of(activity);
            for (std::size_t k = 0; k < names.size(); ++k)
              if (names[k] == track) return t.timeline->total_seconds(k, what);
            return 0.0;
          },
          nb::arg("track"), nb::arg("activity"),
          nb::sig("def total_seconds(self, track: str, activity: " WEFT_ACTIVITY ") -> float"),
          "Return the sum of an activity since the beginning or ``reset()``, in seconds; 0 for an unknown track.")
      .def(
          "add",
          [](PyTimeline& t, const std::string& track, const std::string& activity, double start, double finish) {
            t.timeline->add(t.timeline->track(track), activity_of(activity), start, finish);
          },
          nb::arg("track"), nb::arg("activity"), nb::arg("start_seconds"), nb::arg("finish_seconds"),
          nb::sig("def add(self, track: str, activity: " WEFT_ACTIVITY
                  ", start_seconds: float, finish_seconds: float) -> None"),
          "Add a span; times are those of ``now_seconds()``.")
      .def(
          "computing",
          [](PyTimeline& t, std::string track) {
            return Computing{t.timeline, std::move(track)};
          },
          nb::arg("track") = "program", "Return a context manager that records its block as computation.")
      .def(
          "reset", [](PyTimeline& t) { t.timeline->reset(); }, "Delete sums and spans, keep the tracks.")
      .def(
          "write_trace",
          [](const PyTimeline& t, const nb::object& path, nb::object comm) {
            const auto transport = transport_of(comm);
            const auto name = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path));
            const nb::gil_scoped_release released;
            t.timeline->write_trace(*transport, name);
          },
          nb::arg("path"), nb::arg("comm") = nb::none(),
          nb::sig("def write_trace(self, path: " WEFT_PATH ", comm: object | None = None) -> None"),
          "Write all ranks' spans as a Chrome trace (JSON), which Perfetto opens. Collective.")
      .def(Repr([](const PyTimeline& t) {
        std::string all;
        for (const auto& track : t.timeline->tracks()) all += (all.empty() ? "" : ", ") + track;
        return all.empty() ? "nothing recorded" : all;
      }));

  m.def("now_seconds", &now_seconds, "Return the time of weft's clock, in seconds.");

  nb::class_<OverlapReport>(m, "OverlapReport",
                            R"(How much communication a run overlapped, over all ranks; the same on every rank.

``StepManager.report()`` and ``overlap_report()`` make one. ``str(report)`` is a table for a person; a notebook shows it
as a table. Times are in seconds per step, means over the ranks.)")
      .def(
          "as_dict", &dict_of, nb::sig("def as_dict(self) -> dict[str, typing.Any]"),
          R"(Return the report as a dictionary, of which ``weft run --report`` says the same as of its own, with the times
of the whole in ``mean`` and those of each client in ``regions``: docs/formats.md.)")
      .def("json", &OverlapReport::json, "Return the report as a JSON object, as weft's programs write it.")
      .def("overlap_fraction", &OverlapReport::overlap_fraction,
           "Return (T_comm + T_comp - T) / min(T_comm, T_comp), limited to 0..1. It needs ``exchange_seconds``.")
      .def_rw("exchange_seconds", &OverlapReport::exchange_seconds,
              "T_comm: a step's exchange without computation (``StepManager.measure_alone()``), in seconds.")
      .def_ro("step_seconds", &OverlapReport::step_seconds, "T: of the slowest rank, per step, in seconds.")
      .def_ro("computation_seconds", &OverlapReport::computation_seconds,
              "T_comp: of the slowest rank, per step, in seconds.")
      .def_ro("ranks", &OverlapReport::ranks, "The number of ranks.")
      .def_ro("steps", &OverlapReport::steps, "The number of steps that were counted.")
      .def("__str__", &OverlapReport::text)
      .def(Repr([](const OverlapReport& report) { return first_line(report.text()); }))
      .def("_repr_html_", [](const OverlapReport& report) {
        return nb::module_::import_("weft._report_table").attr("html")(dict_of(report));
      });

  m.def(
      "overlap_report",
      [](const PyTimeline& timeline, std::int64_t steps, const std::vector<std::string>& clients, nb::object comm) {
        const auto transport = transport_of(comm);
        const nb::gil_scoped_release released;
        return overlap_report(*transport, *timeline.timeline, steps, clients);
      },
      nb::arg("timeline"), nb::arg("steps"), nb::arg("clients"), nb::arg("comm") = nb::none(),
      R"(Return the report of a program without a ``StepManager``: times that exchanges and computation recorded.

Collective.

Parameters
----------
timeline : Timeline
    Of this rank.
steps : int
    The number of steps in which it recorded; 1: a whole run.
clients : sequence of str
    The names of the tracks to report, the same on all ranks.
comm : communicator of mpi4py, int or None)");
}

}  // namespace weft::python
