// SPDX-License-Identifier: BSD-3-Clause
#include "flow/check/check_json.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "flow/check/lumen_check.hpp"
#include "flow/scaling/resolution_json.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::flow {

void write_check_json(const std::filesystem::path& file, const Case& c, const Scaling& scaling,
                      const CheckNumbers& numbers) {
  using nlohmann::json;
  json document = {{"case", c.file.string()},       {"title", c.title},          {"ranks", numbers.ranks},
                   {"voxel_m", scaling.dx},         {"time_step_s", scaling.dt}, {"tau", scaling.tau()},
                   {"steps", steps_of(c, scaling)}, {"problems", json::array()}};
  auto findings = find_problems(c, scaling, numbers.known);
  std::ranges::move(find_lumen_problems(c, numbers.lumens), std::back_inserter(findings));
  for (const auto& finding : findings)
    document["problems"].push_back({{"refused", finding.refused}, {"text", finding.text}});
  document["resolution"] = resolution_json(c, scaling.dx);
  if (numbers.sites > 0) document["sites"] = numbers.sites;
  if (const auto time = expected_run_time(c, scaling, numbers); time.high > 0)
    document["run_time"] = {{"low_s", time.low},           {"high_s", time.high},
                            {"usual_s", time.usual},       {"measured", numbers.is_measured},
                            {"load_a_core", numbers.load}, {"core_share", numbers.step.core_share()}};
  WholeFile out(file);
  out.stream() << document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  out.finish();
}

}  // namespace weft::flow
