// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "command_line/command.hpp"
#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "openings/case_text.hpp"
#include "openings/picture.hpp"
#include "openings/report.hpp"
#include "program/quantity.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::cli {
namespace {

using openings::CaseChoices;
using openings::VesselAnalysis;

struct OpeningsOptions {
  std::filesystem::path surface, write, picture, json;
  std::string unit, inlet, flow, voxel, outlets;
  double cells = 14;
  bool pulse = false, force = false, no_picture = false;
};

double metres_of_unit(const std::string& unit) {
  if (unit == "m") return 1;
  if (unit == "cm") return 1e-2;
  if (unit == "mm") return 1e-3;
  if (unit == "um") return 1e-6;
  double value = 0;
  const auto [end, error] = std::from_chars(unit.data(), unit.data() + unit.size(), value);
  if (error != std::errc() || end != unit.data() + unit.size() || !(value > 0) || !std::isfinite(value))
    throw InputError(fmt::format("--unit is '{}' (m, cm, mm, um, or the metres of one unit as a number).", unit));
  return value;
}

double positive(const char* option, const std::string& text, program::Dimension dimension) {
  double value = 0;
  try {
    value = program::parse_quantity(text, dimension);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", option, e.what()));
  }
  if (!(value > 0)) throw InputError(fmt::format("{} is '{}' (must be above 0).", option, text));
  return value;
}

// By number, or by the name that the table gives: that of the case.
std::size_t inlet_of(const std::string& text, const VesselAnalysis& vessel) {
  if (text.empty() || text == "inlet") return 0;
  std::string digits = text;
  if (digits.starts_with("outlet")) digits.erase(0, 6);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 1 || number > vessel.openings.size())
    throw InputError(
        fmt::format("--inlet is '{}' (there are {} openings). Give a number from 1 to {}, as the table has them.", text,
                    vessel.openings.size(), vessel.openings.size()));
  return number - 1;
}

void refuse_overwriting(const std::filesystem::path& file, bool force) {
  if (!force && std::filesystem::exists(file))
    throw InputError(file.string() + ": is there already (nothing was written). Name another file, or say --force.");
}

std::string without_quotes(std::string text) {
  for (auto& c : text)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) c = '_';
  return text;
}

// What is wrong so that no case can be written, or nothing.
void require_usable(const VesselAnalysis& vessel, const OpeningsOptions& o) {
  for (const auto& f : vessel.findings)
    if (f.weight == openings::Finding::Weight::unusable) throw InputError(o.surface.string() + ": " + f.text);
}

void write_case(const VesselAnalysis& vessel, const OpeningsOptions& o, CaseChoices choices) {
  if (vessel.openings.size() < 2)
    throw InputError(
        o.surface.string() +
        ": a case needs an inlet and an outlet (one opening was found). Cut the vessel open at its other end.");
  const auto base = std::filesystem::absolute(o.write).parent_path();
  choices.surface_file = std::filesystem::proximate(std::filesystem::absolute(o.surface), base).generic_string();
  for (const char c : choices.surface_file)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20)
      throw InputError(o.surface.string() +
                       ": its name has a quote, a backslash or a control character (a case can't hold it). Rename it.");
  const auto figures = openings::figures_of(vessel, choices);
  WholeFile file(o.write);
  file.stream() << openings::case_text(vessel, choices);
  file.stream().flush();
  flow::read_case(file.beside());  // what is there afterwards, weft flow takes
  file.finish();
  fmt::print(
      "\nwritten: {}: voxel {:.4g} mm, about {:.3g} million sites, {:.4g} ml/s (Reynolds number {:.0f}{})\n"
      "next: weft flow {} --check, then mpirun -n RANKS weft flow {}\n",
      o.write.string(), figures.voxel * 1e3, figures.sites * 1e-6, figures.flow * 1e6, figures.reynolds,
      choices.flow ? "" : "; a guess by the inlet's size, see --flow", o.write.string(), o.write.string());
  if (figures.sites > 2e7)
    fmt::print("warning: {:.3g} million sites take some {:.0f} GB and long. Give --voxel, or fewer --cells.\n",
               figures.sites * 1e-6, figures.sites * 400e-9);
}

