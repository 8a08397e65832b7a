// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "run/report/reading.hpp"

namespace weft::run {

/// The parts of a call site's name: "jacobi.c:94 main", "libx.so+0x12 f", "f libx.so+0x12".
struct CallSiteName {
  std::string function;  ///< may be empty
  std::string file;      ///< "jacobi.c", or empty
  int line = 0;
  std::string address;   ///< "libx.so+0x12", if there is no line
  bool guessed = false;  ///< the function is the text before +0x, perhaps the program's name
};
CallSiteName parsed(const std::string& place);

/// The printed form: "main (jacobi.c:94)".
std::string shown(const std::string& place);

/// A place in the code that the user can change: all MPI calls of one function, or its calls through a wrapper of MPI.
struct Hotspot {
  struct Line {
    std::string text;  ///< "MPI_Waitall at jacobi.c:94"
    std::string call;
    int line = 0;
    double seconds = 0, calls = 0, late_seconds = 0;
  };
  std::string function, file;
  std::vector<int> lines;
  std::vector<std::string> addresses;
  std::vector<std::string> wrappers;                    ///< the functions between this place and MPI
  std::vector<std::pair<std::string, double>> callers;  ///< callers of the function, and their shares of the time
  std::vector<Line> parts;                              ///< the costliest first
  double calls = 0, seconds = 0, exposed_seconds = 0,
         late_seconds = 0;  ///< per step (or run), mean over ranks
  double collective_seconds = 0;
  struct Data {
    double messages = 0, bytes = 0;
  };
  Data sent, received, collective;  ///< per step, mean over ranks

  std::string name() const;   ///< "main (jacobi.c:94, 105)"
  std::string where() const;  ///< "jacobi.c:94, 105"
  std::string short_name() const;
  std::string waits_for(std::size_t most) const;  ///< the `most` largest parts, as text
  bool has_a_name() const { return !function.empty() || !lines.empty(); }
};

/// All places, the costliest first; per run if steps are not known. `of_site` maps a site to its place (the one with
/// the largest share if it has several callers).
struct Hotspots {
  std::vector<Hotspot> all;
  std::map<std::size_t, std::size_t> of_site;
};
Hotspots hotspots_of(const Reading& reading, bool has_steps);

/// "4 messages of 2 KiB sent, 1 collective of 8 bytes"; empty if there are none in the steps.
std::string messages_of(const Hotspot& place);

bool is_collective(const Reading::Site& site);
bool is_wait(const Reading::Site& site);

}  // namespace weft::run
