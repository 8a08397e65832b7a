// SPDX-License-Identifier: BSD-3-Clause
#include "run/report_files.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "advise/claim.hpp"
#include "advise/live.hpp"
#include "run/process.hpp"
#include "weft/error.hpp"
#include "weft/file/read_text.hpp"
#include "weft/file/read_whole.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::run {
namespace {

namespace fs = std::filesystem;

constexpr auto default_name = "weft_run";

void check(const std::string& prefix) {
  for (const auto* ending : {".json", ".html"}) WholeFile::check_given(prefix + ending);
}

std::string temporary_folder() {
  std::error_code none;
  const auto base = fs::temp_directory_path(none);
  auto name = ((none ? fs::path("/tmp") : base) / "weft_run.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw InputError(fmt::format("No temporary folder can be created ({}: {}). Give a name with --out.", name,
                                 std::strerror(errno)));
  return name;
}

bool is_report(const nlohmann::json& json) {
  return json.is_object() && json.contains("mean") && json["mean"].is_object();
}

nlohmann::json parsed(const std::string& text, const fs::path& file) {
  auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_object() && json.contains("overlap") && is_report(json["overlap"])) {  // the result of a weft program
    const auto library = json.contains("mpi") ? json["mpi"] : nlohmann::json();
    json = nlohmann::json(json["overlap"]);
    json["library"] = library;
  }
  if (!is_report(json))
    throw InputError(fmt::format("{} is not a report of weft run or of a program of weft. Give the .json file of one.",
                                 file.string()));
  return json;
}

[[noreturn]] void refuse(const fs::path& file) {
  throw InputError(fmt::format("{} was not written by weft run (and is not replaced). Give another name with --out.",
                               file.string()));
}

void check_page_ours(const fs::path& file) {
  std::error_code none;
  if (fs::exists(file, none) && read_whole(file, "").find("<title>weft run: ") == std::string::npos) refuse(file);
}

// Other programs' files must not be replaced, for example a user's results.txt, since the library writes PREFIX.txt.
void check_ours(const std::string& prefix) {
  std::error_code none;
  const fs::path json = prefix + ".json", text = prefix + ".txt";
  if (fs::exists(json, none) && !is_report(nlohmann::json::parse(read_whole(json, ""), nullptr, false))) refuse(json);
  if (fs::exists(text, none) && !read_whole(text, "").starts_with("weft advise:")) refuse(text);
  check_page_ours(prefix + ".html");
}

// The files PREFIX + middle + any text + ending.
std::vector<fs::path> beginning_with(const std::string& prefix, const std::string& middle, const std::string& ending) {
  std::vector<fs::path> files;
  std::error_code none;
  const fs::path at(prefix);
  for (const auto& entry : fs::directory_iterator(at.parent_path(), none)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(at.filename().string() + middle) && name.ends_with(ending)) files.push_back(entry.path());
  }
  return files;
}

}  // namespace

ReportFiles ReportFiles::for_run(const std::string& out) {
  std::error_code none;
  const auto here = fs::current_path(none);
  if (!out.empty()) {
    const auto prefix = (here / out).lexically_normal();
    if (!prefix.is_absolute())
      throw InputError(
          fmt::format("--out is {}, but the working directory no longer exists. Give an absolute path.", out));
    if (!prefix.has_filename() || fs::is_directory(prefix, none))
      throw InputError(
          fmt::format("--out is the folder {} (the start of the file names is missing). Give, for example, {}.", out,
                      (fs::path(out) / default_name).string()));
    check(prefix.string());
    check_ours(prefix.string());
    return ReportFiles(prefix.string());
  }
  const auto prefix = (here / default_name).string();
  try {
    check(prefix);
  } catch (const InputError&) {
    const auto folder = temporary_folder();
    say(fmt::format("The working directory can't be written. The report will be in {}.", folder));
    return ReportFiles((fs::path(folder) / default_name).string());
  }
  check_ours(prefix);
  return ReportFiles(prefix);
}

ReportFiles ReportFiles::of_report(const std::string& out) {
  std::error_code none;
  auto prefix = (fs::current_path(none) / out).lexically_normal();
  if (prefix.extension() == ".json") prefix.replace_extension();
  return ReportFiles(prefix.string());
}

std::vector<ReportFiles> ReportFiles::further() const {
  std::vector<ReportFiles> all;
  for (const int number : advise::claimed_numbers(prefix_))
    if (number > 1) all.push_back(ReportFiles(advise::numbered(prefix_, number)));
  return all;
}

void ReportFiles::check_page() const { check_page_ours(file(".html")); }

void ReportFiles::remove_claims() const { advise::remove_claims(prefix_); }

void ReportFiles::clear() const {
  std::error_code none;
  // The reports of further programs of an earlier command; not those of a command with such a name.
  for (const auto& path : beginning_with(prefix_, "-", ".json")) {
    const auto json = nlohmann::json::parse(read_whole(path, ""), nullptr, false);
    const int number =
        is_report(json) && json.contains("number") && json["number"].is_number() ? json["number"].get<int>() : 1;
    const ReportFiles further(advise::numbered(prefix_, number));
    if (number > 1 && further.file(".json") == path) further.clear_for_next();
  }
  for (const auto& path : beginning_with(prefix_, ".run-", ".trace.json")) fs::remove(path, none);
  clear_for_next();
}

void ReportFiles::clear_for_next() const {
  std::error_code none;
  for (const auto* ending : {".json", ".html", ".txt", ".trace.json"}) fs::remove(file(ending), none);
  for (const auto& path : beginning_with(prefix_, ".rank-", ".live")) fs::remove(path, none);
  for (const auto& one : further()) one.clear_for_next();
  remove_claims();
}

std::optional<nlohmann::json> ReportFiles::report(bool own) const {
  std::error_code none;
  const auto json = file(".json");
  if (own) fs::remove(file(".txt"), none);
  if (fs::exists(json, none)) return read_report(json);
  const auto left = advise::recovered_json(prefix_, own, false);
  if (!left) return {};
  if (own) {  // the live files are removed after the report is written
    write(".json", *left);
    advise::recovered_json(prefix_, own, true);
  }
  return parsed(*left, json);
}

void ReportFiles::write(const std::string& ending, const std::string& text) const {
  WholeFile whole(file(ending));
  whole.stream() << text;
  whole.finish();
}

nlohmann::json read_report(const fs::path& file) {
  return parsed(read_text(file, "Give the .json file of a report."), file);
}

}  // namespace weft::run
