// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "geometry/read_surface.hpp"
#include "hemelb/gmy.hpp"
#include "weft/error.hpp"

namespace weft::hemelb {

namespace {

using geometry::operator*, geometry::operator+, geometry::operator-;

// All digits, with a point or an exponent, so that TOML reads a floating-point number.
std::string real(double value) {
  auto text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string list(const geometry::Vector& v) { return fmt::format("[{}, {}, {}]", real(v[0]), real(v[1]), real(v[2])); }

// The number of bytes of the UTF-8 character that begins here; 0 if there is none.
std::size_t letter_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  std::uint32_t code = first & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (byte(i) >> 6U != 2) return 0;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_half = code >= 0xD800 && code < 0xE000;
  return first >= 0xC0 && first < 0xF8 && code >= least[bytes] && code < 0x110000 && !is_half ? bytes : 0;
}

// TOML is UTF-8; the XML need not be.
std::string utf8(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto bytes = letter_bytes(std::string_view(text).substr(at));
    if (bytes == 0) text[at] = '?';
    at += std::max<std::size_t>(bytes, 1);
  }
  return text;
}

// As a string of TOML or, on one line, of a comment.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : utf8(text)) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}
std::string plain(std::string text) {
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return utf8(std::move(text));
}

std::string opening_text(const HemelbOpening& opening, double metres_per_unit) {
  const auto& [disc, value] = opening;
  const double per_unit = 1 / metres_per_unit;
  auto text = fmt::format("\n[[{}]]  # HemeLB: {}\n", disc.kind == geometry::Opening::Kind::inlet ? "inlet" : "outlet",
                          plain(value.from));
  text += fmt::format("name = {}\ncentre = {}\nnormal = {}\nradius = {}\n", quoted(disc.name),
                      list(per_unit * disc.centre), list(disc.normal), real(per_unit * disc.radius));
  if (const auto& w = value.windkessel) {
    text += fmt::format("windkessel = {{resistance = {}, capacitance = {}", real(w->resistance), real(w->capacitance));
    if (w->proximal > 0) text += fmt::format(", proximal = {}", real(w->proximal));
    return text + fmt::format(", initial = {}}}  # Pa s/m^3, m^3/Pa, Pa\n", real(w->initial));
  }
  const char* key = value.pressure ? "pressure" : "velocity";
  const char* what = value.pressure ? "Pa" : "m/s, mean over the disc";
  if (const auto& cosine = value.cosine) {
    text += fmt::format("{} = {{mean = {}, amplitude = {}, period = {}, phase = {}}}  # {}, s, radians\n", key,
                        real(cosine->mean), real(cosine->amplitude), real(cosine->period), real(cosine->phase), what);
    return value.womersley ? text + "profile = \"womersley\"\n" : text;
  }
  if (value.points.size() == 1 && value.period == 0)
    return text + fmt::format("{} = {}  # {}\n", key, real(value.points[0][1]), what);
  text += fmt::format("{} = [  # s, {}\n", key, what);
  for (const auto& [time, number] : value.points) text += fmt::format("  [{}, {}],\n", real(time), real(number));
  text += "]\n";
  if (value.period > 0) text += fmt::format("period = {}\n", real(value.period));
  return text;
}

std::string words(const std::vector<std::string>& all) {
  std::string text;
  for (const auto& word : all) text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", word);
  return "[" + text + "]";
}

std::string extract_text(const HemelbExtract& e, const HemelbCase& c, double metres_per_unit) {
  // One voxel more: the centres of its sites lie within the vessel, but their voxels may extend beyond the disc.
  const double radius = e.of_opening ? c.openings.at(*e.of_opening).disc.radius + c.voxel : e.radius;
  auto text = fmt::format("\n[[extract]]\nname = {}\nshape = \"{}\"\nevery = {}  # steps\nquantities = {}\n",
                          quoted(e.name), e.shape, e.every, words(e.quantities));
  const auto point = [&](const char* key, const geometry::Vector& p) {
    text += fmt::format("{} = {}\n", key, list((1 / metres_per_unit) * p));
  };
  if (e.shape == "plane") {
    point("centre", e.at);
    text += fmt::format("normal = {}\n", list(e.normal));
    if (radius > 0) text += fmt::format("radius = {}\n", real(radius / metres_per_unit));
  }
  if (e.shape == "surface" && radius > 0) {
    point("centre", e.at);
    text += fmt::format("radius = {}  # HemeLB's surfacepoint: the sites beside the wall within a voxel's diagonal\n",
                        real(radius / metres_per_unit));
    text += "format = \"csv\"\n";
  }
  if (e.shape == "line") {
    point("from", e.at);
    point("to", e.to);
  }
  return text;
}

}  // namespace

