// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "flow/run/simulation.hpp"
#include "view/server.hpp"

namespace weft::flow {

/// Shows a run in web browsers and passes their commands to the run: `weft flow --view`. On rank 0; it must outlive the
/// run.
class Viewer {
 public:
  /// Shows the run on this server from now on. The case and the vessel are borrowed.
  Viewer(std::shared_ptr<view::Server> server, const Case& c, const Vessel& vessel, int ranks);
  ~Viewer();

  const std::string& url() const;
  /// Sets the options of rank 0. All ranks need `live`, for steering and for the onlooker.
  void join(RunOptions& options);
  /// Reports the end of the run.
  void end();

 private:
  struct All;
  std::unique_ptr<All> all_;
};

}  // namespace weft::flow
