// SPDX-License-Identifier: BSD-3-Clause
#include "flow/set_up/set_up.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "flow/reading/case_reader.hpp"
#include "flow/set_up/case_text.hpp"
#include "flow/set_up/choices.hpp"
#include "flow/set_up/found_openings.hpp"
#include "flow/set_up/judge.hpp"
#include "program/json_reader.hpp"
#include "program/scratch_folder.hpp"
#include "program/section_reader.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::flow {

namespace fs = std::filesystem;
using SetUpJson = nlohmann::ordered_json;

namespace {

constexpr std::size_t longest_request = 60 << 10;
constexpr int deepest_request = 4;
constexpr double most_sites_now = 2.5e6;  // voxelised at once for exact numbers: some seconds

std::string dumped(const SetUpJson& json) { return json.dump(-1, ' ', false, SetUpJson::error_handler_t::replace); }

struct Request {
  enum class Do : std::uint8_t { check, save, start, read, end };
  Do what = Do::check;
  std::string by{};  ///< the page that sent it
  bool replace = false;
  std::optional<Choices> choices{};
};

Request request_of(std::string_view text) {
  const auto object =
      program::parse_json(text, "the command", {.longest = longest_request, .deepest = deepest_request});
  const program::SectionReader in(object, "in the request", {"do", "by", "replace", "set_up"});
  Request request;
  using Do = Request::Do;
  static constexpr Names<Do> names(
      "command",
      {{Do::check, "check"}, {Do::save, "save"}, {Do::start, "start"}, {Do::read, "read"}, {Do::end, "end"}});
  request.what = in.choice("do", names);
  request.by = in.text_or_empty("by").substr(0, 40);
  request.replace = in.flag("replace", false);
  if (request.what < Request::Do::read) request.choices = choices_of(in.required("set_up"));
  return request;
}

}  // namespace

struct SetUp::All {
  All(view::Server& server_to_use, SetUpOptions options_given)
      : server(server_to_use), options(std::move(options_given)) {
    show();  // a large surface takes some seconds: the page shows that
    read();
  }
  ~All() {
    server.accept([](auto) { return std::string("The set-up has ended."); });
  }

  void show();
  void read();
  void describe();
  std::string accept(std::string_view text);
  Request next();
  bool is_superseded() const;
  void say(const Request& request, const char* phase, const Verdict& verdict, const std::string& error = {});
  std::optional<Case> examine(const Request& request);
  void check(const Request& request);
  bool save(const Request& request);
  fs::path surface_from(const fs::path& folder) const;
  std::string text_for(const Choices& choices, const fs::path& folder) const {
    return case_text(choices, vessel.openings, surface_from(folder), vessel.narrowest);
  }

  view::Server& server;
  SetUpOptions options;
  program::ScratchFolder scratch{"set-up"};  // for cases that are only checked
  FoundVessel vessel;
  std::string unreadable;         ///< why the surface could not be read
  std::set<std::string> written;  ///< by this program: replaced without asking
  double mlups = 0;
  std::string text;  ///< of the case that was checked last
  std::string told;  ///< why the started run failed
  std::optional<Choices> started;

  mutable std::mutex mutex;  // guards the following members
  std::condition_variable changed;
  std::optional<Request> asked;   ///< save, start, read, end: never replaced
  std::optional<Request> checks;  ///< the newest check
};

void SetUp::All::show() {
  server.accept([this](auto json) { return accept(json); });
  server.front("/set-up.html");
}

void SetUp::All::read() {
  vessel = {};
  unreadable.clear();
  try {
    vessel = find_vessel(options.surface);
  } catch (const InputError& error) {
    unreadable = error.what();
  }
  server.offer("/surface", "application/octet-stream",
               std::make_shared<const std::string>(surface_bytes(vessel.surface, 1)));
  describe();
  if (!unreadable.empty()) return;
  const std::lock_guard lock(mutex);
  checks = Request{.choices = vessel.proposal};
}

void SetUp::All::describe() {
  auto openings = SetUpJson::array();
  for (const auto& o : vessel.openings)
    openings.push_back({{"what", o.what},
                        {"centre", o.centre},
                        {"normal", o.normal},
                        {"area", o.area},
                        {"radius", o.radius},
                        {"must_be_used", o.must_be_used}});
  auto units = SetUpJson::array();
  for (const auto& unit : geometry::surface_units)
    units.push_back({{"name", unit.name},
                     {"metres", unit.value},
                     {"is_likely", geometry::is_likely_vessel(vessel.size, unit.value)}});
  auto shapes = SetUpJson::array();
  for (const auto& pulse : pulses())
    shapes.push_back({{"name", pulse.name}, {"words", pulse.words}, {"points", pulse.points}});
  server.hello(dumped({{"type", "vessel"},
                       {"surface", options.surface.string()},
                       {"folder", options.folder.string()},
                       {"ranks", options.ranks},
                       {"triangles", vessel.surface.triangles.size()},
                       {"unreadable", unreadable},
                       {"problems", vessel.problems},
                       {"units", units},
                       {"openings", openings},
                       {"pulses", shapes},
                       {"proposal", json_of(vessel.proposal)}}));
}

