// SPDX-License-Identifier: BSD-3-Clause
//
// The program that tools/testbed calls: weft_testbed COMMAND NAME ARGUMENT...
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "testbed/base.hpp"
#include "testbed/commands.hpp"
#include "testbed/control.hpp"

namespace weft::testbed {
namespace {

int run(const Arguments& all) {
  if (all.empty()) refuse("A command is missing. See tools/testbed help.");
  const auto& command = all[0];
  const auto rest = [&](std::size_t from) {
    return Arguments(all.begin() + static_cast<std::ptrdiff_t>(from), all.end());
  };
  if (command == "rank") return rank(rest(1));
  if (command[0] == '-' || (command.rfind("node", 0) == 0 && command != "nodes")) return agent(all);
  if (all.size() < 2) refuse("The name of the testbed is missing. Run tools/testbed instead of this program.");
  const auto& name = all[1];
  if (command == "up") return up(name, rest(2));
  if (command == "down") return down(name);
  if (command == "status") return status(name);
  if (command == "set") return set(name, rest(2));
  if (command == "fault") return fault(name, rest(2));
  if (command == "check") return check(name);
  if (command == "nodes") return std::printf("%d\n", find(name).nodes) < 0;
  if (command == "stats" || command == "reset") return std::fputs(ask(name, command).c_str(), stdout) < 0;
  const bool once = command == "once";
  if ((once || command == "exec") && all.size() >= 4) return execute(name, all[2], rest(3), once);
  refuse("'" + command + "' is not a command. See tools/testbed help.");
}

}  // namespace
}  // namespace weft::testbed

int main(int argc, char** argv) {
  try {
    return weft::testbed::run({argv + 1, argv + argc});
  } catch (const weft::testbed::Failure& e) {
    std::fprintf(stderr, "testbed: %s\n", e.what());
    return e.status;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "testbed: %s\n", e.what());
    return 1;
  }
}
