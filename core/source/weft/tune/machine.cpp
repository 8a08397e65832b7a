// SPDX-License-Identifier: BSD-3-Clause
#include "weft/tune/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  utsname system{};
  return uname(&system) == 0 ? system.machine : "unknown";  // not all processors have a model name
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

std::string Machine::text() const {
  const auto count = [](int n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); };
  return (nodes > 1 ? count(nodes, "node") + " of " : std::string()) + count(cores, "core") + ", " + processor;
}

Machine machine_of(Transport& transport) {
  const auto hosts = all_gather(transport, host_name());
  return {.processor = broadcast(transport, processor_name()),
          .cores = broadcast(transport, std::vector<int>{static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))}).front(),
          .nodes = static_cast<int>(std::set<std::string>(hosts.begin(), hosts.end()).size())};
}

}  // namespace weft
