// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command_line/command.hpp"
#include "command_line/number_check.hpp"
#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "geometry/read_surface.hpp"
#include "geometry/units.hpp"
#include "openings/case_text.hpp"
#include "openings/picture.hpp"
#include "openings/report.hpp"
#include "openings/svzerod.hpp"
#include "program/quantity.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::commands {
namespace {

using openings::CaseChoices;
using openings::Role;
using openings::VesselAnalysis;

struct OpeningsOptions {
  std::filesystem::path surface, write, picture, json, outlets_from;
  std::string unit, inlet, flow, voxel, outlets_unit = "cgs";
  std::vector<std::string> skip, outlets;  // --outlets: a kind, or numbers
  double cells = 14;
  bool pulse = false, force = false, no_picture = false, repair = false, no_repair = false;
};

double metres_of_unit(const std::string& unit) {
  if (const auto metres = geometry::metres_of(unit)) return *metres;
  throw InputError(fmt::format("--unit is '{}'. Give {}, or the metres of one unit as a number.", unit,
                               geometry::surface_units.list()));
}

double positive(const char* option, const std::string& text, program::Dimension dimension) {
  double value = 0;
  try {
    value = program::parse_quantity(text, dimension);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", option, e.what()));
  }
  if (!(value > 0)) throw InputError(fmt::format("{} is '{}'. Give a value above 0.", option, text));
  return value;
}

// By number, or by the name in the table, which is that of the case.
std::size_t number_of(const char* option, const std::string& text, const VesselAnalysis& vessel) {
  for (std::size_t k = 0; k < vessel.openings.size(); ++k)
    if (vessel.openings[k].name == text) return k;
  if (text == "inlet" && !vessel.openings.empty()) return 0;
  std::string digits = text;
  for (const char* name : {"outlet", "inlet"})
    if (digits.starts_with(name)) digits.erase(0, std::string_view(name).size());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 1 || number > vessel.openings.size())
    throw InputError(fmt::format("{} is '{}' (there are {} openings). Give a number from 1 to {}, as in the table.",
                                 option, text, vessel.openings.size(), vessel.openings.size()));
  return number - 1;
}

std::string without_control(std::string text) {
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return text;
}

bool is_kind(const std::string& word) { return word == "murray" || word == "pressure" || word == "windkessel"; }

// The words of --outlets that are not a kind select openings.
openings::RoleChoices role_choices(const OpeningsOptions& o, const VesselAnalysis& vessel) {
  openings::RoleChoices choices;
  if (!o.inlet.empty()) choices.inlet = number_of("--inlet", o.inlet, vessel);
  for (const auto& word : o.skip) choices.skip.insert(number_of("--skip", word, vessel));
  for (const auto& word : o.outlets)
    if (!is_kind(word)) choices.outlets.insert(number_of("--outlets", word, vessel));
  return choices;
}

// The kind of --outlets, which may have one kind, numbers, or both.
std::string outlets_kind(const OpeningsOptions& o) {
  std::string kind;
  for (const auto& word : o.outlets) {
    if (is_kind(word)) {
      if (!o.outlets_from.empty())
        throw InputError(fmt::format(
            "--outlets is '{}' beside --outlets-from (the file already defines the outlets). Give only one of them.",
            word));
      if (!kind.empty() && kind != word)
        throw InputError(
            fmt::format("--outlets is both '{}' and '{}' (all outlets are of one kind). Give one kind.", kind, word));
      kind = word;
    } else if (word.find_first_of("0123456789") == std::string::npos) {
      throw InputError(
          fmt::format("--outlets is '{}'. Give murray, pressure, windkessel, or the numbers of the openings that are "
                      "outlets, for example 2,4.",
                      word));
    }
  }
  return kind.empty() ? std::string(o.pulse ? "windkessel" : "murray") : kind;
}

openings::ZeroDUnits unit_of_outlets(const std::string& word) {
  if (const auto units = openings::zero_d_units.find(word)) return *units;
  throw InputError(fmt::format("--outlets-unit is '{}'. Give {}.", word, openings::zero_d_units.list()));
}