void refuse_loss(const HemelbCase& c) {
  constexpr std::size_t most_named = 20;
  std::string names;
  std::size_t count = 0;
  for (const auto& entry : c.not_carried) {
    if (entry.is_harmless || ++count > most_named) continue;
    names += fmt::format("{}{}: {}", count > 1 ? "; " : "", entry.key, entry.why);
  }
  if (count == 0) return;
  if (count > most_named) names += fmt::format("; and {} more", count - most_named);
  throw InputError(
      fmt::format("{}: These elements can't be converted: {} (--strict refuses that). Omit --strict, and add their "
                  "effect to the case by hand.",
                  c.file.string(), names));
}

void fill_in_radii(HemelbCase& c) {
  if (std::none_of(c.openings.begin(), c.openings.end(), [](const auto& o) { return o.disc.radius == 0; })) return;
  const auto gmy = read_gmy(c.gmy);
  auto discs = c.discs();
  for (auto& disc : discs) disc.centre = (1 / c.voxel) * (disc.centre - c.first_site);
  const auto measured = measure_openings(gmy, discs);
  for (std::size_t o = 0; o < discs.size(); ++o) {
    if (measured.radius[o] == 0)
      throw InputError(
          fmt::format("{}: No link is cut at {} (counted as in {}). Remove that opening, or correct the order.",
                      gmy.file.string(), discs[o].name, c.file.string()));
    if (c.openings[o].disc.radius == 0) c.openings[o].disc.radius = c.voxel * measured.radius[o];
  }
}

void fill_in_radii(HemelbCase& c, const std::filesystem::path& stl, double metres_per_unit) {
  if (std::none_of(c.openings.begin(), c.openings.end(), [](const auto& o) { return o.disc.radius == 0; })) return;
  const auto surface = geometry::read_surface(stl, metres_per_unit);
  for (auto& [disc, value] : c.openings) {
    if (disc.radius > 0) continue;
    const auto inside = disc.centre + (c.voxel / 2) * disc.normal;
    disc.radius = lumen_reach(surface, inside, disc.normal);
    if (disc.radius == 0)
      throw InputError(fmt::format(
          "{}: The plane of {} (of {}) cuts no triangle. Correct --surface, --unit or the opening's position.",
          stl.string(), disc.name, c.file.string()));
    disc.radius += c.voxel / 2;  // the opening may be wider than the lumen there
  }
}

std::string case_text(const HemelbCase& c, const ImportSurface& surface) {
  auto text = fmt::format("# From HemeLB's {}, by weft import.\ntitle = {}\n\n[surface]\nfile = {}\n",
                          plain(c.file.filename().string()), quoted(c.file.stem().string()),
                          quoted(surface.file.generic_string()));
  const bool named = surface.unit.find_first_not_of("cmu") == std::string::npos;
  text += fmt::format("unit = {}  # of lengths here and of the openings\n",
                      named ? quoted(surface.unit) : real(surface.metres_per_unit));
  text += fmt::format("voxel = {}  # m\norigin = {}  # {}\n", real(c.voxel),
                      list((1 / surface.metres_per_unit) * c.first_site),
                      surface.is_gmy ? "of site (0, 0, 0)" : "of a site, so that the lattice is HemeLB's");
  text += fmt::format("\n[fluid]  # HemeLB's, where it was not compiled with others\ndensity = {}\nviscosity = {}\n",
                      real(blood_density), real(blood_viscosity));
  text += fmt::format(
      "\n[lattice]\ncollision = \"bgk\"  # HemeLB's usual one\nwall = \"half-way\"  # HemeLB's usual one, simple "
      "bounce-back; \"bouzidi\" uses the cut distances\ntime_step = {}\n",
      real(c.time_step));
  for (const auto& opening : c.openings) text += opening_text(opening, surface.metres_per_unit);
  text += fmt::format("\n[run]\nsteps = {}\n", c.steps);
  if (c.warm_up_steps > 0)
    text += fmt::format("ramp = {}  # HemeLB: {} extra steps to warm up, in steps\n",
                        real(static_cast<double>(c.warm_up_steps) * c.time_step), c.warm_up_steps);
  if (c.output_every)
    text +=
        fmt::format("\n[output]\nevery = {}  # steps\nquantities = {}\n", *c.output_every, words(c.output_quantities));
  for (const auto& extract : c.extracts) text += extract_text(extract, c, surface.metres_per_unit);
  if (c.checkpoint_every) text += fmt::format("\n[checkpoint]\nevery = {}  # steps\n", *c.checkpoint_every);
  const auto list_of = [&](const char* title, const std::vector<NotCarried>& entries) {
    if (!entries.empty()) text += fmt::format("\n# {}:\n", title);
    for (const auto& entry : entries) text += fmt::format("#   {}: {}\n", plain(entry.key), plain(entry.why));
  };
  list_of("Not converted", c.not_carried);
  list_of("Assumed, where HemeLB's file states nothing, or nothing that matters here", c.assumed);
  return text;
}

}  // namespace weft::hemelb
