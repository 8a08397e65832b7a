// SPDX-License-Identifier: BSD-3-Clause
#include "run/report/hotspots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <tuple>

#include "run/report/text.hpp"

namespace weft::run {
namespace {

using Site = Reading::Site;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

CallSiteName name_of(const Site& site) {
  auto name = parsed(site.place);
  if (!site.file.empty()) name.file = base_name(site.file);
  if (!site.function.empty()) name.function = readable(site.function, name.file);
  if (site.line > 0) name.line = site.line;
  // "program+0x12" contains no function name.
  if (site.function.empty() && name.function == base_name(site.module)) name.function.clear();
  return name;
}

// Of a shared library, or of an installed package of Python.
bool is_shared(const std::string& module) {
  return base_name(module).find(".so") != std::string::npos || module.find("-packages/") != std::string::npos;
}

// A name that begins with an underscore is of the C library or the compiler, but not in Python.
bool is_private(const CallSiteName& name) { return name.function[0] == '_' && !name.file.ends_with(".py"); }

std::string letters(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (std::isalpha(static_cast<unsigned char>(c))) result += static_cast<char>(std::tolower(c));
  return result;
}

// Whether a function is named like an MPI call: comm_wait_all, mp_bcast, MPIX_Send; but not every function with "send"
// in its name.
bool is_named_like(const std::string& function, const std::string& call) {
  auto bare = letters(call);
  for (const auto* prefix : {"pmpi", "mpi"})
    if (bare.rfind(prefix, 0) == 0) bare.erase(0, std::string(prefix).size());
  auto own = letters(function.substr(function.rfind(':') + 1));
  if (bare == "bcast" && own.find("broadcast") != own.npos) bare = "broadcast";
  if (bare.size() > 4 && bare[0] == 'i' && own.find(bare) == own.npos) bare.erase(0, 1);
  return bare.size() >= 4 && own.find(bare) != own.npos && own.size() - bare.size() <= 7;
}

// A wrapper calls MPI at one or two call sites, a function with an exchange at many.
constexpr std::size_t most_sites_of_a_wrapper = 2;

bool is_of_mpi(const CallSiteName& name) {
  return name.address.rfind("libmpi", 0) == 0 || name.address.rfind("libopen-", 0) == 0;
}

struct Wrappers {
  std::map<std::pair<std::string, std::string>, std::size_t> sites;  // number of call sites of each function
  std::string program;                                               // the module with most of the program's call sites

  explicit Wrappers(const Reading& reading) {
    std::map<std::string, std::pair<std::size_t, std::size_t>> modules;  // numbers of call sites: with a line, and all
    for (const auto& site : reading.sites) {
      const auto name = name_of(site);
      ++sites[{site.module, name.function}];
      auto& [with_line, all] = modules[site.module];
      ++all;
      if (name.line > 0) ++with_line;
    }
    if (!modules.empty())
      program = std::ranges::max_element(modules, {}, [](const auto& module) { return module.second; })->first;
  }