// SimVascular's conditions at the outlets, as lines of the case; prints them opening by opening.
std::vector<std::string> conditions_from(const OpeningsOptions& o, const VesselAnalysis& vessel,
                                         const std::vector<Role>& roles,
                                         const std::vector<openings::ZeroDOutlet>& outlets) {
  std::vector<std::size_t> order;
  for (const auto& word : o.outlets) order.push_back(number_of("--outlets", word, vessel));
  const auto of = openings::match_outlets(outlets, vessel, roles, order, o.outlets_from);
  std::vector<std::string> conditions(roles.size());
  fmt::print("\noutlets of {}:\n", o.outlets_from.string());
  for (std::size_t k = 0; k < roles.size(); ++k) {
    if (of[k] < 0) continue;
    const auto& outlet = outlets[static_cast<std::size_t>(of[k])];
    const auto name = without_control(outlet.name), from = without_control(outlet.vessel);
    fmt::print("  {:<8} '{}' ({}), of '{}'\n", openings::name_in_case(vessel, roles, k), name, outlet.type, from);
    conditions[k] = fmt::format("# '{}' ({}) of '{}' in {}\n", name, outlet.type, from,
                                without_control(o.outlets_from.filename().string())) +
                    openings::condition_text(outlet);
    if (outlet.type == "CORONARY")
      fmt::print(
          "warning: '{}' becomes an RCR of Ra1, Ra2 + Rv1 and Ca + Cc (a windkessel has no intramyocardial pressure: "
          "the flow will not be mostly diastolic).\n",
          name);
  }
  if (o.outlets.empty())
    fmt::print(
        "  (?) the widest opening gets the least resistance; --outlets N,... assigns the openings in the file's "
        "order\n");
  return conditions;
}

std::string without_quotes(std::string text) {
  for (auto& c : text)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) c = '_';
  return text;
}

// Throws if the surface has an error that prevents a case.
void require_usable(const VesselAnalysis& vessel, const OpeningsOptions& o) {
  for (const auto& f : vessel.findings)
    if (f.weight == openings::Finding::Weight::unusable) throw InputError(o.surface.string() + ": " + f.text);
}

// `surface`: the file that the case names, as given or repaired.
void write_case(const VesselAnalysis& vessel, const OpeningsOptions& o, const std::filesystem::path& surface,
                CaseChoices choices) {
  if (vessel.openings.size() < 2)
    throw InputError(o.surface.string() +
                     ": The surface has fewer than two openings (a case needs an inlet and an outlet). Cut the vessel "
                     "open at its other end.");
  for (std::size_t in = 0; in < choices.roles.size(); ++in) {
    if (choices.roles[in] != Role::inlet) continue;
    bool leaves = false;
    for (std::size_t k = 0; k < choices.roles.size(); ++k)
      leaves = leaves || (choices.roles[k] == Role::outlet && vessel.openings[k].part == vessel.openings[in].part);
    if (!leaves)
      throw InputError(fmt::format(
          "{}: There is no outlet left for the flow from opening {} (it could not leave). Skip fewer openings{}.",
          o.surface.string(), in + 1, vessel.parts() > 1 ? ", or choose an inlet of another part" : ""));
  }
  if (std::ranges::find(choices.roles, Role::inlet) == choices.roles.end())
    throw InputError(
        o.surface.string() +
        ": There is no inlet left (each opening is an outlet or stays closed). Give fewer openings with --outlets.");
  const auto base = std::filesystem::absolute(o.write).parent_path();
  choices.surface_file = std::filesystem::proximate(std::filesystem::absolute(surface), base).generic_string();
  for (const char c : choices.surface_file)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20)
      throw InputError(
          surface.string() +
          ": The name has a quote, a backslash or a control character (a case can't contain these). Rename the file.");
  const auto figures = openings::figures_of(vessel, choices);
  WholeFile file(o.write);
  file.stream() << openings::case_text(vessel, choices);
  file.stream().flush();
  flow::read_case(file.beside());  // checks that weft flow accepts the case
  if (o.force)
    file.finish();
  else
    file.finish_new();
  fmt::print(
      "\nwritten: {}: voxel {:.4g} mm, about {:.3g} million sites, {:.4g} ml/s (Reynolds number {:.0f}{})\nnext: weft "
      "flow {} --check, then mpirun -n RANKS weft flow {}\n",
      o.write.string(), figures.voxel * 1e3, figures.sites * 1e-6, figures.flow * 1e6, figures.reynolds,
      choices.flow ? "" : "; an estimate from the inlet's size, see --flow", command_line::shell_word(o.write.string()),
      command_line::shell_word(o.write.string()));
  if (figures.sites > 2e7)
    fmt::print("warning: {:.3g} million sites need about {:.0f} GB and a long run. Give --voxel, or fewer --cells.\n",
               figures.sites * 1e-6, figures.sites * 400e-9);
}

