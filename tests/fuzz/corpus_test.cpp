// SPDX-License-Identifier: BSD-3-Clause
//
// Runs all inputs that fuzzing has found, in every `make test`.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/fuzz/fuzz.hpp"
#include "tests/support/scratch.hpp"

namespace weft::fuzz {
namespace {

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, is_read_or_refused) {
  const auto& target = GetParam();
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(WEFT_CORPUS) / target.name))
    files.push_back(entry.path());
  EXPECT_FALSE(files.empty());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    const auto text = weft::test::content(file);
    EXPECT_NO_THROW(target.run({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
  }
}

TEST_P(Corpus, an_empty_file) { EXPECT_NO_THROW(GetParam().run({})); }

INSTANTIATE_TEST_SUITE_P(fuzz, Corpus, testing::ValuesIn(targets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace weft::fuzz
