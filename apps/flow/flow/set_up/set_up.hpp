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
  int ranks = 1;                  ///< that the run will have
};

/// The page in which a person makes a case of a vessel: `weft flow --set-up`. On rank 0.
///
/// The page sends what is chosen; it is told what that comes to as a case, what the check says of it, first from the
/// case alone, then with the vessel's sites. What it saves is a case file, and what it starts is that file: nothing
/// else knows of it.
///
/// The server's thread only takes notes; wait() does the work, in the thread that calls it. docs/set-up.md has the
/// protocol.
class SetUp {
 public:
  /// Shows the page on the server from here on. A surface that can't be read is told there.
  SetUp(view::Server& server, SetUpOptions options);
  ~SetUp();
  SetUp(const SetUp&) = delete;
  SetUp& operator=(const SetUp&) = delete;

  /// Answers until a case is to be run; it is saved, and the check does not refuse it. Its file; empty: the page was
  /// told to end.
  std::filesystem::path wait();
  /// It could not be run, for this reason: the page is shown again.
  void tell(const std::string& why);

 private:
  struct All;
  std::unique_ptr<All> all_;
};

}  // namespace weft::flow