int analyse(const OpeningsOptions& o) {
  if (!o.write.empty()) {
    if (!o.force) check_absent(o.write);
    WholeFile::check_given(o.write);
  }
  CaseChoices choices;
  if (!o.unit.empty()) choices.metres_per_unit = metres_of_unit(o.unit);
  if (!o.flow.empty()) choices.flow = positive("--flow", o.flow, program::Dimension::flow);
  if (!o.voxel.empty()) choices.voxel = positive("--voxel", o.voxel, program::Dimension::length);
  choices.cells = o.cells;
  choices.pulse = o.pulse;
  using Outlets = CaseChoices::Outlets;
  const auto outlets = outlets_kind(o);
  choices.outlets = outlets == "murray"     ? Outlets::murray
                    : outlets == "pressure" ? Outlets::pressure
                                            : Outlets::windkessel;
  choices.title = without_quotes(o.surface.stem().string());
  const auto beside = [&](const char* extension) {
    return std::filesystem::path(o.write.empty() ? o.surface.filename() : o.write).replace_extension(extension);
  };
  auto picture = o.picture;
  if (picture.empty()) picture = beside(".openings.png");
  if (o.no_picture) picture.clear();
  const auto repaired = beside(".repaired.ply");
  check_apart({o.write, o.json, picture}, {o.surface, o.outlets_from});
  for (const auto& file : {o.json, picture})
    if (!file.empty()) WholeFile::check_given(file);

  std::vector<openings::ZeroDOutlet> given;
  if (!o.outlets_from.empty()) given = openings::read_svzerod(o.outlets_from, unit_of_outlets(o.outlets_unit));
  using openings::Repairs;
  auto vessel = openings::find_openings(geometry::read_surface(o.surface, 1), openings::usual_voxels,
                                        o.no_repair ? Repairs::none
                                        : o.repair  ? Repairs::all
                                                    : Repairs::safe);  // lengths stay in the file's unit
  if (auto text = geometry::series_text(o.surface); !text.empty())
    vessel.findings.push_back({openings::Finding::Weight::note, std::move(text), {}});
  choices.roles = openings::roles_of(vessel, role_choices(o, vessel));
  choices.inlet = static_cast<std::size_t>(std::ranges::find(choices.roles, Role::inlet) - choices.roles.begin());
  if (!o.inlet.empty()) choices.inlet = number_of("--inlet", o.inlet, vessel);
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
          {Weight::unusable,
           "No unit gives this surface the size of a vessel (" + geometry::surface_units.list() + "). Give --unit.",
           {}});
    else
      unit_line =
          fmt::format("unit: {} (an estimate from the vessel's size: it is {:.3g} mm long then; set it with --unit)\n",
                      guess.unit, size * guess.metres * 1e3);
  } else if (!openings::is_likely(vessel, choices.metres_per_unit)) {
    const double metres = size * choices.metres_per_unit;
    vessel.findings.push_back(
        {Weight::warning,
         fmt::format(
             "The vessel is {} long{} (openings of vessels are 0.3 to 50 mm wide). Correct --unit if the unit is {}.",
             metres >= 1 ? fmt::format("{:.3g} m", metres) : fmt::format("{:.3g} mm", metres * 1e3),
             vessel.openings.empty() ? ""
                                     : fmt::format(" and its largest opening {:.3g} mm wide",
                                                   2e3 * vessel.openings.front().radius * choices.metres_per_unit),
             guess.unit.empty() ? "another one" : guess.unit),
         {}});
  }
  const std::string unit =
      choices.unit.empty() || std::isdigit(static_cast<unsigned char>(choices.unit.front())) ? "units" : choices.unit;
  fmt::print("{}{}", unit_line, openings::report_text(vessel, choices.roles, unit));
  if (!o.json.empty()) {
    WholeFile file(o.json);
    file.stream() << openings::report_json(vessel, choices.roles, o.surface.string(), choices.unit,
                                           choices.metres_per_unit);
    file.finish();
  }
  if (!o.outlets_from.empty()) choices.conditions = conditions_from(o, vessel, choices.roles, given);
  if (!o.no_picture) {
    insitu::write_png(
        openings::draw_openings(vessel.surface, vessel, choices.roles, o.surface.filename().string(), unit), picture);
    fmt::print("picture: {}\n", picture.string());
  }
  if (vessel.is_repaired) {
    check_apart({repaired, o.write, o.json, picture}, {o.surface, o.outlets_from});
    WholeFile file(repaired);
    geometry::write_ply(file.stream(), vessel.surface, "repaired by weft openings");
    file.finish();
    fmt::print("repaired surface: {}\n", repaired.string());
  }
  std::fflush(stdout);
  require_usable(vessel, o);
  if (!o.outlets_from.empty())
    openings::check_units(given, o.outlets_unit, openings::figures_of(vessel, choices).flow, o.outlets_from);
  if (!o.write.empty()) write_case(vessel, o, vessel.is_repaired ? repaired : o.surface, choices);
  return 0;
}

