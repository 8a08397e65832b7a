// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace weft::run {

/// Less hidden by so much is no change: runs of one program differ by that, where nothing else runs.
inline constexpr double tolerance = 0.05;

/// What is asked of a run, for a test.
struct Gate {
  std::optional<double> fail_below;       ///< hidden fraction
  std::optional<nlohmann::json> against;  ///< the report of an earlier run
  bool asks() const { return fail_below.has_value() || against.has_value(); }
};

struct Judgement {
  int status = 0;  ///< 0; 3: less is hidden than was asked; 4: nothing can be said
  std::string sentence;
};

/// What share of what its messages needed a run has hidden, 0 to 1; nothing where nothing was on its way.
std::optional<double> hidden_fraction(const nlohmann::json& report);

/// Why a report says nothing of overlap that one can rely on; empty if it does.
std::string why_nothing_said(const nlohmann::json& report);

Judgement judge(const Gate& gate, const nlohmann::json& report);

}  // namespace weft::run
