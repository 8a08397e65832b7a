// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "view/server.hpp"

namespace weft::flow {

struct SetUpOptions {
  std::filesystem::path surface;  ///< its file: STL, VTP, PLY, OBJ
  std::filesystem::path folder;   ///< where cases are saved
  int ranks = 1;                  ///< ranks of the run
};

/// The page in which the user makes a case of a vessel: `weft flow --set-up`. On rank 0.
///
/// The page sends the choices. It receives the resulting case and the check's result, first from the case alone, then
/// with the voxelised vessel. The page saves a case file, and starts a run of that file; there is no other state.
///
/// The server's thread only stores requests; wait() handles them in the calling thread.
class SetUp {
 public:
  /// Shows the page on the server from now on. The page reports a surface that can't be read.
  SetUp(view::Server& server, SetUpOptions options);
  ~SetUp();
  SetUp(const SetUp&) = delete;
  SetUp& operator=(const SetUp&) = delete;

  /// Handles requests until the page starts a run of a saved case. Returns the case's file; empty: the page ended the
  /// set-up.
  std::filesystem::path wait();
  /// Reports why the case could not be run, and shows the page again.
  void tell(const std::string& why);

 private:
  struct All;
  std::unique_ptr<All> all_;
};

}  // namespace weft::flow
