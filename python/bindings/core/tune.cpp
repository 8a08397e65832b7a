// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "core/bind.hpp"
#include "core/end.hpp"
#include "core/options.hpp"
#include "core/repr.hpp"
#include "core/world.hpp"
#include "weft/error.hpp"
#include "weft/names.hpp"
#include "weft/tune/tuning.hpp"

namespace weft::python {
namespace {

/// weft.Tuning.
struct PyTuning {
  std::shared_ptr<mpi::Communicator> transport;
  std::unique_ptr<Tuning> tuning;
  InUse use{};

  void iterate(const nb::object& with, const nb::object& iteration, bool dry_run) {
    const InUse::Call call(use, false);
    const auto change = [&](const Setting& setting) {
      const nb::gil_scoped_acquire gil;
      with(words_of(setting));
    };
    const auto one = [&] {
      const nb::gil_scoped_acquire gil;
      iteration();
    };
    const nb::gil_scoped_release released;
    dry_run ? tuning->dry_run(change, one) : tuning->iterate(change, one);
  }
};

constexpr Names<Tuning::State> state_names("state of tuning", {{Tuning::State::measuring, "measuring"},
                                                               {Tuning::State::stored, "stored"},
                                                               {Tuning::State::found, "found"},
                                                               {Tuning::State::left_alone, "left_alone"}});

// The problem is part of a line of the file of results.
std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

void make(PyTuning* self, const std::string& problem, const nb::object& candidates, nb::handle comm, bool again,
          std::size_t iterations, std::size_t warm_up, std::size_t period, double sample_seconds, double limit_seconds,
          double noise, const nb::object& file) {
  auto transport = transport_of(comm);
  std::vector<Setting> settings;
  if (!candidates.is_none())
    for (const auto candidate : candidates) settings.push_back(setting_of(candidate));
  Tuning::Options options{
      .again = again, .sample_seconds = sample_seconds, .warm_up = warm_up, .period = period, .iterations = iterations};
  options.halving.limit_seconds = limit_seconds;
  options.halving.noise = noise;
  if (!file.is_none()) options.file = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(file));
  std::unique_ptr<Tuning> tuning;
  {
    const nb::gil_scoped_release released;
    if (candidates.is_none()) settings = step_candidates(*transport);
    tuning = std::make_unique<Tuning>(*transport, on_one_line(problem), std::move(settings), options);
  }
  new (self) PyTuning{std::move(transport), std::move(tuning)};
}

}  // namespace

// The options of Tuning() and tune() for a signature.
#define WEFT_TUNING_OPTIONS                                                                                   \
  "comm: object | None = None, again: bool = False, iterations: int = 0, warm_up: int = 1, period: int = 1, " \
  "sample_seconds: float = 0.002, limit_seconds: float = 30.0, noise: float = 0.02, file: " WEFT_PATH " | None = None"
#define WEFT_CANDIDATES "candidates: collections.abc.Sequence[" WEFT_SETTING "] | None = None"
#define WEFT_USE_AND_ITERATION \
  "use: collections.abc.Callable[[" WEFT_SETTING "], object], iteration: collections.abc.Callable[[], object]"

