// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "command_line/command.hpp"
#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "geometry/read_surface.hpp"
#include "geometry/units.hpp"
#include "hemelb/case.hpp"
#include "hemelb/import.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::commands {
namespace {

struct Options {
  std::filesystem::path file, out, surface;
  std::string unit;
  bool strict = false, force = false;
};

double metres_of(const std::string& unit) {
  if (const auto metres = geometry::metres_of(unit)) return *metres;
  throw InputError(fmt::format("--unit is '{}'. Give {}, or the metres of one unit as a number.", unit,
                               geometry::surface_units.list()));
}

// Path relative to the folder of the case, so that both can be moved together.
std::filesystem::path beside(const std::filesystem::path& file, const std::filesystem::path& out) {
  return std::filesystem::proximate(std::filesystem::absolute(file), std::filesystem::absolute(out).parent_path());
}

hemelb::ImportSurface surface_of(const Options& o, const hemelb::HemelbCase& c, const std::filesystem::path& out) {
  if (o.surface.empty()) {
    if (!o.unit.empty())
      throw InputError("--unit is given without --surface (a .gmy file needs no unit). Omit --unit.");
    return {.file = beside(c.gmy, out)};
  }
  if (o.unit.empty())
    throw InputError("--surface needs --unit (a surface file does not contain its unit). Give the length of one unit.");
  if (o.surface.extension() == ".gmy")
    throw InputError(
        "--surface is a .gmy file (allowed: STL, VTP, PLY or OBJ). Omit --surface: the XML names the .gmy file.");
  if (!std::filesystem::exists(o.surface))
    throw InputError(o.surface.string() + ": This file does not exist. Correct --surface.");
  return {.file = beside(o.surface, out), .is_gmy = false, .unit = o.unit, .metres_per_unit = metres_of(o.unit)};
}

void import_case(const Options& o) {
  auto c = hemelb::read_case(o.file);
  auto out = o.out;
  if (out.empty()) out = std::filesystem::path(o.file).replace_extension(".toml");
  auto read = c.read;
  read.push_back(o.surface);
  check_apart({out}, read);
  if (!o.force) check_absent(out);
  WholeFile::check_given(out);
  const auto surface = surface_of(o, c, out);
  for (const auto& warning : c.warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (o.strict) hemelb::refuse_loss(c);
  if (surface.is_gmy)
    hemelb::fill_in_radii(c);
  else
    hemelb::fill_in_radii(c, o.surface, surface.metres_per_unit);
  WholeFile file(out);
  file.stream() << hemelb::case_text(c, surface);
  file.stream().flush();
  flow::read_case(file.beside());  // checks that weft flow accepts the case
  if (o.force)
    file.finish();
  else
    file.finish_new();
  fmt::print("written: {}\n", out.string());
  if (const auto text = o.surface.empty() ? std::string() : geometry::series_text(o.surface); !text.empty())
    fmt::print("note: {}\n", text);
  for (const auto& entry : c.not_carried)
    fmt::print(stderr, "{}not converted: {}: {}\n", entry.is_harmless ? "" : "warning: ", entry.key, entry.why);
  for (const auto& entry : c.assumed) fmt::print("assumed: {}: {}\n", entry.key, entry.why);
}

void add_import(CLI::App& weft, command_line::Action& action) {
  auto options = std::make_shared<Options>();
  auto& o = *options;
  auto* command = weft.add_subcommand("import", command_line::about("import"));
  command->add_option("CASE", o.file, "HemeLB case (XML, versions 3 to 5)")->required();
  command->add_option("-o,--out", o.out, "case file to write; default: CASE with the ending .toml");
  command->add_option("--surface", o.surface,
                      "surface (STL, VTP, PLY, OBJ) to use instead of the XML's .gmy file, on HemeLB's lattice");
  command->add_option(
      "--unit", o.unit,
      "length of one unit of the surface: m, cm, mm, um, or metres as a number; required with --surface");
  command->add_flag("--strict", o.strict,
                    "writes nothing if an element that affects the flow or its output can't be converted");
  command->add_flag("--force", o.force, "replaces an existing case");
  command_line::explain(
      *command, {"weft import vessel.xml -o vessel.toml", "weft import vessel.xml --surface vessel.stl --unit mm"},
      "docs/hemelb.md");
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      on_root(world, [&] { import_case(*options); });
      return 0;
    };
  });
}

}  // namespace
}  // namespace weft::commands

int main(int argc, char** argv) {
  return weft::command_line::run_command(argc, argv, "import", weft::commands::add_import);
}
