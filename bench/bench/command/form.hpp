// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/shared/report.hpp"
#include "command_line/command.hpp"
#include "command_line/number_check.hpp"
#include "weft/names.hpp"

namespace weft::bench {

/// Adds the options that all benchmarks have, and the end of the help: two examples, the second with `arguments`, and
/// the page of the docs.
inline void add_form(CLI::App& command, Options& options, const std::string& arguments = "") {
  command.add_flag("--quick", options.quick, "measure for less than 45 s on 2 ranks");
  command.add_option("--json", options.json, "also write the report to this file, as JSON");
  const auto start = "  mpirun -n 2 weft bench " + command.get_name();
  command.footer("Examples:\n" + start + " --quick\n" + start + (arguments.empty() ? "" : " ") + arguments +
                 " --json " + command.get_name() + ".json\nDocumentation: docs/bench.md");
}

/// Returns parse(text). An InputError of it becomes CLI11's error, which also names the option.
template <class Parse>
auto parsed_option(const char* option, const std::string& text, const Parse& parse) {
  try {
    return parse(text);
  } catch (const InputError& e) {
    const std::string why = e.what();
    throw CLI::ValidationError(option, why.substr(0, why.size() - (why.ends_with('.') ? 1 : 0)));
  }
}

/// The command of a benchmark. Its options are bound directly to the members of `Its`. A member that is a list takes
/// values that are separated by commas. The help has the member's value as default, unless `about` describes it.
template <class Its>
class Form {
  std::shared_ptr<Its> its_ = std::make_shared<Its>();

 public:
  Its& options = *its_;
  CLI::App* command;

  /// `arguments`: those of the second example in the help.
  Form(CLI::App& bench, command_line::Action& action, const char* name, const std::string& about,
       const std::string& arguments = "")
      : command(bench.add_subcommand(name, about)), action_(action) {
    add_form(*command, options, arguments);
  }

  template <class Value>
  CLI::Option* add(const char* option, Value& value, const std::string& about) {
    auto* added = command->add_option(option, value, about);
    if constexpr (is_list<Value>) added->delimiter(',');
    if constexpr (is_list<Value>)
      if (value.empty()) return added;
    if (about.find("default: ") == std::string::npos) added->capture_default_str();
    return added;
  }
  template <class Value, class Check>
  CLI::Option* add(const char* option, Value& value, const std::string& about, const Check& check) {
    return add(option, value, about)->check(check);
  }
  /// The value is parse(text); an InputError is an error of the option.
  template <class Value, class Parse>
  CLI::Option* parsed(const char* option, Value& value, const std::string& about, const Parse& parse) {
    if constexpr (is_list<Value>) {
      const auto read = [=, &value](const std::vector<std::string>& texts) {
        value.clear();
        for (const auto& text : texts) value.push_back(parsed_option(option, text, parse));
      };
      return command->add_option_function<std::vector<std::string>>(option, read, about)->delimiter(',');
    } else {
      const auto read = [=, &value](const std::string& text) { value = parsed_option(option, text, parse); };
      return command->add_option_function<std::string>(option, read, about);
    }
  }
  /// One or several values by their names, which the help lists after `about`.
  template <class Value, class Table>
  CLI::Option* named(const char* option, Value& value, const Table& names, const std::string& about,
                     const std::string& more = "") {
    const auto parse = [names](const std::string& text) {
      const auto found = names.find_in_any_case(text);
      return found ? *found : names.named(text);
    };
    auto* added = parsed(option, value, about + ": " + names.list() + more, parse);
    if constexpr (is_list<Value>) {
      std::string chosen;
      for (const auto one : value) chosen += (chosen.empty() ? "" : ",") + std::string(names.of(one));
      return added->default_str("[" + chosen + "]");
    } else {
      return added->default_str(names.of(value));
    }
  }
  /// Some of several members, by their names: those are true, the others false.
  CLI::Option* parts(const char* option, const Names<bool*>& names, const std::string& about) {
    const auto read = [=](const std::vector<std::string>& texts) {
      for (const auto& [part, name] : names) *part = false;
      for (const auto& text : texts)
        *parsed_option(option, text, [&](const std::string& name) { return names.named(name); }) = true;
    };
    return command->add_option_function<std::vector<std::string>>(option, read, about)
        ->delimiter(',')
        ->default_str("[" + CLI::detail::join(names.all(), ",") + "]");
  }
  /// A flag that leaves out a part of the benchmark.
  CLI::Option* without(const char* flag, bool& part, const std::string& about) {
    return command->add_flag_callback(
        flag, [&part] { part = false; }, about);
  }
  CLI::Option* seconds(double& value, const std::string& defaults) {
    return add("--seconds", value, "approximate measuring time in seconds; default: " + defaults,
               command_line::positive_number());
  }

  /// Runs the benchmark when the command is given: run(world, options). The exit status is what it returns, or 0.
  template <class Run>
  void runs(Run run) {
    command->callback([&action = action_, options = its_, run] {
      action = [options, run](mpi::Communicator& world) {
        if constexpr (std::is_void_v<std::invoke_result_t<Run, mpi::Communicator&, Its&>>)
          return run(world, *options), 0;
        else
          return run(world, *options);
      };
    });
  }

 private:
  template <class Value>
  static constexpr bool is_list = requires(Value v) {
    v.push_back(typename Value::value_type{});
  }
  &&!std::is_same_v<Value, std::string>;
  command_line::Action& action_;
};

}  // namespace weft::bench
