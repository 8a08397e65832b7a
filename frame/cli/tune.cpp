// SPDX-License-Identifier: BSD-3-Clause
#include "cli/tune.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/tune/store.hpp"

namespace weft::cli {
namespace {

void show() {
  const TuneStore store;
  const auto& entries = store.entries();
  if (entries.empty()) return fmt::print("nothing is stored in {}\n", store.file().string());
  fmt::print("{}\n", store.file().string());
  for (const auto& e : entries) {
    fmt::print("\n{}\n  {}\n  {}", e.key, text_of(e.setting),
               e.speedup > 1 ? fmt::format("{:.2f} times as fast as without overlap", e.speedup)
                             : std::string("nothing was clearly faster than no overlap"));
    fmt::print("{}\n", e.date.empty() ? std::string() : ", " + e.date);
  }
}

void clear(const std::string& part) {
  TuneStore store;
  const auto gone = store.clear(part);
  fmt::print("{} of {} cleared in {}\n", gone, gone + store.entries().size(), store.file().string());
}

}  // namespace

void add_tune(CLI::App& weft, command_line::Action& action) {
  struct Options {
    std::string what = "show", part;
  };
  auto options = std::make_shared<Options>();
  auto* command = weft.add_subcommand("tune", "Shows or deletes the settings that --tune has stored.");
  command->add_option("WHAT", options->what, "show: print the stored settings; clear: delete them")
      ->check(CLI::IsMember({"show", "clear"}))
      ->capture_default_str();
  command->add_option(
      "PART", options->part,
      "with clear: delete only the entries that contain this text in their machine, MPI library, ranks or problem");
  command->group("Tune");
  command_line::explain(*command, {"weft tune", "weft tune clear '4 ranks'"}, "docs/tune.md");
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      if (options->what == "show" && !options->part.empty())
        throw InputError(
            "'" + options->part + "' is not allowed with show (show prints all entries). Omit it, or use clear.", true);
      on_root(world, [&] { options->what == "show" ? show() : clear(options->part); });
      return 0;
    };
  });
}

}  // namespace weft::cli
