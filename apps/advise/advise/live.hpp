// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise/places.hpp"
#include "advise/record.hpp"
#include "advise/rows.hpp"
#include "advise/ticks.hpp"

namespace weft::advise {

/// What one rank has recorded so far, in a file that is mapped into its memory: it is there whatever ends the process,
/// and takes no call of the system while the program runs. PREFIX.rank-R.live; removed once there is a report.
class LiveFile {
 public:
  /// Where the sums of all places are kept: in the file, or in memory alone if there can't be one.
  LiveFile(const std::string& prefix, int rank, int ranks, bool wanted);
  ~LiveFile();
  LiveFile(const LiveFile&) = delete;
  LiveFile& operator=(const LiveFile&) = delete;

  Site* sites();
  void add_site(std::size_t number, const Site& site, const Place& place);
  void set_library(const std::string& name);
  /// Two of these tell what a tick is.
  void set_clock(const TickScale::Moment& start, const TickScale::Moment& now);
  /// There is a report that has it all.
  void remove();
  const std::string& path() const { return path_; }

  struct Content;  ///< of the file

 private:
  std::string path_;
  Content* content_;
  bool mapped_ = false;
  std::uint64_t inode_ = 0;  // another program may have put its own file in the place of ours
};

/// What the ranks left that gave no report.
struct Recovered {
  int ranks = 0;           ///< of the program
  std::vector<int> found;  ///< whose files are there
  std::string library;
  double seconds = 0, mpi_seconds = 0;  ///< to the last call; mean over the ranks found
  Rows rows;
  std::vector<std::string> files;
};

/// Of PREFIX.rank-*.live; nothing if there is none, or none that can be read.
std::optional<Recovered> recover(const std::string& prefix);

/// The report that can be made of that, as JSON; nothing if there is nothing. Removes the files if `remove`.
std::optional<std::string> recovered_json(const std::string& prefix, bool remove);

}  // namespace weft::advise
