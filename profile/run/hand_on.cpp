// SPDX-License-Identifier: BSD-3-Clause
#include "run/hand_on.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/executable.hpp"
#include "run/launcher.hpp"
#include "weft/error.hpp"
#include "weft/text.hpp"

namespace weft::run {
namespace {

constexpr std::string_view preload = "LD_PRELOAD=";

// A list of preloaded libraries with this one appended.
std::string appended(std::string_view before, const std::string& library) {
  if (before.find(library) != std::string_view::npos) return std::string(before);  // already set by an outer weft run
  return before.empty() ? library : fmt::format("{}:{}", before, library);
}

// LD_PRELOAD= with its value in this process's environment, and the library appended.
std::string own_preload(const std::string& library) {
  const char* before = std::getenv("LD_PRELOAD");
  return fmt::format("{}{}", preload, appended(before == nullptr ? "" : before, library));
}

// A list of variables (A=b,C) with `variables` appended; a LD_PRELOAD in the list is extended. Throws an InputError if
// one of `variables` contains the separator; `reader` names the program that reads the list.
std::string with_ours(const std::string& list, char separator, const Words& variables, const std::string& library,
                      std::string_view reader) {
  Words items;
  bool own = false;
  std::istringstream stream(list);
  for (std::string item; std::getline(stream, item, separator);) {
    const bool preloads = item.starts_with(preload);
    own = own || preloads;
    if (!item.empty()) items.push_back(preloads ? appended(item, library) : item);
  }
  Words ours = variables;
  if (!own) ours.push_back(own_preload(library));
  for (const auto& variable : ours)
    if (variable.find(separator) != std::string::npos)
      throw InputError(fmt::format("{} can't pass {} (it contains a {}). Use another folder or name.", reader, variable,
                                   separator == ',' ? "comma" : fmt::format("'{}'", separator)));
  items.insert(items.end(), ours.begin(), ours.end());
  return fmt::format("{}", fmt::join(items, std::string(1, separator)));
}

// Open MPI's parameter mca_base_env_list, a list of variables to pass. If it is set, Open MPI 4 refuses -x.
struct McaList {
  std::string value;
  char separator = ';';
  std::vector<std::size_t> words;  // its positions on the command line; empty: set in the environment or a file
};

namespace fs = std::filesystem;

const std::string parameter = "mca_base_env_list";
const std::string delimiter = "mca_base_env_list_delimiter";

// A value from lines "name = value"; the last one counts.
std::optional<std::string> in_file(const fs::path& file, const std::string& name) {
  std::optional<std::string> value;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (const auto equals = line.find('='); equals != std::string::npos && trimmed(line.substr(0, equals)) == name)
      value = trimmed(line.substr(equals + 1));
  return value;
}

std::optional<std::string> beside_the_command(const std::string& launcher, const std::string& name) {
  if (const char* value = std::getenv(("OMPI_MCA_" + name).c_str())) return value;
  std::vector<fs::path> files;
  if (const char* home = std::getenv("HOME")) files.push_back(fs::path(home) / ".openmpi/mca-params.conf");
  std::error_code none;
  files.push_back(fs::canonical(executable(launcher), none).parent_path() / "../etc/openmpi-mca-params.conf");
  files.emplace_back("/etc/openmpi/openmpi-mca-params.conf");  // Debian's
  for (const auto& file : files)
    if (auto value = in_file(file, name)) return value;
  return {};
}

// Nothing if it is not set on the command line, in the environment, or in the user's or the machine's file.
std::optional<McaList> mca_list(const Words& words, const std::vector<Part>& parts, const Launcher& launcher) {
  McaList list;
  auto separator = beside_the_command(words[launcher.at], delimiter);
  for (const auto& part : parts)
    for (auto i = part.begin; i + 1 < part.program; ++i) {
      if (words[i] == parameter) list.words.push_back(i + 1);
      if (words[i] == delimiter) separator = words[i + 1];
    }
  if (separator && !separator->empty()) list.separator = separator->front();
  if (!list.words.empty()) return list;
  const auto value = beside_the_command(words[launcher.at], parameter);
  if (!value || value->empty()) return {};
  list.value = *value;
  return list;
}

// If the command sets LD_PRELOAD itself before a part's program (env LD_PRELOAD=x, -x LD_PRELOAD=x, -genv LD_PRELOAD
// x), that value overrides others, so the library is appended to it. Returns whether the command sets it.
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

// With --app, Open MPI reads the applications from a file and ignores the rest of the command line. Only the
// environment is left, which ranks on this node inherit.
bool reads_file(const Words& words, const Part& part, Kind kind) {
  return kind == Kind::openmpi && std::any_of(at(words, part.begin), at(words, part.program),
                                              [](const auto& word) { return word == "--app" || word == "-app"; });
}

// Open MPI: -x for each part.
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

// Hydra: -genv for all parts; a part's own -env takes precedence.
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

// Open MPI, if the variables are passed by a list already.
Start with_list(Words words, const std::vector<Part>& parts, const McaList& list, const Words& variables,
                const std::string& library) {
  const auto extended = [&](const std::string& value) {
    return with_ours(value, list.separator, variables, library, "Open MPI's mca_base_env_list");
  };
  for (const auto& part : parts) extend(words, part, library);
  for (const auto i : list.words) words[i] = extended(words[i]);
  if (!list.words.empty()) return {std::move(words), environment({})};
  return {std::move(words), environment({"OMPI_MCA_mca_base_env_list=" + extended(list.value)})};
}

// srun's --export list with the variables appended.
std::string exported(const std::string& list, const Words& variables, const std::string& library) {
  const bool nothing = list == "NONE" || list == "NIL";  // then only these variables
  return "--export=" + with_ours(nothing ? "" : list, ',', variables, library, "srun");
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
    case Kind::openmpi:
      if (const auto list = mca_list(command, parts, launcher))
        return with_list(std::move(command), parts, *list, variables, library);
      return {with_x(std::move(command), parts, variables, library), environment({})};
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
