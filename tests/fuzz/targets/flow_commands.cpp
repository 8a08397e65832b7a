// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "flow/steering/command_json.hpp"
#include "flow/steering/command_log.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "weft/error.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::fuzz {

namespace {

using flow::Command;

flow::Limits some_limits() {
  flow::Limits limits;
  limits.openings = {{.name = "in", .kind = lattice::OpeningState::Kind::velocity, .low = -0.5, .high = 0.5},
                     {.name = "out-1", .kind = lattice::OpeningState::Kind::pressure, .low = -120, .high = 120}};
  limits.lowest_viscosity = 1e-3;
  limits.highest_viscosity = 1e-2;
  limits.shortest_ramp = 0.01;
  limits.default_ramp = 0.04;
  limits.longest_ramp = 1000;
  return limits;
}

// As a page sends them, one per line.
void parse_each_line(std::string_view text, const flow::Limits& limits) {
  constexpr std::size_t longest_refusal = 400;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    at = end + 1;
    try {
      const auto command = flow::parse_command(line, limits);
      const auto again = flow::to_json(command, limits);
      expect(flow::to_json(flow::parse_command(again, limits), limits) == again,
             "a command that is another when written");
    } catch (const InputError& e) {
      expect(std::string_view(e.what()).size() < longest_refusal, std::string("a long refusal: ") + e.what());
    }
  }
}

std::vector<std::string> texts_of(const std::vector<flow::TimedCommand>& commands, const flow::Limits& limits) {
  std::vector<std::string> texts;
  for (const auto& timed : commands)
    if (timed.command.kind != Command::Kind::stop) texts.push_back(flow::to_json(timed, limits));
  return texts;
}

}  // namespace

void flow_commands(Bytes bytes) {
  static const auto limits = some_limits();
  parse_each_line(text_of(bytes), limits);
  const auto file = as_file(text_of(bytes), "steering.jsonl");
  constexpr std::int64_t sites = 7, after_all = std::numeric_limits<std::int64_t>::max();
  is_read(file, [&] {
    run_in_process(1, [&](Transport& transport) {
      const auto commands = flow::read_command_log(transport, file, sites, limits);
      std::int64_t earlier = 0;
      for (const auto& timed : commands) {
        expect(timed.step >= earlier, "steps that go back");
        earlier = timed.step;
      }
      { const flow::CommandLog kept(file, "a title", sites, limits, after_all); }
      expect(texts_of(flow::read_command_log(transport, file, sites, limits), limits) == texts_of(commands, limits),
             "a log that says something else when it is gone on with");
    });
  });
}

}  // namespace weft::fuzz
