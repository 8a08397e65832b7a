// SPDX-License-Identifier: BSD-3-Clause
#include "run/hand_on.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "run/program.hpp"
#include "weft/error.hpp"

namespace weft::run {
namespace {

constexpr std::string_view preload = "LD_PRELOAD=";

// LD_PRELOAD is separated by colons or blanks.
std::string appended(std::string_view before, const std::string& library) {
  if (before.find(library) != std::string_view::npos) return std::string(before);  // under another weft run
  return before.empty() ? library : fmt::format("{}:{}", before, library);
}

std::string own_preload(const std::string& library) {
  const char* before = std::getenv("LD_PRELOAD");
  return fmt::format("{}{}", preload, appended(before == nullptr ? "" : before, library));
}

// What the command itself says of LD_PRELOAD before a part's program is the last word for its processes, so ours goes
// behind it: env LD_PRELOAD=x, -x LD_PRELOAD=x, -genv LD_PRELOAD x. Returns whether it says so.
bool extend(Words& words, const Part& part, const std::string& library) {
  bool own = false;
  for (auto i = part.begin; i < part.program; ++i) {
    auto& word = words[i];
    const std::string before = i > part.begin ? words[i - 1] : "";
    if (word.starts_with(preload)) {
      word = appended(word, library);
    } else if (word == "LD_PRELOAD" && before == "-x") {
      word = own_preload(library);
    } else if (word == "LD_PRELOAD" && before.ends_with("env") && i + 1 < part.program) {
      words[i + 1] = appended(words[i + 1], library);
    } else {
      continue;
    }
    own = true;
  }
  return own;
}

auto at(const Words& words, std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); }

// Open MPI reads applications from a file, and no other word of the command line: its environment is left, which ranks
// on this node inherit.
bool reads_file(const Words& words, const Part& part, Kind kind) {
  return kind == Kind::openmpi && std::any_of(at(words, part.begin), at(words, part.program),
                                              [](const auto& word) { return word == "--app" || word == "-app"; });
}

// Open MPI: of each part by itself.
Words with_x(Words words, const std::vector<Part>& parts, const Words& variables, const std::string& library) {
  Words result(words.cbegin(), at(words, parts.front().begin));
  for (const auto& part : parts) {
    if (part.begin > parts.front().begin) result.emplace_back(":");
    for (const auto& variable : variables) result.insert(result.end(), {"-x", variable});
    if (!extend(words, part, library)) result.insert(result.end(), {"-x", own_preload(library)});
    result.insert(result.end(), at(words, part.begin), at(words, part.end));
  }
  return result;
}

// Hydra: of all parts at once; a part's own -env comes before that.
Words with_genv(Words words, const std::vector<Part>& parts, const Words& variables, const std::string& library) {
  Words ours;
  const auto hand = [&](const std::string& variable) {
    const auto end = variable.find('=');
    ours.insert(ours.end(), {"-genv", variable.substr(0, end), variable.substr(end + 1)});
  };
  std::ranges::for_each(variables, hand);
  bool all = true;
  for (const auto& part : parts) all = extend(words, part, library) && all;
  if (!all) hand(own_preload(library));
  words.insert(at(words, parts.front().begin), ours.begin(), ours.end());
  return words;
}

// srun's list of what is exported, with ours behind it.
std::string exported(std::string list, const Words& variables, const std::string& library) {
  if (list == "NONE" || list == "NIL") list.clear();  // then ours alone
  Words items;
  bool own = false;
  std::istringstream stream(list);
  for (std::string item; std::getline(stream, item, ',');) {
    const bool preloads = item.starts_with(preload);
    own = own || preloads;
    items.push_back(preloads ? appended(item, library) : item);
  }
  Words ours = variables;
  if (!own) ours.push_back(own_preload(library));
  for (const auto& variable : ours)
    if (variable.find(',') != std::string::npos)
      throw InputError(
          fmt::format("srun can't hand on {} (there is a comma in it). Use another folder or name.", variable));
  items.insert(items.end(), ours.begin(), ours.end());
  return fmt::format("--export={}", fmt::join(items, ","));
}

Words with_export(const Words& words, const std::vector<Part>& parts, const Words& variables,
                  const std::string& library) {
  constexpr std::string_view option = "--export";
  Words result(words.cbegin(), at(words, parts.front().begin));
  for (const auto& part : parts) {
    if (part.begin > parts.front().begin) result.emplace_back(":");
    Words own;
    bool given = false;
    for (auto i = part.begin; i < part.end; ++i) {
      const auto& word = words[i];
      const bool first = i < part.program;
      if (first && word == option && i + 1 < part.end) {
        own.push_back(exported(words[++i], variables, library));
      } else if (first && word.starts_with("--export=")) {
        own.push_back(exported(word.substr(option.size() + 1), variables, library));
      } else {
        own.push_back(word);
        continue;
      }
      given = true;
    }
    const char* before = std::getenv("SLURM_EXPORT_ENV");
    if (!given) result.push_back(exported(before == nullptr ? "ALL" : before, variables, library));
    result.insert(result.end(), own.begin(), own.end());
  }
  return result;
}

}  // namespace

Start with_variables(Words command, const Launcher& launcher, const Words& variables, const std::string& library) {
  const auto parts = parts_of(command, launcher);
  switch (reads_file(command, parts.front(), launcher.kind) ? Kind::none : launcher.kind) {
    case Kind::openmpi: return {with_x(std::move(command), parts, variables, library), environment({})};
    case Kind::hydra: return {with_genv(std::move(command), parts, variables, library), environment({})};
    case Kind::slurm: return {with_export(command, parts, variables, library), environment({})};
    case Kind::none: break;
  }
  for (const auto& part : parts) extend(command, part, library);
  auto changes = variables;
  changes.push_back(own_preload(library));
  return {std::move(command), environment(changes)};
}

}  // namespace weft::run
