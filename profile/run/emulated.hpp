// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "run/launcher.hpp"

namespace weft::run {

/// --emulate LATENCY,RATE[,RANKS_PER_NODE]
struct Network {
  std::string latency, rate;
  int ranks_per_node = 1;
};

/// Throws an InputError if the text does not have the form. weft-testbed checks latency and rate.
Network network_from(const std::string& text);

/// Nodes with an emulated network between them, made by weft-testbed. They end with this object, or with this process.
class Emulated {
 public:
  /// Starts as many nodes as the command's ranks need. Throws an InputError if it can't.
  Emulated(const Network& network, const Words& command, const Launcher& launcher);
  ~Emulated();
  Emulated(const Emulated&) = delete;
  Emulated& operator=(const Emulated&) = delete;

  /// The command that runs this one on the nodes. `command` may have got words behind the launcher's.
  Words on_nodes(Words command, const Launcher& launcher) const;
  /// Call it after each run: its report says that the network was emulated, and how late it was.
  void add_to(nlohmann::json& report) const;

 private:
  std::string ask(const Words& words, double seconds) const;

  std::string program_, name_;
  int ranks_, ranks_per_node_, nodes_;
};

}  // namespace weft::run
