// SPDX-License-Identifier: BSD-3-Clause
//
// The arguments of the stages and the lines that they print, the same for all.
#pragma once

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <string_view>

struct Settings {
  std::size_t rows = 512, columns = 512;  ///< cells around and along the tube
  int steps = 300;
  std::string progress = "polling";
  std::string clients = "aggregated";  ///< or "separate": each module communicates and waits by itself
  std::string trace{};                 ///< a file; empty: no trace
};

/// Reads [N or ROWSxCOLUMNS [STEPS [PROGRESS [aggregated|separate [TRACE]]]]]; N is NxN. If they are wrong, prints the
/// usage on rank 0 and returns false.
inline bool read(int argc, char** argv, int rank, int ranks, Settings& settings) {
  const auto number = [](std::string_view word, auto& value) {
    return std::from_chars(word.data(), word.data() + word.size(), value).ptr == word.data() + word.size();
  };
  const std::string_view size = argc > 1 ? argv[1] : "512";
  const auto by = std::min(size.find('x'), size.size());
  const auto columns = by < size.size() ? size.substr(by + 1) : size;
  const auto word = [&](int i, std::string& value) {
    if (argc > i) value = argv[i];
  };
  word(3, settings.progress);
  word(4, settings.clients);
  word(5, settings.trace);
  const bool right = argc <= 6 && number(size.substr(0, by), settings.rows) && number(columns, settings.columns) &&
                     (argc <= 2 || number(argv[2], settings.steps)) && settings.rows >= 3 && settings.columns >= 3 &&
                     settings.rows >= static_cast<std::size_t>(ranks) && settings.rows <= 1 << 20 &&
                     settings.columns <= 1 << 20 && settings.rows * settings.columns <= 1 << 30 &&
                     settings.steps >= 1 && (settings.clients == "aggregated" || settings.clients == "separate");
  if (!right && rank == 0)
    std::fprintf(stderr,
                 "error: usage: [N or ROWSxCOLUMNS [STEPS [PROGRESS [aggregated|separate [TRACE]]]]], with at least 3 "
                 "rows and columns, one row per rank, and at most 2^30 cells.\n");
  return right;
}

inline void print_change(int step, double largest) { std::printf("step %d: largest change %.9e\n", step, largest); }

inline void print_end(const char* name, std::uint64_t fingerprint) {
  std::printf("%s: %016" PRIx64 "\n", name, fingerprint);
}

inline void print_time(double seconds, const Settings& settings) {
  std::printf("%.3f ms per step\n", 1e3 * seconds / settings.steps);
}