void bind_tune(nb::module_& m) {
  nb::class_<PyTuning> tuning(
      m, "Tuning",
      R"(Chooses how a program communicates: by a stored result, or by measuring candidates in its first iterations.

Parameters
----------
problem : str
    What is computed, with its size, such as ``heat 512x512``: results are stored by machine, MPI library, number of
    ranks and problem.
candidates : sequence of dict of str, optional
    Settings; the first is the baseline, another one is chosen only if it is clearly faster. None:
    ``step_candidates()``.
comm : communicator of mpi4py, int or None
    The ranks. None: all.
again : bool
    Measure even if a result is stored, and replace it.
iterations : int
    The largest number of iterations of the program, of which half may be measured; 0: no limit.
warm_up : int
    Iterations after each change that are not measured.
period : int
    A measurement has a multiple of so many iterations.
sample_seconds : float
    The duration of a measurement, in seconds.
limit_seconds : float
    The longest duration of all measurements, in seconds; 0: no limit.
noise : float
    The winner must be faster than the baseline by this fraction.
file : path, optional
    Where results are stored; None: ``$WEFT_TUNE_FILE``, or weft/tuned.toml in the user's configuration folder.

Raises
------
InputError
    On all ranks, if the file is damaged.
Error
    If there are no candidates.

Notes
-----
Construction, ``iterate()`` and ``dry_run()`` are collective. On one rank nothing is measured.

Examples
--------
>>> tuning = weft.Tuning("heat 512x512")
>>> for _ in range(1000):
...     tuning.iterate(lambda setting: manager.use(setting, keep=True), manager.run_step)
>>> print(tuning.text))");
  tuning
      .def("__init__", &make, nb::arg("problem"), nb::arg("candidates") = nb::none(), nb::kw_only(),
           nb::arg("comm") = nb::none(), nb::arg("again") = false, nb::arg("iterations") = 0, nb::arg("warm_up") = 1,
           nb::arg("period") = 1, nb::arg("sample_seconds") = 2e-3, nb::arg("limit_seconds") = 30.0,
           nb::arg("noise") = 0.02, nb::arg("file") = nb::none(),
           nb::sig("def __init__(self, problem: str, " WEFT_CANDIDATES ", *, " WEFT_TUNING_OPTIONS ") -> None"))
      .def(
          "iterate",
          [](PyTuning& t, const nb::object& use, const nb::object& iteration) { t.iterate(use, iteration, false); },
          nb::arg("use"), nb::arg("iteration"), nb::sig("def iterate(self, " WEFT_USE_AND_ITERATION ") -> None"),
          R"(Call ``iteration()`` once, and before that ``use(setting)`` if the setting changes. The time of ``use`` is
not measured.)")
      .def(
          "dry_run",
          [](PyTuning& t, const nb::object& use, const nb::object& iteration) { t.iterate(use, iteration, true); },
          nb::arg("use"), nb::arg("iteration"), nb::sig("def dry_run(self, " WEFT_USE_AND_ITERATION ") -> None"),
          "Iterate until the choice is made, for programs with few real iterations. ``use`` is called with the choice.")
      .def_prop_ro(
          "state", [](const PyTuning& t) { return state_names.of(t.tuning->state()); },
          nb::for_getter(nb::sig("def state(self) -> typing.Literal['measuring', 'stored', 'found', 'left_alone']")),
          R"(``measuring``, ``stored``, ``found``, or ``left_alone`` (one rank, or too few iterations: nothing is
chosen).)")
      .def_prop_ro(
          "settled", [](const PyTuning& t) { return t.tuning->settled(); }, "Whether measuring is over.")
      .def_prop_ro(
          "chosen",
          [](const PyTuning& t) -> std::optional<nb::dict> {
            if (!t.tuning->chosen()) return {};
            return words_of(*t.tuning->chosen());
          },
          nb::for_getter(nb::sig("def chosen(self) -> " WEFT_SETTING " | None")),
          "The chosen setting, a dictionary of words; None: not chosen yet, or nothing is chosen.")
      .def_prop_ro(
          "speedup", [](const PyTuning& t) { return t.tuning->speedup(); },
          "The speed-up over the baseline, when it was measured.")
      .def_prop_ro(
          "text", [](const PyTuning& t) { return t.tuning->text(); },
          "A line for the user: what was chosen, why, and where it is stored.")
      .def_prop_ro(
          "key", [](const PyTuning& t) { return t.tuning->key(); },
          "CORES, PROCESSOR / MPI LIBRARY / RANKS / PROBLEM: under which the result is stored.")
      .def(Repr([](const PyTuning& t) { return t.tuning->text(); }));

  m.def(
      "step_candidates",
      [](nb::object comm) {
        const auto transport = transport_of(comm);
        return words_of(step_candidates(*transport));
      },
      nb::arg("comm") = nb::none(),
      nb::sig("def step_candidates(comm: object | None = None) -> list[" WEFT_SETTING "]"),
      R"(Return the candidates for the steps of a ``StepManager``: first as in a program without weft, then all
clients in one exchange, with all progress modes. Collective.

Returns
-------
list of dict of str)");
  m.def(
      "exchange_candidates",
      [](nb::object comm) {
        const auto transport = transport_of(comm);
        return words_of(exchange_candidates(*transport));
      },
      nb::arg("comm") = nb::none(),
      nb::sig("def exchange_candidates(comm: object | None = None) -> list[" WEFT_SETTING "]"),
      R"(Return the candidates for a single ``Exchange`` or ``Halo``. Collective.

Returns
-------
list of dict of str)");
  m.def(
      "tune",
      [tuning = nb::object(tuning)](const std::string& problem, const nb::object& use, const nb::object& iteration,
                                    const nb::object& candidates, nb::kwargs options) {
        nb::object made = tuning(problem, candidates, **options);
        made.attr("dry_run")(use, iteration);
        return made;
      },
      nb::arg("problem"), nb::arg("use"), nb::arg("iteration"), nb::arg("candidates") = nb::none(), nb::arg("options"),
      nb::sig("def tune(problem: str, " WEFT_USE_AND_ITERATION ", " WEFT_CANDIDATES ", *, " WEFT_TUNING_OPTIONS
              ") -> Tuning"),
      R"(Choose how a program communicates, before its first iteration.

Parameters
----------
problem : str
    What is computed, with its size.
use : callable
    ``use(setting)`` applies a setting: a dictionary of words such as ``{"progress": "thread"}``, which
    ``StepManager.use()`` takes, and ``Exchange`` or ``Halo`` as keywords.
iteration : callable
    One iteration, without arguments.
candidates, **options
    As for ``Tuning``.

Returns
-------
Tuning
    Settled; ``use`` was called with the chosen setting.)");
}

}  // namespace weft::python
