// SPDX-License-Identifier: BSD-3-Clause
//
// `weft history`: makes a page and a badge from the runs that `weft run --history` has added to a folder.
#include <fmt/format.h>
#include <weft_version.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>

#include "history/badge.hpp"
#include "history/page.hpp"
#include "weft/error.hpp"
#include "weft/file/read_whole.hpp"
#include "weft/file/whole_file.hpp"

namespace {

namespace fs = std::filesystem;
using weft::InputError;

struct Options {
  std::string folder, out, branch;
};

// Nothing if help or version were requested, which are printed. Throws an InputError if an option is wrong.
std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  CLI::App app("Makes a page and a badge from the runs of a folder: how the overlap changed, and at which commit.",
               "weft history");
  app.set_version_flag("--version", WEFT_VERSION);
  const auto filled = [](const std::string& value) { return std::string(value.empty() ? "Its value is empty" : ""); };
  app.add_option("FOLDER", options.folder, "the folder of weft run --history")->required()->check(filled, "");
  app.add_option("-o,--out", options.out, "folder of the page (index.html) and the badge (badge.svg)")
      ->required()
      ->check(filled, "")
      ->type_name("PAGE_FOLDER");
  app.add_option("--branch", options.branch,
                 "branch whose runs are joined and compared; default: main or master, or else the one with most runs")
      ->check(filled, "")
      ->type_name("NAME");
  app.footer(
      "Exit status: 0, or 2 if an option or a file of the history is wrong.\n"
      "Examples:\n"
      "  weft run --history overlap -- mpirun -n 4 ./program small.input\n"
      "  weft history overlap -o page\n"
      "Documentation: docs/run.md");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    app.exit(e);
    return std::nullopt;
  } catch (const CLI::ExtrasError&) {  // its text has the words backwards
    throw InputError("'" + app.remaining().front() + "' is not expected here. See weft history --help.");
  } catch (const CLI::ParseError& e) {
    throw InputError(std::string(e.what()) + ". See weft history --help.");
  }
  return options;
}

// Files of other programs must not be replaced.
void check(const fs::path& file, const char* mark) {
  std::error_code none;
  if (fs::exists(file, none) &&
      (!fs::is_regular_file(file, none) || weft::read_whole(file, "").find(mark) == std::string::npos))
    throw InputError(fmt::format(
        "{} was not written by weft history (and is not replaced). Give another folder with -o.", file.string()));
  weft::WholeFile::check(file);
}

void write(const fs::path& path, const std::string& text) {
  weft::WholeFile file(path);
  file.stream() << text;
  file.finish();
}

}  // namespace

int main(int argc, char** argv) try {
  const auto options = read_options(argc, argv);
  if (!options) return 0;
  const auto page = fs::path(options->out) / "index.html";
  const auto badge = fs::path(options->out) / "badge.svg";
  check(page, weft::history::page_mark);
  check(badge, weft::history::badge_mark);
  const auto [runs, left_out] = weft::run::read_history(options->folder);
  const auto branch = weft::history::main_branch(runs, options->branch);
  write(page, weft::history::page_of(runs, branch, left_out));
  write(badge, weft::history::badge_of(weft::history::newest(runs, branch)));
  for (const auto& why : left_out) std::fputs(fmt::format("weft history: Left out: {}\n", why).c_str(), stderr);
  fmt::print("{}\n", page.string());
  return 0;
} catch (const InputError& e) {
  fmt::print(stderr, "error: {}\n", e.what());
  return 2;
} catch (const std::exception& e) {
  fmt::print(stderr, "error: {}\n", e.what());
  return 1;
}
