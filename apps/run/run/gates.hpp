// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weft::run {

/// How much smaller than before the overlap fraction may be until --against fails. Between runs of one program on one
/// machine it differs by some hundredths, whatever the program does.
constexpr double allowed_loss = 0.05;

/// What a test asks for.
struct Gates {
  std::optional<double> least;           ///< --fail-below
  std::optional<nlohmann::json> before;  ///< --against
  bool any() const { return least || before; }
};

/// What is said of them, a line each, and the exit status: 0, 3 (too little overlap), 4 (not known).
struct Judgement {
  int status = 0;
  std::vector<std::string> lines;
};
Judgement judge(const Gates& gates, const nlohmann::json& run);

/// Whether the program was killed, crashed or left without MPI_Finalize.
bool has_ended_early(const nlohmann::json& run);

/// Why a report does not give an overlap fraction that can be compared; empty if it does.
std::string unfit(const nlohmann::json& run);

/// The overlap fraction, 0 to 1.
double overlap_of(const nlohmann::json& run);

/// A share as a person writes it: 60%, 0.6. Nothing if it is none.
std::optional<double> share(const std::string& text);

}  // namespace weft::run