// In the server's thread.
std::string SetUp::All::accept(std::string_view text_of_request) {
  try {
    auto request = request_of(text_of_request);
    const std::lock_guard lock(mutex);
    auto& place = request.what == Request::Do::check ? checks : asked;
    if (request.what != Request::Do::check && asked) return "Another command is still waiting. Try again in a moment.";
    place = std::move(request);
    changed.notify_one();
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

Request SetUp::All::next() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return asked || checks; });
  auto& place = asked ? asked : checks;
  auto request = std::move(*place);
  place.reset();
  return request;
}

bool SetUp::All::is_superseded() const {
  const std::lock_guard lock(mutex);
  return asked || checks;
}

fs::path SetUp::All::surface_from(const fs::path& folder) const {
  const auto relative =
      fs::absolute(options.surface).lexically_normal().lexically_proximate(fs::absolute(folder).lexically_normal());
  return *relative.begin() == ".." ? fs::absolute(options.surface).lexically_normal() : relative;
}

void SetUp::All::say(const Request& request, const char* phase, const Verdict& verdict, const std::string& error) {
  auto rows = SetUpJson::array();
  for (const auto& [name, value] : verdict.rows) rows.push_back({name, value});
  const auto file = options.folder / request.choices->file;
  auto refused = verdict.refused;
  if (!error.empty()) refused.push_back(error);
  std::error_code ignored;
  server.state(dumped({{"type", "check"},
                       {"by", request.by},
                       {"set_up", json_of(*request.choices)},
                       {"phase", phase},
                       {"rows", rows},
                       {"refused", refused},
                       {"warnings", verdict.warnings},
                       {"told", told},
                       {"exists", fs::exists(file, ignored) && !written.contains(file.string())},
                       {"case", text}}));
}

// Reads the case of a request; none if it is invalid.
std::optional<Case> SetUp::All::examine(const Request& request) {
  const auto& choices = *request.choices;
  text.clear();
  if (choices.openings.size() != vessel.openings.size()) {
    say(request, "failed", {}, "The surface now has other openings. Reload the page.");
    return {};
  }
  text = text_for(choices, options.folder);
  const auto file = scratch.path() / choices.file;
  try {
    {
      WholeFile writing(file);
      writing.stream() << text_for(choices, scratch.path());
      writing.finish();
    }
    return read_case(file);
  } catch (const InputError& error) {
    auto why = std::string(error.what());  // without the scratch folder's path
    if (const auto at = why.find(scratch.path().string()); at != why.npos)
      why.erase(at, scratch.path().string().size() + 1);
    say(request, "failed", {}, why);
    return {};
  }
}

void SetUp::All::check(const Request& request) {
  const auto c = examine(request);
  if (!c) return;
  Verdict quick;
  try {
    const double metre = c->surface.metres_per_unit;
    quick = judge_quickly(*c, vessel.volume * metre * metre * metre, options.ranks, mlups);
    const bool goes_on = quick.refused.empty() && quick.sites <= most_sites_now;
    say(request, goes_on ? "quick" : "done", quick);
    if (!goes_on || is_superseded()) return;
    say(request, "done", judge_exactly(*c, options.ranks, mlups));
  } catch (const InputError& error) {
    say(request, "failed", quick, error.what());
  }
}

// Returns false if the case was not saved; the page shows why.
bool SetUp::All::save(const Request& request) {
  const auto file = options.folder / request.choices->file;
  if (!examine(request)) return false;
  try {
    if (fs::exists(file) && !written.contains(file.string()) && !request.replace) {
      server.notice(fmt::format("{} exists already. Give another name, or choose to replace it.", file.string()));
      return false;
    }
    WholeFile writing(file);
    writing.stream() << text;
    writing.finish();
    written.insert(file.string());
    return true;
  } catch (const std::exception& error) {
    server.notice(error.what());
    return false;
  }
}

SetUp::SetUp(view::Server& server, SetUpOptions options) : all_(std::make_unique<All>(server, std::move(options))) {}
SetUp::~SetUp() = default;

fs::path SetUp::wait() {
  auto& a = *all_;
  for (;;) {
    const auto request = a.next();
    using Do = Request::Do;
    if (request.what == Do::end) return {};
    if (request.what == Do::read) a.read();
    if (request.what == Do::check) a.check(request);
    if (request.what != Do::save && request.what != Do::start) continue;
    if (!a.save(request)) {
      a.check(request);
      continue;
    }
    const auto file = a.options.folder / request.choices->file;
    a.server.notice(fmt::format("saved: {}", file.string()));
    a.check(request);
    if (request.what != Do::start) continue;
    a.started = request.choices;
    a.told.clear();
    return file;
  }
}

void SetUp::tell(const std::string& why) {
  auto& a = *all_;
  a.told = why;
  a.show();
  a.describe();
  const std::lock_guard lock(a.mutex);
  a.checks = Request{.choices = a.started};
}

}  // namespace weft::flow
