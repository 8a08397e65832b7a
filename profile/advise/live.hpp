// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "advise/call_sites.hpp"
#include "advise/in_call.hpp"
#include "advise/record.hpp"
#include "advise/rows.hpp"
#include "advise/ticks.hpp"
#include "advise/whereabouts.hpp"

namespace weft::advise {

/// The sums that one rank has recorded so far, in a memory-mapped file, PREFIX.rank-R.live. It survives any end of the
/// process and needs no system call while the program runs. It is removed once there is a report.
class LiveFile {
 public:
  /// The sums of all call sites: in the file, or only in memory if the file can't be created.
  LiveFile(const std::string& prefix, int rank, int ranks, bool wanted);
  ~LiveFile();
  LiveFile(const LiveFile&) = delete;
  LiveFile& operator=(const LiveFile&) = delete;

  Site* sites();
  void add_site(std::size_t number, const Site& site, const CallSite& place);
  /// Where the threads are. Their places must be described by add_place.
  ThreadNow* threads();
  bool is_new_place(std::uint64_t address) const { return known(address) == nullptr; }
  void add_place(const char* call, std::uint64_t address, std::uint64_t caller);
  /// The program has ended its last MPI session.
  void set_finished(bool finished);
  /// The program has reached MPI_Finalize, but the report was not complete within so many seconds.
  void set_late(std::size_t seconds);
  void set_library(const std::string& name);
  /// Two moments give the duration of a tick.
  void set_clock(const TickScale::Moment& start, const TickScale::Moment& now);
  /// Removes the file; call it when the report is complete.
  void remove();
  const std::string& path() const { return path_; }

  struct Content;  ///< of the file
  static constexpr std::size_t most_places = 1024;

 private:
  const std::uint64_t* known(std::uint64_t address) const;

  std::string path_;
  Content* content_;
  bool mapped_ = false;
  int lock_ = -1;  // the file, which is locked while this process runs
  std::mutex adding_;
  std::uint64_t inode_ = 0;  // to detect that another program has replaced this file
};

/// The records of ranks that ended without a report.
struct Recovered {
  int ranks = 0;                 ///< of the program
  std::vector<int> found;        ///< ranks whose files exist
  std::vector<Whereabouts> now;  ///< of these ranks
  std::string library, program;
  double late_after = 0;                ///< LiveFile::set_late; 0: no report was late
  double seconds = 0, mpi_seconds = 0;  ///< to the last call; mean over the ranks found
  Rows rows;
  std::vector<std::string> files;
};

/// Reads PREFIX.rank-*.live; nothing if there is no readable file. If `over`, all ranks have ended.
std::optional<Recovered> recover(const std::string& prefix, bool over);

/// A report made from these files, as JSON; nothing if there are none. Removes the files if `remove`.
std::optional<std::string> recovered_json(const std::string& prefix, bool over, bool remove);

}  // namespace weft::advise
