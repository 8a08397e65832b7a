// SPDX-License-Identifier: BSD-3-Clause
#include "flow/steering/command_log.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "flow/steering/command_json.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/file/read_text.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

using nlohmann::json;
using CommandKind = Command::Kind;

namespace {

// Whether a line is the header, which only a log of a run has. Throws if it is of another run.
bool is_header(const std::string& line, std::int64_t sites) {
  const auto first = json::parse(line, nullptr, false);
  if (!first.is_object() || !first.contains("steering")) return false;
  const auto its = first.find("sites");
  if (its != first.end() && *its == sites) return true;
  const bool is_number = its != first.end() && its->is_number_integer();
  throw InputError(
      fmt::format("The log was written by a run of {} sites (this one has {}). Use its case, or remove this line to "
                  "replay it anyway.",
                  is_number ? its->dump() : "an unknown number of", sites));
}

TimedCommand timed_command(const std::string& line, std::int64_t earlier, const Limits& limits) {
  const auto timed = parse_timed_command(line, limits);
  const auto kind = timed.command.kind;
  if (kind == CommandKind::pause || kind == CommandKind::resume || kind == CommandKind::step)
    throw InputError(
        fmt::format("\"{}\" can't be replayed (nothing would resume the run). Remove the line.", name_of(kind)));
  if (timed.step < earlier)
    throw InputError(fmt::format("Step {} comes after step {}. Sort the lines by their steps.", timed.step, earlier));
  return timed;
}

std::vector<TimedCommand> read(const std::filesystem::path& file, std::int64_t sites, Limits limits) {
  limits.checkpoints = true;  // a log with checkpoint commands is also valid for a run that writes none
  std::istringstream in(read_text(file, "Give a file like a run's steering.jsonl."));
  std::vector<TimedCommand> commands;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      if (number == 1 && is_header(line, sites)) continue;
      commands.push_back(timed_command(line, commands.empty() ? 0 : commands.back().step, limits));
    } catch (const InputError& e) {
      throw InputError(fmt::format("{}:{}: {}", file.string(), number, e.what()));
    }
  }
  return commands;
}

}  // namespace

CommandLog::CommandLog(std::filesystem::path file, const std::string& title, std::int64_t sites, const Limits& limits,
                       std::int64_t from_step)
    : file_(std::move(file)), limits_(limits) {
  std::error_code error;
  if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path(), error);
  std::vector<TimedCommand> earlier;
  if (from_step > 0 && std::filesystem::exists(file_, error)) earlier = read(file_, sites, limits);
  WholeFile whole(file_);                               // if the process is killed meanwhile, the old file remains
  const auto replace = json::error_handler_t::replace;  // a title may contain invalid UTF-8
  whole.stream() << nlohmann::ordered_json{{"steering", title}, {"sites", sites}}.dump(-1, ' ', false, replace) << '\n';
  for (const auto& timed : earlier)
    if (timed.step < from_step && timed.command.kind != CommandKind::stop)
      whole.stream() << to_json(timed, limits_) << '\n';
  whole.finish();
  out_.open(file_, std::ios::app);
}

void CommandLog::append(const TimedCommand& timed) { write(to_json(timed, limits_)); }

void CommandLog::write(const std::string& line) {
  out_ << line << '\n' << std::flush;
  if (!out_) throw cannot_write(file_, errno);
}

std::vector<TimedCommand> read_command_log(Transport& transport, const std::filesystem::path& file, std::int64_t sites,
                                           const Limits& limits) {
  std::vector<TimedCommand> commands;
  on_root(transport, [&] { commands = read(file, sites, limits); });
  return broadcast(transport, std::move(commands));
}

}  // namespace weft::flow
