// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <string>
#include <vector>

#include "bench/tests/predict/made_up.hpp"
#include "predict/forecast.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace weft::fuzz {
namespace {

using namespace predict;

void use(const Problem& problem, const Network& network) {
  const Predictor predictor(problem, network);
  auto forecast = predictor.forecast({2, 24, 100'000'000}, "polling");
  for (const auto& run : problem.runs()) forecast.checks.push_back(predictor.check(run));
  for (const auto& row : forecast.rows) {
    for (const auto& s : row.seconds) {
      expect_finite({s.value, s.low, s.high}, "a time");
      expect(s.low >= 0 && s.low <= s.value && s.value <= s.high, "a range without its value");
    }
  }
  expect(forecast.text().find("nan") == std::string::npos, "no number in the table");
  const auto json = forecast.json();
  std::size_t nulls = 0;  // values that are not numbers; the end of scaling is one if there is none
  for (auto at = json.find("null"); at != std::string::npos; at = json.find("null", at + 1)) ++nulls;
  expect(nulls == (forecast.ends_at ? 0 : 1), "no number in the file");
}

}  // namespace

void prediction(Bytes bytes) {
  if (bytes.empty()) return;
  const auto file = as_file(text_of(bytes.subspan(1)), "told.json");
  is_read(file, [&] {
    if (bytes[0] == 'n')
      use(Problem({{"made up", predict::testing::made_up_run()}}), read_network(file, 0));
    else
      use(Problem(read_runs(file)), predict::testing::made_up_network());
  });
}

}  // namespace weft::fuzz