void add_openings(CLI::App& weft, command_line::Action& action) {
  auto options = std::make_shared<OpeningsOptions>();
  auto& o = *options;
  auto* command = weft.add_subcommand("openings", command_line::about("openings"));
  command->add_option("SURFACE", o.surface, "surface of the vessel (STL, VTP, PLY, OBJ)")->required();
  command->add_option("--unit", o.unit,
                      "length of one unit of the file: m, cm, mm, um, or metres as a number; default: estimated from "
                      "the vessel's size, and printed");
  command->add_option("--write", o.write, "case file (TOML) to write for weft flow");
  command->add_option("--inlet", o.inlet, "number of the inlet in the table of openings; default: the largest opening");
  command->add_option("--skip", o.skip, "numbers of the openings that stay closed, for example 3 or 3,5")
      ->delimiter(',');
  command->add_option("--cells", o.cells, "voxels across the narrowest lumen, 4 to 1000")
      ->check(command_line::in_range(4, 1000))
      ->capture_default_str();
  command->add_option("--voxel", o.voxel, "voxel size with its unit, for example '0.2 mm'; instead of --cells");
  command->add_option(
      "--flow", o.flow,
      "mean flow rate of the inlet with its unit, for example '6 ml/s'; default: estimated from the inlet's size");
  command->add_flag("--pulse", o.pulse, "three heartbeats instead of a steady flow");
  command
      ->add_option(
          "--outlets", o.outlets,
          "condition at the outlets; murray: shares of the flow in proportion to the radius cubed; pressure: the same "
          "pressure at all; windkessel: RCR of the whole body, divided by these shares; default: murray, with --pulse "
          "windkessel. Or the numbers of the outlets, for example 2,4: all others but the inlet stay closed")
      ->delimiter(',');
  command->add_option("--outlets-from", o.outlets_from,
                      "takes the conditions at the outlets from this file of SimVascular's svZeroDSolver (JSON)");
  command
      ->add_option("--outlets-unit", o.outlets_unit,
                   "unit of that file's numbers: cgs (dyn, cm), mmHg (mmHg, ml), mm-g-s, or si")
      ->capture_default_str();
  command->add_option("--picture", o.picture,
                      "picture (PNG) to write; default: the name of the case, else of the surface, with .openings.png");
  command->add_flag("--no-picture", o.no_picture, "writes no picture");
  auto* no_repair = command->add_flag("--no-repair", o.no_repair,
                                      "repairs nothing; default: repairs what can be repaired in one way only");
  command
      ->add_flag(
          "--repair", o.repair,
          "also welds rims that are up to 1e-4 of the vessel's size apart, and closes each hole that ends no tube")
      ->excludes(no_repair);
  command->add_option("--json", o.json, "writes the openings and findings to this file (JSON)");
  command->add_flag("--force", o.force, "replaces an existing case");
  command_line::explain(*command,
                        {"weft openings vessel.stl --unit mm",
                         "weft openings vessel.stl --unit mm --skip 3 --flow '6 ml/s' --write case.toml"},
                        "docs/openings.md");
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      int status = 0;
      on_root(world, [&] { status = analyse(*options); });
      return status;
    };
  });
}

}  // namespace
}  // namespace weft::commands

int main(int argc, char** argv) {
  return weft::command_line::run_command(argc, argv, "openings", weft::commands::add_openings);
}
