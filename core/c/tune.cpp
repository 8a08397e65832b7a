// SPDX-License-Identifier: BSD-3-Clause
#include "weft/tune/tuning.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "c/objects.hpp"
#include "weft/tune/setting.hpp"

namespace weft::c {

struct SettingObject {
  const Setting* setting = nullptr;
  const Setting& get() const { return at(setting, "The setting of a callback that has returned"); }
};

struct TuningObject {
  TuningObject(std::shared_ptr<mpi::Communicator> on, const std::string& problem, std::vector<Setting> candidates,
               const Tuning::Options& options)
      : transport(std::move(on)), tuning(*transport, problem, std::move(candidates), options) {}

  std::shared_ptr<mpi::Communicator> transport;
  Tuning tuning;
  SettingObject setting;
  Lent<weft_setting> handle{setting};
};

namespace {

Setting setting_of(const std::string& text) {
  Setting setting;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto equal = word.find('=');
    if (equal == std::string::npos || equal == 0 || equal + 1 == word.size())
      throw InputError("'" + word + "' in the candidate '" + text +
                           "' is no name=value. Write for example: grouping=per_peer progress=thread.",
                       true);
    setting[word.substr(0, equal)] = word.substr(equal + 1);
  }
  return setting;
}

using Use = int (*)(void*, weft_setting);
using Iteration = int (*)(void*);

template <class Run>
void tune(TuningObject& object, Use use, Iteration iteration, void* context, const Run& run) {
  need(use, "The function use of tuning");
  need(iteration, "The function iteration of tuning");
  check_mpi();
  run(
      [&](const Setting& setting) {
        const During during(object.setting.setting, &setting);
        call_back(
            &object, [] { return std::string("'use' of tuning"); }, use, context, object.handle.get());
      },
      [&] {
        call_back(
            &object, [] { return std::string("'iteration' of tuning"); }, iteration, context);
      });
}

// The options of C that a setting changes.
void apply_messages(const Setting& setting, weft_message_options& to) {
  auto options = message_options(to);
  apply(setting, options);
  to.size = sizeof to;
  to.grouping = static_cast<int>(options.grouping);
  to.carrier = static_cast<int>(options.carrier);
  to.shared_memory = options.shared_memory;
}

// To a caller whose struct may be shorter.
template <class Options>
void write_back(Options* to, const Options& from) {
  const auto size = to->size;
  std::memcpy(to, &from, std::min(size, sizeof from));
  to->size = size;
}

}  // namespace
}  // namespace weft::c

using namespace weft::c;

int weft_tuning_create(weft_comm comm, const char* problem, const weft_tuning_options* given, weft_tuning* tuning) {
  return call(__func__, [&] {
    need(tuning, "The address of the tuning");
    const auto of = options_of<weft_tuning_options>(given, "weft_tuning_options");
    auto transport = transport_of(comm);
    std::vector<weft::Setting> candidates;
    for (int k = 0; k < of.candidates; ++k)
      candidates.push_back(setting_of(text_at(need(of.candidate, "The list of candidates")[k], "A candidate")));
    if (of.candidates == 0) candidates = weft::step_candidates(*transport);
    weft::Tuning::Options options;
    options.again = of.again != 0;
    if (of.warm_up != 0) options.warm_up = of.warm_up;
    if (of.period != 0) options.period = of.period;
    options.iterations = of.iterations;
    if (of.limit_seconds != 0) options.halving.limit_seconds = of.limit_seconds;
    if (of.sample_seconds != 0) options.sample_seconds = of.sample_seconds;
    if (of.file != nullptr) options.file = of.file;
    *tuning = handle_of<weft_tuning>(std::make_shared<TuningObject>(
        std::move(transport), text_at(problem, "The name of the problem"), std::move(candidates), options));
  });
}

int weft_tuning_free(weft_tuning* tuning) {
  return call(__func__, [&] {
    if (tuning != nullptr && *tuning != nullptr) check_idle(&get(*tuning), "tuning");
    take(tuning);
  });
}

int weft_tuning_iterate(weft_tuning tuning, int (*use)(void*, weft_setting), int (*iteration)(void*), void* context) {
  return call(__func__, [&] {
    auto& object = get(tuning);
    tune(object, use, iteration, context, [&](const auto& u, const auto& i) { object.tuning.iterate(u, i); });
  });
}

int weft_tuning_dry_run(weft_tuning tuning, int (*use)(void*, weft_setting), int (*iteration)(void*), void* context) {
  return call(__func__, [&] {
    auto& object = get(tuning);
    tune(object, use, iteration, context, [&](const auto& u, const auto& i) { object.tuning.dry_run(u, i); });
  });
}

int weft_tuning_settled(weft_tuning tuning, int* settled) {
  return call(__func__, [&] { at(settled, "The address of the answer") = get(tuning).tuning.settled(); });
}

int weft_tuning_text(weft_tuning tuning, const char** text) {
  return call(__func__, [&] { at(text, "The address of the text") = get(tuning).tuning.text().c_str(); });
}

int weft_setting_value(weft_setting setting, const char* name, const char** value) {
  return call(__func__, [&] {
    const auto& of = get(setting).get();
    const auto found = of.find(text_at(name, "The name of a value"));
    at(value, "The address of the value") = found != of.end() ? found->second.c_str() : nullptr;
  });
}

int weft_setting_number(weft_setting setting, const char* name, size_t otherwise, size_t* number) {
  return call(__func__, [&] {
    at(number, "The address of the number") =
        weft::number_of(get(setting).get(), text_at(name, "The name of a value"), otherwise);
  });
}

int weft_setting_step_options(weft_setting setting, weft_step_options* options) {
  return call(__func__, [&] {
    const auto& of = get(setting).get();
    auto result = options_of<weft_step_options>(need(options, "The options"), "weft_step_options");
    auto steps = step_options(result);
    weft::apply(of, steps);
    apply_messages(of, result.messages);
    result.separate = !steps.coalesce;
    result.progress.size = sizeof result.progress;
    result.progress.kind = kind_of(steps.progress.kind);
    write_back(options, result);
  });
}

int weft_setting_message_options(weft_setting setting, weft_message_options* options) {
  return call(__func__, [&] {
    auto result = options_of<weft_message_options>(need(options, "The options"), "weft_message_options");
    apply_messages(get(setting).get(), result);
    write_back(options, result);
  });
}
