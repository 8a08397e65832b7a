// SPDX-License-Identifier: BSD-3-Clause
//
// The arguments of the stages and the lines that they print, the same for all.
#pragma once

#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <string_view>

struct Settings {
  std::size_t n = 512;  ///< cells along and around the tube
  int steps = 300;
  std::string progress = "polling";
  std::string grouping = "together";  ///< or "alone": each module communicates and waits by itself
  std::string trace{};                ///< a file; empty: no trace
};

/// Reads [N [STEPS [PROGRESS [together|alone [TRACE]]]]]. Prints on rank 0 what is wrong, and returns false.
inline bool read(int argc, char** argv, int rank, int ranks, Settings& settings) {
  const auto number = [&](int i, auto& value) {
    const std::string_view word = argc > i ? argv[i] : "";
    return argc <= i || std::from_chars(word.data(), word.data() + word.size(), value).ptr == word.data() + word.size();
  };
  const auto word = [&](int i, std::string& value) {
    if (argc > i) value = argv[i];
  };
  word(3, settings.progress);
  word(4, settings.grouping);
  word(5, settings.trace);
  const bool right = argc <= 6 && number(1, settings.n) && number(2, settings.steps) && settings.n >= 3 &&
                     settings.n >= static_cast<std::size_t>(ranks) && settings.n <= 32768 && settings.steps >= 1 &&
                     (settings.grouping == "together" || settings.grouping == "alone");
  if (!right && rank == 0)
    std::fprintf(stderr,
                 "error: usage: [N [STEPS [PROGRESS [together|alone [TRACE]]]]], with N from 3 to 32768 and at "
                 "least one row per rank.\n");
  return right;
}

inline void print_change(int step, double largest) { std::printf("step %d: largest change %.9e\n", step, largest); }

inline void print_end(const char* name, std::uint64_t fingerprint) {
  std::printf("%s: %016" PRIx64 "\n", name, fingerprint);
}

inline void print_time(double seconds, const Settings& settings) {
  std::printf("%.3f ms per step\n", 1e3 * seconds / settings.steps);
}
