// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pack/pack.hpp"
#include "weft/step/overlap_report.hpp"
#include "weft/transport/transport.hpp"

namespace weft::pack {

/// The outcome of `weft pack` or `weft unpack`.
struct Ended {
  std::string command;
  std::vector<std::string> files;  ///< files that were read
  std::string out;
  std::string codec;  ///< its name; empty: the archive's own
  Packed packed;
};

/// Writes it as JSON, completely or not at all. One rank. Throws InputError if it can't be written.
void write_result_json(const std::filesystem::path& file, const Ended& ended, const OverlapReport& overlap,
                       const Transport& transport, const std::vector<std::filesystem::path>& files);

}  // namespace weft::pack
