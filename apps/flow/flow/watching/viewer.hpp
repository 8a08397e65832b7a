// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "flow/run/simulation.hpp"
#include "view/server.hpp"

namespace weft::flow {

/// Shows a run to web browsers and hands the run what they ask for: `weft flow --view`. On rank 0; it outlives the run.
class Viewer {
 public:
  /// Shows the run on this server from here on. The case and the vessel are borrowed.
  Viewer(std::shared_ptr<view::Server> server, const Case& c, const Vessel& vessel, int ranks);
  ~Viewer();

  const std::string& url() const;
  /// Fills in what rank 0 needs; what all ranks need is `live`, for steering and for the onlooker.
  void join(RunOptions& options);
  /// The run is over.
  void end();

 private:
  struct All;
  std::unique_ptr<All> all_;
};

}  // namespace weft::flow