  // The callers that the user can change, if the site is in a wrapper; else empty.
  std::vector<Reading::Caller> callers(const Site& site) const {
    const auto own = name_of(site);
    // The user can't change other functions of a library either.
    const bool is_library = is_shared(site.module) && site.module != program;
    std::vector<Reading::Caller> named;
    double sum = 0;
    for (const auto& caller : site.callers) {
      const auto name = parsed(caller.place);
      if (name.function.empty() || name.guessed || is_private(name) || is_of_mpi(name) ||
          (name.line == 0 && own.line > 0))
        continue;
      const auto home = name.line > 0 ? name.file : name.address.substr(0, name.address.rfind("+0x"));
      if (is_library && home == base_name(site.module)) continue;
      named.push_back(caller);
      sum += caller.share;
    }
    if (named.empty() || sum < 0.5 || own.function == "main" || own.function == "main program") return {};
    const bool small = sites.at({site.module, own.function}) <= most_sites_of_a_wrapper;
    if (!is_library && !(small && (named.size() > 1 || is_named_like(own.function, site.call)))) return {};
    for (auto& caller : named) caller.share /= sum;
    return named;
  }
};

void add_once(std::vector<std::string>& to, const std::string& text) {
  if (!text.empty() && std::ranges::find(to, text) == to.end()) to.push_back(text);
}

// Calls that send and receive count half of their messages as sent: MPI_Sendrecv, MPI_Startall.
void add_data(Hotspot& place, const Site& site, double share) {
  const bool both =
      site.kind == "exchange" || site.call.starts_with("MPI_Start") || site.call.starts_with("MPI_Isendrecv");
  const bool sends = site.kind == "send" || site.kind == "post_send";
  if (!both && !sends && !is_collective(site) && site.kind != "receive" && site.kind != "post_receive") return;
  auto& data = is_collective(site) ? place.collective : both || sends ? place.sent : place.received;
  const double messages = share * site.step_messages * (both ? 0.5 : 1);
  data.messages += messages;
  data.bytes += messages * site.message_bytes;
}

void add(Hotspot& place, const CallSiteName& name, const Site& site, double share, bool has_steps, double ranks) {
  const double calls = share * (has_steps ? site.step_calls : site.calls / ranks);
  const double seconds = share * (has_steps ? site.step_seconds : site.seconds / ranks);
  place.calls += calls;
  place.seconds += seconds;
  place.exposed_seconds += share * site.exposed_seconds;
  place.late_seconds += share * site.late_seconds;
  if (is_collective(site)) place.collective_seconds += seconds;
  add_data(place, site, share);
  if (name.line > 0 && std::ranges::find(place.lines, name.line) == place.lines.end()) place.lines.push_back(name.line);
  if (name.line == 0) add_once(place.addresses, name.address);
  const auto at = name.line > 0 ? fmt::format("{}:{}", name.file, name.line) : name.address;
  const auto text = (site.call.empty() ? "MPI" : site.call) + (at.empty() ? "" : " at " + at);
  const auto known = std::ranges::find(place.parts, text, &Hotspot::Line::text);
  auto& part =
      known != place.parts.end() ? *known : place.parts.emplace_back(Hotspot::Line{text, site.call, name.line});
  part.seconds += seconds;
  part.late_seconds += share * site.late_seconds;
  part.calls += calls;
}

void finish(Hotspot& place) {
  std::ranges::stable_sort(place.parts, std::greater<>(), &Hotspot::Line::seconds);
  std::ranges::sort(place.lines);
  double all = 0;
  for (const auto& [name, share] : place.callers) all += share;
  for (auto& [name, share] : place.callers) share /= all > 0 ? all : 1;
  std::ranges::stable_sort(place.callers, [](const auto& a, const auto& b) { return a.second > b.second; });
}

}  // namespace

CallSiteName parsed(const std::string& place) {
  CallSiteName name;
  const auto space = place.find(' ');
  const auto first = place.substr(0, space);
  const auto rest = space == place.npos ? "" : place.substr(space + 1);
  const auto colon = first.rfind(':');
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (colon != first.npos && colon > 0 && colon + 1 < first.size() && first.size() - colon < 10 &&
      std::all_of(first.begin() + static_cast<long>(colon) + 1, first.end(), is_digit)) {
    name.file = base_name(first.substr(0, colon));
    name.line = std::stoi(first.substr(colon + 1));
    name.function = readable(rest, name.file);
    return name;
  }
  const auto plus = place.rfind("+0x");
  if (plus == place.npos) {
    name.function = place;
  } else if (first.find("+0x") != first.npos) {
    name.address = base_name(first);
    name.guessed = rest.empty();
    name.function = rest.empty() ? base_name(first.substr(0, first.find("+0x"))) : rest;
  } else {
    const auto before = place.rfind(' ', plus);
    name.address = base_name(place.substr(before + 1));
    name.function = place.substr(0, before);
  }
  name.function = readable(name.function);
  return name;
}

std::string shown(const std::string& place) {
  const auto name = parsed(place);
  const auto at = name.line > 0 ? fmt::format("{}:{}", name.file, name.line) : name.address;
  if (name.function.empty() || name.guessed) return at;
  return at.empty() ? name.function : name.function + " (" + at + ")";
}

bool is_collective(const Site& site) {
  if (!site.kind.empty()) return site.kind == "collective" || site.kind == "post_collective";
  const auto call = letters(site.call);
  for (const auto* part : {"barrier", "bcast", "gather", "scatter", "alltoall", "reduce", "scan"})
    if (call.find(part) != call.npos) return true;
  return false;
}

std::string messages_of(const Hotspot& place) {
  std::vector<std::string> all;
  const auto add = [&](const Hotspot::Data& data, const char* what, const char* done) {
    if (count(data.messages) != "0" && data.messages >= 0.095)
      all.push_back(plural(std::round(100 * data.messages) / 100, what) + " of " + size_of(data.bytes / data.messages) +
                    done);
  };
  add(place.sent, "message", " sent");
  if (all.empty()) add(place.received, "message", " received");
  add(place.collective, "collective", "");
  return all.empty() ? "" : all.size() == 1 ? all[0] : all[0] + ", " + all[1];
}

bool is_wait(const Site& site) { return site.kind.empty() ? site.call.rfind("MPI_Wait", 0) == 0 : site.kind == "wait"; }

std::string Hotspot::where() const {
  if (!lines.empty()) {
    std::vector<std::string> numbers;
    for (const int line : lines) numbers.push_back(std::to_string(line));
    return file + ":" + listed(numbers, numbers.size() > 3 ? 2 : 3);
  }
  if (addresses.size() == 1) return addresses[0];
  return addresses.empty()
             ? file
             : fmt::format("{} addresses in {}", addresses.size(), addresses[0].substr(0, addresses[0].find("+0x")));
}

std::string Hotspot::name() const {
  const auto at = where();
  if (function.empty()) return at.empty() ? "an unnamed call site" : at;
  return at.empty() ? function : function + " (" + at + ")";
}

std::string Hotspot::short_name() const { return function.empty() ? name() : function; }

std::string Hotspot::waits_for(std::size_t most) const {
  if (seconds <= 0) return "no time";
  const double late = std::min(late_seconds, seconds), exposed = std::min(exposed_seconds, seconds - late);
  const double other = seconds - late - exposed;
  std::vector<std::pair<double, std::string>> parts{
      {late, "late ranks"},
      {exposed, collective_seconds > 0.5 * seconds ? "a collective in flight" : "messages in flight"},
      {other, "the calls themselves"}};
  std::ranges::stable_sort(parts, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> words;
  for (const auto& [part, what] : parts)
    if (part >= 0.05 * seconds && words.size() < most) words.push_back(percent(part / seconds) + " " + what);
  return listed(words, 3);
}

Hotspots hotspots_of(const Reading& reading, bool has_steps) {
  const Wrappers wrappers(reading);
  using Key = std::tuple<std::string, std::string,
                         std::string>;  // file or module, function, address if
                                        // there is neither
  std::map<Key, std::size_t> known;
  std::vector<Hotspot> all;
  const auto place_at = [&](const CallSiteName& name, const std::string& module) -> std::size_t {
    const auto& home = name.line > 0 ? name.file : module;
    const auto [it, is_new] =
        known.try_emplace({home, name.function, name.function.empty() ? name.address : ""}, all.size());
    if (is_new) {
      all.emplace_back().function = name.function;
      all.back().file = name.file;
    }
    return it->second;
  };
  std::map<std::size_t, std::size_t> of_site;
  for (std::size_t i = 0; i < reading.sites.size(); ++i) {
    const auto& site = reading.sites[i];
    if (site.kind == "mark") continue;
    const auto name = name_of(site);
    const auto callers = wrappers.callers(site);
    if (callers.empty()) {
      of_site[i] = place_at(name, site.module);
      auto& place = all[of_site[i]];
      add(place, name, site, 1, has_steps, reading.ranks);
      for (const auto& caller : site.callers)
        if (const auto who = parsed(caller.place);
            !who.function.empty() && !who.guessed && !is_private(who) && !is_of_mpi(who) && name.function != "main") {
          const auto text = who.line > 0 ? shown(caller.place) : who.function;
          const auto old = std::ranges::find(place.callers, text, &std::pair<std::string, double>::first);
          auto& entry = old != place.callers.end() ? *old : place.callers.emplace_back(text, 0.0);
          entry.second += caller.share * std::max(site.step_seconds, 1e-12);
        }
      continue;
    }
    for (const auto& caller : callers) {
      const auto who = parsed(caller.place);
      const auto at = place_at(who, "");
      of_site.try_emplace(i, at);  // the caller with the largest share comes first
      add(all[at], who, site, caller.share, has_steps, reading.ranks);
      const auto wrapper = name.function.empty() ? name.address : name.function;
      add_once(all[at].wrappers, name.line > 0 ? fmt::format("{} ({}:{})", wrapper, name.file, name.line) : wrapper);
    }
  }
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) finish(all[order[i] = i]);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return all[a].seconds > all[b].seconds; });
  Hotspots result;
  std::vector<std::size_t> now(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    now[order[i]] = i;
    result.all.push_back(std::move(all[order[i]]));
  }
  for (const auto& [site, at] : of_site) result.of_site[site] = now[at];
  return result;
}

}  // namespace weft::run
