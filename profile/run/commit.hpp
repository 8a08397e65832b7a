// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

namespace weft::run {

/// The commit that a run is of.
struct Commit {
  std::string hash, branch;        ///< empty: unknown
  std::optional<bool> dirty = {};  ///< there were changes that were not committed; nothing: unknown
};

/// Asks git in the working directory, and the variables of GitHub and GitLab for what git does not know: their
/// checkouts have no branch, and a container may be without git.
Commit commit_here();

}  // namespace weft::run
