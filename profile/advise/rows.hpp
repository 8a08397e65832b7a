// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "advise/call_sites.hpp"
#include "advise/table.hpp"

namespace weft::advise {

/// The call sites of several ranks, merged by instruction and MPI function. And their regions: without a place, their
/// name as the call, the time in them as its seconds.
class Rows {
 public:
  struct Entry {
    CallSite place;
    std::string call;
    Row sums;                                                                              ///< without names
    std::map<std::pair<std::string, std::uint64_t>, std::pair<CallSite, double>> callers;  ///< by module and offset
    void add_caller(const CallSite& place, double seconds);
  };
  /// Adds a call site of another rank.
  void add(const Entry& entry);
  void add(const Rows& others);
  std::size_t size() const { return entries_.size(); }

  /// Serialised, to send it to another rank.
  std::string packed() const;
  static Rows unpacked(std::string_view text);

  /// Removes the regions and returns them, by name.
  std::vector<Row> take_regions();
  /// With names (by addr2line if `naming.ask`); calls of one line are merged into one row.
  std::vector<Row> named(const Naming& naming) const;

 private:
  std::map<std::tuple<std::string, std::uint64_t, std::string>, Entry> entries_;
};

}  // namespace weft::advise
