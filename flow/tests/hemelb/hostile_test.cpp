// SPDX-License-Identifier: BSD-3-Clause
//
// Damaged files give an InputError that names the file, or are read. They never cause a crash or the use of much
// memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "hemelb/case.hpp"
#include "hemelb/gmy_domain.hpp"
#include "tests/support/geometry_domains.hpp"
#include "tests/support/gmy_writer.hpp"
#include "tests/support/scratch.hpp"

namespace weft::hemelb {
namespace {

#if defined(WEFT_SANITIZED)
constexpr int damages = 150;
#else
constexpr int damages = 600;
#endif

std::string damaged(std::string text, std::mt19937& random, std::size_t head) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const auto kind = below(4);
  if (kind == 0) return text.substr(0, below(text.size()));
  const auto bytes = 1 + below(4);
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto at = kind == 1 ? below(std::min(head, text.size())) : below(text.size());
    if (kind == 3) {
      text.erase(at, 1);
    } else {
      text[at] = static_cast<char>(below(256));
    }
  }
  return text;
}

void read(const std::filesystem::path& file) {
  run_in_process(1, [&](Transport& transport) {
    const auto gmy = read_gmy(file);
    const std::vector<geometry::Opening> ends{{geometry::Opening::Kind::inlet, "in", {}, {0, 0, 1}, 1},
                                              {geometry::Opening::Kind::outlet, "out", {}, {0, 0, -1}, 1}};
    geometry::SetupReport report;
    const auto domain = make_domain(transport, gmy, {0.001, {}}, ends, report);
    geometry::test::expect_consistent(transport, domain);
  });
}

TEST(Hostile, damaged_geometry_files) {
  const weft::test::Scratch scratch;
  std::mt19937 random(20);
  int refused = 0;
  for (const std::uint32_t version : {2U, 4U}) {
    test::Duct duct;
    duct.version = version;
    duct.blocks = {2, 1, 2};
    duct.low = {3, 1, 2};
    duct.high = {10, 7, 14};
    const auto good = duct.text();
    ASSERT_NO_THROW(read(scratch.write("fuzz.gmy", good)));
    for (int i = 0; i < damages; ++i) {
      const auto file = scratch.write("fuzz.gmy", damaged(good, random, 120));
      try {
        read(file);
      } catch (const InputError& e) {
        ++refused;
        EXPECT_NE(std::string(e.what()).find("fuzz.gmy"), std::string::npos) << e.what();
      }
    }
  }
  EXPECT_GT(refused, damages);
}

// The content of a block, which in a file zlib's checksum protects: inflated bytes are changed, then compressed again.
TEST(Hostile, damaged_blocks) {
  const weft::test::Scratch scratch;
  std::mt19937 random(21);
  test::Duct duct;
  duct.blocks = {1, 1, 1};
  duct.low = {2, 2, 2};
  duct.high = {5, 5, 6};
  const auto good = duct.text();
  constexpr std::size_t at = 32 + 12;
  std::vector<Bytef> block(1U << 20U);
  auto size = static_cast<uLongf>(block.size());
  ASSERT_EQ(uncompress(block.data(), &size, reinterpret_cast<const Bytef*>(good.data()) + at,
                       static_cast<uLong>(good.size() - at)),
            Z_OK);
  const std::string inflated(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(size));
  for (int i = 0; i < damages; ++i) {
    const auto bad = damaged(inflated, random, inflated.size());
    std::vector<Bytef> packed(compressBound(static_cast<uLong>(bad.size())));
    auto packed_size = static_cast<uLongf>(packed.size());
    compress(packed.data(), &packed_size, reinterpret_cast<const Bytef*>(bad.data()), static_cast<uLong>(bad.size()));
    auto text = good.substr(0, 32);
    for (const auto n :
         {static_cast<std::uint64_t>(duct.sites()), std::uint64_t{packed_size}, std::uint64_t{bad.size()}})
      test::put(text, n);
    text.append(reinterpret_cast<const char*>(packed.data()), packed_size);
    try {
      read(scratch.write("fuzz.gmy", text));
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("fuzz.gmy"), std::string::npos) << e.what();
    }
  }
}

// Their numbers have 16 bits.
TEST(Hostile, more_openings_than_can_be_numbered) {
  const weft::test::Scratch scratch;
  const auto gmy = read_gmy(scratch.write("fuzz.gmy", test::Duct{}.text()));
  const OpeningCounts many{.inlets = 32767, .outlets = 1};
  EXPECT_THROW(BlockReader(gmy, many), InputError);
}

TEST(Hostile, damaged_cases) {
  const weft::test::Scratch scratch;
  std::mt19937 random(22);
  const auto good = weft::test::content(std::filesystem::path(WEFT_SOURCE) / "flow/tests/hemelb/bifurcation.xml");
  ASSERT_FALSE(good.empty());
  for (int i = 0; i < damages; ++i) {
    const auto file = scratch.write("fuzz.xml", damaged(good, random, good.size()));
    try {
      read_case(file);
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("fuzz.xml"), std::string::npos) << e.what();
    }
  }
  EXPECT_THROW(read_case(scratch.write("deep.xml", std::string(100000, '<'))), InputError);
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_THROW(read_case(scratch.write("deep.xml", deep)), InputError);
}

}  // namespace
}  // namespace weft::hemelb
