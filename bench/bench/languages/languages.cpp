// SPDX-License-Identifier: BSD-3-Clause
#include "bench/languages/languages.hpp"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/languages/workloads.h"
#include "bench/shared/rotation.hpp"
#include "weft/error.hpp"

namespace weft::bench {
namespace {

constexpr int points = 64, step_parts = 20, commit_parts = 1000;

struct Language {
  std::string name;    // for the reader
  std::string figure;  // in names of figures
  void* (*make)(double*, int, int, int);
  double (*halo)(void*);
  double (*step)(void*);
  void (*commit)(void*);
  void (*free)(void*);
};
#define WEFT_BENCH_ROW(name, figure, language)                                                        \
  {                                                                                                   \
    name, figure, weft_bench_make_##language, weft_bench_halo_##language, weft_bench_step_##language, \
        weft_bench_commit_##language, weft_bench_free_##language                                      \
  }
const std::vector<Language>& all_languages() {
  static const std::vector<Language> all {
    WEFT_BENCH_ROW("C++", "cpp", cpp),
#if defined(WEFT_BENCH_C)
        WEFT_BENCH_ROW("C", "c", c),
#endif
#if defined(WEFT_BENCH_FORTRAN)
        WEFT_BENCH_ROW("Fortran", "fortran", f),
#endif
  };
  return all;
}
#undef WEFT_BENCH_ROW

void note_missing(Report& report) {
  for (const std::string wanted : {"C", "Fortran"}) {
    bool is_built = false;
    for (const auto& language : all_languages()) is_built = is_built || language.name == wanted;
    if (!is_built)
      report.note(wanted + " is not measured: this program was built without the library's " + wanted + " interface.");
  }
}

}  // namespace

void languages(mpi::Communicator& world, const LanguagesOptions& options) {
  Report report("languages", world, options);
  const double seconds = options.seconds_or(15, 60) / 3;
  report.setting("seconds", 3 * seconds);
  note_missing(report);

  std::vector<double> field((points + 2) * (points + 2) * (points + 2), world.rank() + 1.0);
  using Made = std::unique_ptr<void, void (*)(void*)>;
  std::vector<Made> made;
  for (const auto& language : all_languages())
    made.emplace_back(language.make(field.data(), points, step_parts, commit_parts), language.free);

  // `run` of each language, in turns.
  const auto compare = [&](const std::string& what, const std::string& name, const auto& run) {
    std::vector<Timed> turns;
    for (std::size_t i = 0; i < made.size(); ++i)
      turns.push_back({all_languages()[i].name, [&, i] { run(all_languages()[i], made[i].get()); }});
    // Short batches: the more turns, the better do the medians bear disturbances of the machine.
    time_in_turns(world, turns, {.seconds = seconds, .most = 4000, .batch_seconds = 0.002});
    for (const auto& one : turns) report.result(what + ", " + one.name, scaled(one.spread(), 1e6), "us");
    for (std::size_t i = 1; i < turns.size(); ++i) {
      const auto over = ratio(turns[i], turns[0]);
      report.result(what + ", " + turns[i].name + " / C++", over, "");
      report.figure(all_languages()[i].figure + "_over_cpp_" + name, over);
    }
  };
  // Each language must receive the same numbers: those of the left rank.
  const auto check = [&](const Language& language, double got, double wanted) {
    if (got != wanted)
      throw Error("The workload in " + language.name + " has received " + std::to_string(got) + " instead of " +
                  std::to_string(wanted) + ". Report this to weft's authors.");
  };
  const double left = (world.rank() + world.size() - 1) % world.size() + 1.0;
  compare("halo of 64^3", "halo",
          [&](const Language& language, void* of) { check(language, language.halo(of), left); });
  compare("step of 20 parts", "step", [&](const Language& language, void* of) {
    check(language, language.step(of), left * (step_parts / 2 * WEFT_BENCH_NUMBERS));
  });
  compare("commit of 1000 parts", "commit", [](const Language& language, void* of) { language.commit(of); });
  report.finish(world);
}

}  // namespace weft::bench
