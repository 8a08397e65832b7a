// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "program/run_frame.hpp"

namespace weft::program {

/// The frame of a run of a case: reads the case file and writes the series `series` to the case's output directory. A
/// case has a `file`, a `title`, and an `output` with `directory` and `pictures`.
template <class Case>
std::unique_ptr<RunFrame> make_case_frame(Transport& world, const Case& c, const RunSettings& settings,
                                          const std::vector<std::string>& series) {
  auto frame = std::make_unique<RunFrame>(
      world, settings, RunPlace{.directory = c.output.directory, .title = c.title, .pictures = c.output.pictures});
  frame->reads(c.file);
  frame->writes_series(series);
  return frame;
}

}  // namespace weft::program
