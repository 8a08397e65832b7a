// SPDX-License-Identifier: BSD-3-Clause
//
// HemeLB's geometry files, of all versions, and each rank's part of the lattice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hemelb/gmy.hpp"
#include "hemelb/gmy_domain.hpp"
#include "tests/support/geometry_domains.hpp"
#include "tests/support/gmy_writer.hpp"
#include "tests/support/scratch.hpp"

namespace weft::hemelb {
namespace {

using geometry::Cut, geometry::Opening, geometry::link_index;
using ::testing::AllOf, ::testing::HasSubstr;

std::vector<Opening> ends(std::size_t inlets = 1, std::size_t outlets = 1) {
  std::vector<Opening> result;
  for (std::size_t i = 0; i < inlets; ++i) result.push_back({Opening::Kind::inlet, "in", {11, 7.5, 1}, {0, 0, 1}, 1});
  for (std::size_t i = 0; i < outlets; ++i)
    result.push_back({Opening::Kind::outlet, "out", {11, 7.5, 29}, {0, 0, -1}, 1});
  return result;
}

struct Made {
  geometry::Domain domain;  // of rank 0
  geometry::SetupReport report;
  std::uint64_t fingerprint = 0;
};

Made make(const std::filesystem::path& file, const std::vector<Opening>& openings, int ranks) {
  Made made;
  run_in_process(ranks, [&](Transport& transport) {
    Gmy gmy;
    together(transport, [&] { gmy = read_gmy(file); });
    geometry::SetupReport report;
    const auto domain = make_domain(transport, gmy, {0.001, {0.1, 0.2, 0.3}}, openings, report);
    geometry::test::expect_consistent(transport, domain);
    const auto print = geometry::test::fingerprint(transport, domain);
    if (transport.rank() == 0) made = {domain, report, print};
  });
  return made;
}

std::string refusal(const std::filesystem::path& file, const std::vector<Opening>& openings, int ranks = 1) {
  std::vector<std::string> messages(static_cast<std::size_t>(ranks));
  run_in_process(ranks, [&](Transport& transport) {
    try {
      Gmy gmy;
      together(transport, [&] { gmy = read_gmy(file); });
      geometry::SetupReport report;
      make_domain(transport, gmy, {0.001, {}}, openings, report);
    } catch (const InputError& e) {
      EXPECT_TRUE(e.everywhere());
      messages[static_cast<std::size_t>(transport.rank())] = e.what();
    }
  });
  for (const auto& message : messages) {
    EXPECT_EQ(message, messages.front()) << "all ranks say the same";
  }
  return messages.front();
}

TEST(Gmy, every_site_and_cut_is_where_the_file_says) {
  const weft::test::Scratch scratch;
  const test::Duct duct;
  const auto made = make(scratch.write("duct.gmy", duct.text()), ends(), 1);
  EXPECT_EQ(made.report.sites, duct.sites());
  EXPECT_EQ(made.report.dropped_sites, 0);
  EXPECT_EQ(made.report.opening_sites, (std::vector<std::int64_t>{190, 190}));
  const auto& d = made.domain;
  EXPECT_EQ(d.grid.extent, (std::array<std::int32_t, 3>{24, 16, 32}));
  for (const auto& p : d.sites) EXPECT_TRUE(duct.fluid(p[0], p[1], p[2]));
  for (const auto& cut : d.cuts) {
    const auto step = geometry::link_offset(cut.link);
    const auto& p = d.sites[cut.site];
    const bool end = duct.fluid(p[0] + step[0], p[1] + step[1], p[2]);
    const auto opening = static_cast<std::int16_t>(!end ? Cut::wall : step[2] < 0 ? 0 : 1);
    EXPECT_EQ(cut.opening, opening);
    EXPECT_EQ(cut.distance, end ? 0.75F : 0.25F);
  }
}

TEST(Gmy, is_the_same_in_all_versions_and_on_any_number_of_ranks) {
  const weft::test::Scratch scratch;
  std::vector<std::uint64_t> prints;
  for (const std::uint32_t version : {2U, 3U, 4U}) {
    test::Duct duct;
    duct.version = version;
    const auto file = scratch.write("duct.gmy", duct.text());
    const auto gmy = read_gmy(file);
    EXPECT_EQ(gmy.voxel.has_value(), version < 4);
    if (version < 4) {
      EXPECT_EQ(*gmy.voxel, 0.001);
      EXPECT_EQ(*gmy.first_site, (geometry::Vector{0.1, 0.2, 0.3}));
    }
    for (const int ranks : {1, 2, 3, 5}) prints.push_back(make(file, ends(), ranks).fingerprint);
  }
  for (const auto print : prints) EXPECT_EQ(print, prints.front());
}

TEST(Gmy, blocks_of_another_width_are_read) {
  const weft::test::Scratch scratch;
  test::Duct eight, five;
  five.width = 5;
  five.blocks = {5, 3, 6};
  const auto by_eight = make(scratch.write("eight.gmy", eight.text()), ends(), 1);
  for (const int ranks : {1, 3}) {
    const auto by_five = make(scratch.write("five.gmy", five.text()), ends(), ranks);
    EXPECT_EQ(by_five.report.sites, by_eight.report.sites);
    EXPECT_EQ(by_five.report.opening_sites, by_eight.report.opening_sites);
  }
}

TEST(Gmy, openings_are_measured) {
  const weft::test::Scratch scratch;
  const auto measured = measure_openings(read_gmy(scratch.write("duct.gmy", test::Duct{}.text())), ends());
  EXPECT_EQ(measured.sites, test::Duct{}.sites());
  // A rectangle of 18 by 9 between its outermost sites; diagonal links reach no further.
  for (const auto radius : measured.radius) EXPECT_NEAR(radius, std::hypot(9, 4.5), 0.01);
}

TEST(Gmy, what_does_not_fit_is_told_on_every_rank) {
  const weft::test::Scratch scratch;
  test::Duct duct;
  const auto good = scratch.write("duct.gmy", duct.text());
  EXPECT_THAT(refusal(good, ends(0, 1), 3),
              AllOf(HasSubstr("duct.gmy: block (0, 0, 0)"), HasSubstr("inlet 0"), HasSubstr("the case has 0")));
  EXPECT_THAT(refusal(good, ends(1, 2), 3), HasSubstr("No link is cut at opening \"out\""));
  duct.bad_link = 4;  // (-1, 0, 0)
  EXPECT_THAT(refusal(scratch.write("link.gmy", duct.text()), ends(), 3),
              AllOf(HasSubstr("(2, 3, 2) to (1, 3, 2)"), HasSubstr("is not fluid")));
  duct.low = {0, 3, 2};
  EXPECT_THAT(refusal(scratch.write("edge.gmy", duct.text()), ends(), 2), HasSubstr("lies outside of the lattice"));
}

TEST(Gmy, solid_everywhere_is_refused) {
  const weft::test::Scratch scratch;
  test::Duct duct;
  duct.high = duct.low;
  EXPECT_THAT(refusal(scratch.write("solid.gmy", duct.text()), ends(), 2), HasSubstr("No site is fluid"));
}

TEST(Gmy, preambles_that_do_not_hold_are_refused) {
  const weft::test::Scratch scratch;
  const auto good = test::Duct{}.text();
  const auto with = [&](std::size_t at, std::uint32_t value) {
    auto text = good;
    std::string bytes;
    test::put(bytes, std::uint64_t{value});
    text.replace(at, 4, bytes);
    return refusal(scratch.write("bad.gmy", text), ends());
  };
  EXPECT_THAT(with(0, 1), HasSubstr("not a HemeLB file"));
  EXPECT_THAT(with(4, 1), HasSubstr("not a geometry"));
  EXPECT_THAT(with(8, 5), HasSubstr("version is 5"));
  EXPECT_THAT(with(12, 0), HasSubstr("no blocks"));
  EXPECT_THAT(with(12, 0xFFFFFFFF), HasSubstr("but the file has only"));
  EXPECT_THAT(with(24, 4096), HasSubstr("blocks have 4096 sites"));
  EXPECT_THAT(with(28, 7), HasSubstr("does not end with 0"));
  EXPECT_THAT(with(32 + 8, 0xFFFFFFFF), HasSubstr("states 4294967295 bytes uncompressed"));
  EXPECT_THAT(with(32, 3), HasSubstr("but the table states 3"));
  EXPECT_THAT(with(32 + 4, 0xFFFFFF), HasSubstr("truncated or damaged"));
  EXPECT_THAT(refusal(scratch.path() / "nowhere.gmy", ends()), HasSubstr("can't be read (No such file"));
  EXPECT_THAT(refusal(scratch.path(), ends()), HasSubstr("can't be read (Is a directory)"));
}

}  // namespace
}  // namespace weft::hemelb
