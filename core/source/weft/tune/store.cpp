// SPDX-License-Identifier: BSD-3-Clause
#include "weft/tune/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include "weft/error.hpp"
#include "weft/file/read_text.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/text.hpp"

namespace weft {
namespace {

// Locked while the file is read, changed and written: its folder, since the file itself is replaced. Where folders
// can't be locked, the later of two writers wins.
class Lock {
 public:
  explicit Lock(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    descriptor_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ >= 0) flock(descriptor_, LOCK_EX);
  }
  ~Lock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int descriptor_ = -1;
};

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 32 && c != '\t'; }

// Cuts the comment off the end of a line and returns it; empty if there is none.
std::string cut_comment(std::string& line) {
  char quote = 0;  // the open one
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && c == '#') {
      auto comment = line.substr(i);
      line = trimmed(line.substr(0, i));
      return comment;
    }
    if (quote == '"' && c == '\\')
      ++i;
    else if (quote == c)
      quote = 0;
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
  }
  return {};
}

// The text of a string of TOML, "..." or '...'.
std::optional<std::string> unquoted(const std::string& text) {
  if (text.size() < 2 || text.front() != text.back() || (text.front() != '"' && text.front() != '\'')) return {};
  const char quote = text.front();
  std::string result;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == quote) return {};
    if (quote == '"' && text[i] == '\\') {
      if (++i + 1 >= text.size() || (text[i] != '"' && text[i] != '\\' && text[i] != 'n')) return {};
      if (text[i] == 'n') {
        result += '\n';
        continue;
      }
    }
    result += text[i];
  }
  return result;
}

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// Parses a line of an entry; false if it is damaged.
bool take(TuneStore::Entry& entry, const std::string& line) {
  const auto equals = line.find('=');
  if (equals == std::string::npos) return false;
  const auto name = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
  if (name.empty() || value.empty()) return false;
  const std::string setting = "setting.";
  if (name.starts_with(setting)) {
    const auto text = unquoted(value);
    if (text) entry.setting[name.substr(setting.size())] = *text;
    return text.has_value();
  }
  if (name == "speedup") {
    const auto speedup = number(value);
    if (speedup) entry.speedup = *speedup;
    return speedup.has_value();
  }
  if (name == "date") {
    const auto text = unquoted(value);
    if (text) entry.date = *text;
    return text.has_value();
  }
  entry.rest.push_back(line);
  return true;
}

}  // namespace

TuneStore::TuneStore(std::filesystem::path file) : file_(std::move(file)) { read(); }

void TuneStore::read() {
  preamble_.clear();
  entries_.clear();
  std::error_code error;
  if (!std::filesystem::exists(file_, error)) return;
  std::istringstream stream(read_text(file_, "Set WEFT_TUNE_FILE to another file."));
  std::size_t number_of_line = 0;
  for (std::string raw; std::getline(stream, raw);) {
    ++number_of_line;
    auto line = trimmed(raw);
    const auto damaged = [&](const std::string& why) {
      return InputError(file_.string() + ":" + std::to_string(number_of_line) + ": This line is damaged (" + why +
                        "). Correct or remove it. Without this file, everything is measured again.");
    };
    if (line.empty()) continue;
    if (std::any_of(line.begin(), line.end(), is_control)) throw damaged("it has a control character");
    const auto comment = cut_comment(line);
    if (line.empty()) {
    } else if (line.front() == '[') {
      const auto key = line.back() == ']' ? unquoted(trimmed(line.substr(1, line.size() - 2))) : std::nullopt;
      if (!key || key->empty()) throw damaged("it has no [\"machine / MPI / ranks / problem\"]");
      if (find(*key) != nullptr) throw damaged("its key occurs twice");
      entries_.push_back({.key = *key, .setting = {}, .speedup = 1, .date = {}, .rest = {}});
    } else if (entries_.empty()) {
      throw damaged("no key comes before it");
    } else if (!take(entries_.back(), line)) {
      throw damaged("it is not NAME = \"VALUE\", or its speedup is not a number");
    }
    if (!comment.empty()) (entries_.empty() ? preamble_ : entries_.back().rest).push_back(comment);
  }
}

void TuneStore::write() const {
  WholeFile whole(file_);
  auto& out = whole.stream();
  if (preamble_.empty()) out << "# What weft's --tune found; see weft tune. Entries may be changed or removed.\n";
  for (const auto& line : preamble_) out << line << '\n';
  for (const auto& e : entries_) {
    out << "\n[" << quoted(e.key) << "]\n";
    for (const auto& [name, value] : e.setting) out << "setting." << name << " = " << quoted(value) << '\n';
    out << "speedup = " << e.speedup << '\n';
    if (!e.date.empty()) out << "date = " << quoted(e.date) << '\n';
    for (const auto& line : e.rest) out << line << '\n';
  }
  whole.finish();
}

const TuneStore::Entry* TuneStore::find(const std::string& key) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key; });
  return found == entries_.end() ? nullptr : &*found;
}

void TuneStore::put(Entry entry) {
  const Lock lock(folder_of(file_));
  read();
  for (auto& e : entries_) {
    if (e.key != entry.key) continue;
    entry.rest = std::move(e.rest);
    e = std::move(entry);
    return write();
  }
  entries_.push_back(std::move(entry));
  write();
}

std::size_t TuneStore::clear(const std::string& part) {
  std::error_code error;
  if (!std::filesystem::exists(file_, error)) return 0;
  const Lock lock(folder_of(file_));
  read();
  const auto gone = std::erase_if(entries_, [&](const Entry& e) { return e.key.find(part) != std::string::npos; });
  if (gone > 0) write();
  return gone;
}

std::filesystem::path TuneStore::default_file() {
  const auto set = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const auto file = set("WEFT_TUNE_FILE"); !file.empty()) return file;
  const auto inside = std::filesystem::path("weft") / "tuned.toml";
  if (const auto folder = set("XDG_CONFIG_HOME"); !folder.empty()) return folder / inside;
  if (const auto home = set("HOME"); !home.empty()) return std::filesystem::path(home) / ".config" / inside;
  throw InputError(
      "There is no place to store tuned settings (neither WEFT_TUNE_FILE nor HOME is set). Set WEFT_TUNE_FILE.");
}

}  // namespace weft
