// SPDX-License-Identifier: BSD-3-Clause
#include "advise/call_sites.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string_view>
#include <tuple>

#include "weft/clock.hpp"

extern char** environ;

namespace weft::advise {
namespace {

struct Places {
  using Key = std::tuple<std::string, int, std::string, std::uint64_t>;
  std::mutex mutex;
  std::map<Key, std::uint64_t> numbers;
  std::deque<SourcePlace> all;
};

// Never destroyed: hooks may run while the process ends.
Places& places() {
  static auto* const all = new Places;
  return *all;
}

// The output of a program within so many seconds; empty if it can't be run. This library must not be preloaded into it.
std::string output_of(std::vector<std::string> words, double seconds) {
  std::vector<char*> arguments, environment;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  for (char** e = environ; *e != nullptr; ++e)
    if (std::strncmp(*e, "LD_PRELOAD=", 11) != 0) environment.push_back(*e);
  environment.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool runs = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data()) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  const double until = now_seconds() + seconds;
  while (runs) {
    pollfd look{ends[0], POLLIN, 0};
    const double left = until - now_seconds();
    if (left <= 0 || poll(&look, 1, static_cast<int>(1e3 * left) + 1) == 0) {
      kill(child, SIGKILL);
      text.clear();
      break;
    }
    char piece[4096];
    const auto n = read(ends[0], piece, sizeof piece);
    if (n == 0 || (n < 0 && errno != EINTR)) break;
    if (n > 0) text.append(piece, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  if (runs) waitpid(child, nullptr, 0);
  return text;
}

std::string hexadecimal(std::uint64_t n) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(n));
  return text;
}

// Whether a module has names for its non-exported functions. In a stripped module addr2line names the last exported
// function before an address, however distant; dladdr does not.
bool names_all(const std::string& module) {
  std::ifstream file(module, std::ios::binary);
  ElfW(Ehdr) header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) || header.e_shentsize != sizeof(ElfW(Shdr)))
    return false;
  file.seekg(static_cast<std::streamoff>(header.e_shoff));
  ElfW(Shdr) section{};
  for (int i = 0; i < header.e_shnum && file.read(reinterpret_cast<char*>(&section), sizeof section); ++i)
    if (section.sh_type == SHT_SYMTAB) return true;
  return false;
}

// "solve" for "solve(int, double)"; a name may contain parentheses itself.
std::string without_arguments(const std::string& function) {
  const auto is_of_name = [&](std::size_t at) {
    const std::string_view before(function.data(), at), from(function.data() + at, function.size() - at);
    return from.starts_with("(anonymous namespace)") || (from.starts_with("()") && before.ends_with("operator"));
  };
  auto at = function.find('(');
  while (at != function.npos && is_of_name(at)) at = function.find('(', function.find(')', at));
  return function.substr(0, at);
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

Name name_in_source(const CallSite& place) {
  const auto line = static_cast<int>(place.offset & ~source_place_bit);
  return {file_name(place.module) + ":" + std::to_string(line) + " " + place.function, place.function, place.module,
          line};
}

}  // namespace

std::uint64_t source_place(SourcePlace place, std::uint64_t instruction) {
  auto& known = places();
  const std::lock_guard lock(known.mutex);
  const Places::Key key{place.file, place.line, place.function, instruction};
  if (const auto found = known.numbers.find(key); found != known.numbers.end()) return found->second;
  if (known.all.size() == most_source_places) return 0;
  const auto number = source_place_bit | known.all.size();
  known.all.push_back(std::move(place));
  return known.numbers[key] = number;
}

std::optional<SourcePlace> source_place_of(std::uint64_t number) {
  auto& known = places();
  const std::lock_guard lock(known.mutex);
  const auto i = number & ~source_place_bit;
  if (!is_source_place(number) || i >= known.all.size()) return {};
  return known.all[i];
}

CallSite call_site_of(std::uint64_t return_address) {
  if (is_source_place(return_address)) {
    const auto found = source_place_of(return_address).value_or(SourcePlace{});
    return {found.file, source_place_bit | static_cast<std::uint64_t>(found.line), found.function};
  }
  Dl_info info{};
  // The return address may belong to the next line or function, so look up the call instruction before it.
  const auto address = return_address - 1;
  CallSite place;
  place.offset = address;
  if (dladdr(reinterpret_cast<const void*>(address), &info) == 0 || info.dli_fbase == nullptr) return place;
  place.module = info.dli_fname;
  if (info.dli_sname != nullptr) place.function = info.dli_sname;
  const auto* header = static_cast<const ElfW(Ehdr)*>(info.dli_fbase);
  if (header->e_type != ET_EXEC) place.offset = address - reinterpret_cast<std::uint64_t>(info.dli_fbase);
  // The main program's name is as it was invoked; it may be a bare name that was found through PATH.
  const bool is_main = getauxval(AT_PHDR) == reinterpret_cast<std::uint64_t>(info.dli_fbase) + header->e_phoff;
  std::error_code error;
  const auto absolute = std::filesystem::canonical(is_main ? "/proc/self/exe" : place.module, error);
  if (!error) place.module = absolute.string();
  return place;
}

std::vector<Name> Naming::names_of(const std::vector<CallSite>& places) const {
  std::vector<Name> names;
  std::map<std::string, std::vector<std::size_t>> modules;
  for (const auto& place : places) {
    if (is_source_place(place.offset)) {
      names.push_back(name_in_source(place));
      continue;
    }
    names.push_back({(place.function.empty() ? "" : place.function + " ") + file_name(place.module) + "+" +
                         hexadecimal(place.offset),
                     place.function,
                     {}});
    if (!place.module.empty()) modules[place.module].push_back(names.size() - 1);
  }
  const double until = now_seconds() + seconds;
  for (const auto& [module, wanted] : modules) {
    if (!ask || now_seconds() > until) break;
    std::vector<std::string> words = {"addr2line", "-f", "-C", "-e", module};
    for (const auto i : wanted) words.push_back(hexadecimal(places[i].offset));
    std::istringstream lines(output_of(std::move(words), until - now_seconds()));
    const bool all_named = names_all(module);
    for (const auto i : wanted) {
      std::string function, line;
      if (!std::getline(lines, function) || !std::getline(lines, line)) break;
      line = line.substr(0, line.find(" (discriminator"));
      const auto colon = line.rfind(':');
      const bool has_line = line.substr(0, 2) != "??" && line.find(":?") == std::string::npos && colon != line.npos;
      auto& name = names[i];
      if (!has_line && !all_named && places[i].function.empty()) continue;
      if (has_line) {
        name.text = file_name(line);
        name.file = line.substr(0, colon);
        name.line = std::atoi(line.c_str() + colon + 1);
      } else if (function != "??") {
        name.text = file_name(module) + "+" + hexadecimal(places[i].offset);
      }
      if (function == "??") continue;
      name.function = without_arguments(function);
      name.text += " " + name.function;
    }
  }
  return names;
}

}  // namespace weft::advise
