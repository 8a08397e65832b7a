// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace weft::run {

/// The commit that a run is of.
struct Commit {
  std::string hash, branch;  ///< empty: unknown
  bool dirty = false;        ///< there were changes that were not committed
};

/// Asks git in the working directory, and the variables of GitHub and GitLab for what git does not know: their
/// checkouts have no branch, and a container may be without git.
Commit commit_here();

}  // namespace weft::run