int analyse(const OpeningsOptions& o) {
  if (!o.write.empty()) {
    refuse_overwriting(o.write, o.force);
    WholeFile::check_given(o.write);
  }
  CaseChoices choices;
  if (!o.unit.empty()) choices.metres_per_unit = metres_of_unit(o.unit);
  if (!o.flow.empty()) choices.flow = positive("--flow", o.flow, program::Dimension::flow);
  if (!o.voxel.empty()) choices.voxel = positive("--voxel", o.voxel, program::Dimension::length);
  choices.cells = o.cells;
  choices.pulse = o.pulse;
  using Outlets = CaseChoices::Outlets;
  const auto outlets = o.outlets.empty() ? std::string(o.pulse ? "windkessel" : "murray") : o.outlets;
  choices.outlets = outlets == "murray"     ? Outlets::murray
                    : outlets == "pressure" ? Outlets::pressure
                                            : Outlets::windkessel;
  choices.title = without_quotes(o.surface.stem().string());
  auto picture = o.picture;
  if (picture.empty())
    picture =
        std::filesystem::path(o.write.empty() ? o.surface.filename() : o.write).replace_extension(".openings.png");
  for (const auto& file : {o.json, o.no_picture ? std::filesystem::path() : picture})
    if (!file.empty()) WholeFile::check_given(file);

  const auto surface = geometry::read_stl(o.surface, 1);  // lengths stay the file's
  auto vessel = openings::find_openings(surface);
  choices.inlet = inlet_of(o.inlet, vessel);
  choices.unit = o.unit;
  std::string unit_line;
  using Weight = openings::Finding::Weight;
  const auto guess = openings::guess_unit(vessel);
  const double size = geometry::length(geometry::operator-(vessel.high, vessel.low));
  if (o.unit.empty()) {
    choices.unit = guess.unit;
    choices.metres_per_unit = guess.metres;
    if (guess.unit.empty())
      vessel.findings.push_back(
          {Weight::unusable, "no unit makes this as large as a vessel (m, cm, mm, um). Give --unit.", {}});
    else
      unit_line = fmt::format("unit: {} (a guess by the vessel's size: it is {:.3g} mm long then; --unit says it)\n",
                              guess.unit, size * guess.metres * 1e3);
  } else if (!openings::is_likely(vessel, choices.metres_per_unit)) {
    const double metres = size * choices.metres_per_unit;
    vessel.findings.push_back(
        {Weight::warning,
         fmt::format("the vessel is {} long{}: is the unit {}? (vessels' openings are 0.3 to 50 mm wide.) Correct "
                     "--unit if it is.",
                     metres >= 1 ? fmt::format("{:.3g} m", metres) : fmt::format("{:.3g} mm", metres * 1e3),
                     vessel.openings.empty()
                         ? ""
                         : fmt::format(" and its largest opening {:.3g} mm wide",
                                       2e3 * vessel.openings.front().radius * choices.metres_per_unit),
                     guess.unit.empty() ? "another one" : guess.unit),
         {}});
  }
  const std::string unit =
      choices.unit.empty() || std::isdigit(static_cast<unsigned char>(choices.unit.front())) ? "units" : choices.unit;
  fmt::print("{}{}", unit_line, openings::report_text(vessel, choices.inlet, unit));
  if (!o.json.empty()) {
    WholeFile file(o.json);
    file.stream() << openings::report_json(vessel, choices.inlet, o.surface.string(), choices.unit,
                                           choices.metres_per_unit);
    file.finish();
  }
  if (!o.no_picture) {
    insitu::write_png(openings::draw_openings(surface, vessel, choices.inlet, o.surface.filename().string(), unit),
                      picture);
    fmt::print("picture: {}\n", picture.string());
  }
  std::fflush(stdout);
  require_usable(vessel, o);
  if (!o.write.empty()) write_case(vessel, o, choices);
  return 0;
}

void add_openings(CLI::App& weft, command_line::Action& action) {
  auto options = std::make_shared<OpeningsOptions>();
  auto& o = *options;
  auto* command = weft.add_subcommand("openings", command_line::about("openings"));
  command->add_option("SURFACE", o.surface, "the vessel's surface (STL)")->required();
  command->add_option(
      "--unit", o.unit,
      "length of one unit of the file: m, cm, mm, um, or metres as a number; default: guessed and told");
  command->add_option("--write", o.write, "write a case that runs");
  command->add_option("--inlet", o.inlet,
                      "which opening is the inlet, by its number in the table; default: the largest");
  command->add_option("--cells", o.cells, "voxels across the narrowest lumen")
      ->check(CLI::Range(4.0, 1000.0))
      ->capture_default_str();
  command->add_option("--voxel", o.voxel, "or their size, as '0.2 mm'");
  command->add_option("--flow", o.flow, "mean flow through the inlet, as '6 ml/s'; default: by the inlet's size");
  command->add_flag("--pulse", o.pulse, "a heartbeat instead of a steady flow, three of them");
  command
      ->add_option("--outlets", o.outlets,
                   "murray: shares of the flow by their radii to the third; pressure: the same for all; windkessel: "
                   "RCR of the whole body by those shares; default: murray, with --pulse windkessel")
      ->check(CLI::IsMember({"murray", "pressure", "windkessel"}));
  command->add_option("--picture", o.picture,
                      "where the picture goes; default: the case's or the surface's name with .openings.png");
  command->add_flag("--no-picture", o.no_picture, "draw none");
  command->add_option("--json", o.json, "write what was found to this file");
  command->add_flag("--force", o.force, "write over a case that is there");
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      int status = 0;
      on_root(world, [&] { status = analyse(*options); });
      return status;
    };
  });
}

}  // namespace
}  // namespace weft::cli

int main(int argc, char** argv) {
  return weft::command_line::run_command(argc, argv, "openings", weft::cli::add_openings);
}
