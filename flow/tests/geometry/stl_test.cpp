// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "geometry/read_surface.hpp"
#include "tests/support/geometry_shapes.hpp"
#include "weft/error.hpp"

using namespace weft::geometry;
using namespace weft::geometry::test;
using ::testing::HasSubstr;

namespace {

class Stl : public ::testing::Test {
 protected:
  Stl()
      : path_(std::filesystem::temp_directory_path() /
              (std::string("weft_stl_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".stl")) {}
  ~Stl() override { std::filesystem::remove(path_); }

  Surface read(const std::vector<char>& bytes, double metres_per_unit = 1) {
    write_file(path_, bytes);
    return read_surface(path_, metres_per_unit);
  }
  Surface read(const std::string& text, double metres_per_unit = 1) {
    return read(std::vector<char>(text.begin(), text.end()), metres_per_unit);
  }
  template <class Bytes>
  std::string refusal(const Bytes& bytes) {
    try {
      read(bytes);
    } catch (const weft::InputError& e) {
      EXPECT_THAT(e.what(), HasSubstr(path_.string()));
      return e.what();
    }
    return "none";
  }

  std::filesystem::path path_;
};

const std::string one_facet =
    "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex +0 1e0 -0\n endloop\nendfacet\n";

std::string solid(const std::string& facets) {
  return std::string("solid a vessel\n").append(facets).append("endsolid a vessel\n");
}

std::string replaced(const std::string& text, const std::string& old, const std::string& by) {
  const auto at = text.find(old);
  return text.substr(0, at).append(by).append(text, at + old.size());
}

}  // namespace

TEST_F(Stl, binary_merges_equal_vertices) {
  const auto s = read(binary_stl(box({0, 0, 0}, {1, 2, 3})), 0.5);
  EXPECT_EQ(s.vertices.size(), 8U);
  EXPECT_EQ(s.triangles.size(), 12U);
  EXPECT_EQ(s.vertices[s.triangles[11][1]], (Vector{0.5, 1, 1.5}));
}

TEST_F(Stl, binary_may_begin_with_solid) {
  EXPECT_EQ(
      read(binary_stl(box({0, 0, 0}, {1, 1, 1}), "solid made by a tool that does not know better")).triangles.size(),
      12U);
}

TEST_F(Stl, ascii) {
  const auto s = read(solid(one_facet), 2);
  ASSERT_EQ(s.triangles.size(), 1U);
  EXPECT_EQ(s.vertices[s.triangles[0][2]], (Vector{0, 2, 0}));
}

TEST_F(Stl, ascii_of_several_solids_in_any_case_and_line_ending) {
  const auto two = solid(one_facet).append(" \n ").append(solid(one_facet));
  std::string text;
  for (const char c : two) {
    if (c == '\n') text.push_back('\r');
    text.push_back(static_cast<char>(std::toupper(c)));
  }
  const auto s = read(text);
  EXPECT_EQ(s.triangles.size(), 2U);
  EXPECT_EQ(s.solids, (std::vector<std::string>{"A VESSEL", "A VESSEL"}));
  EXPECT_EQ(s.solid_of, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(read(solid(one_facet)).solids.empty());
}

TEST_F(Stl, ascii_numbers_too_small_for_a_double_are_zero) {
  EXPECT_EQ(read(replaced(solid(one_facet), "-0", "1e-999")).vertices[2], (Vector{0, 1, 0}));
}

TEST_F(Stl, minus_zero_is_zero_and_degenerate_triangles_are_dropped) {
  Surface s;
  s.vertices = {{0.0, 0, 0}, {-0.0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  s.triangles = {{0, 1, 2}, {0, 2, 3}, {1, 2, 3}};
  const auto r = read(binary_stl(s));
  EXPECT_EQ(r.vertices.size(), 3U);
  EXPECT_EQ(r.triangles.size(), 2U);
  EXPECT_EQ(r.dropped_triangles, 1U);
}

TEST_F(Stl, ignores_and_counts_bytes_after_the_last_triangle) {
  for (const char* header : {"weft", "solid"})
    for (const std::size_t more : {1U, 50U, 500U}) {
      auto bytes = binary_stl(box({0, 0, 0}, {1, 1, 1}), header);
      bytes.insert(bytes.end(), more, '\n');
      const auto s = read(bytes);
      EXPECT_EQ(s.triangles.size(), 12U);
      EXPECT_EQ(s.trailing_bytes, more);
    }
}

TEST_F(Stl, refuses_several_binary_files_in_one) {
  auto bytes = binary_stl(box({0, 0, 0}, {1, 1, 1}));
  const auto other = binary_stl(box({2, 0, 0}, {3, 1, 1}));
  bytes.insert(bytes.end(), other.begin(), other.end());
  EXPECT_THAT(refusal(bytes), HasSubstr("several binary STL files"));
}

TEST_F(Stl, refuses_truncated_binary) {
  auto bytes = binary_stl(box({0, 0, 0}, {1, 1, 1}), "solid");
  bytes.erase(bytes.end() - 20, bytes.end());
  EXPECT_THAT(refusal(bytes), ::testing::AllOf(HasSubstr("byte 80"), HasSubstr("12 triangles"), HasSubstr("664")));
}

TEST_F(Stl, refuses_a_count_that_the_file_does_not_hold) {
  auto bytes = binary_stl(box({0, 0, 0}, {1, 1, 1}));
  bytes[80] = bytes[81] = bytes[82] = bytes[83] = static_cast<char>(0xFF);
  EXPECT_THAT(refusal(bytes), HasSubstr("4294967295 triangles"));
}

TEST_F(Stl, refuses_what_is_not_finite) {
  auto s = box({0, 0, 0}, {1, 1, 1});
  s.vertices[0][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal(binary_stl(s)), HasSubstr("byte 100"));
  s.vertices[0][1] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal(binary_stl(s)), HasSubstr("not a finite number"));
  for (const auto* bad : {"nan", "-inf", "1e999"})
    EXPECT_THAT(refusal(replaced(solid(one_facet), "1e0", bad)), HasSubstr("line 6"));
}

TEST_F(Stl, refuses_what_is_too_far_away) {
  EXPECT_THAT(refusal(replaced(solid(one_facet), "1e0", "1e308")), HasSubstr("too far away"));
  EXPECT_THAT(refusal(replaced(solid(one_facet), "vertex 1 0 0", "vertex -1e200 0 0")), HasSubstr("too far away"));
}

TEST_F(Stl, refuses_broken_ascii_naming_the_line) {
  EXPECT_THAT(refusal(std::string("solid x\n").append(one_facet)),
              HasSubstr("line 9: The file ends where \"endsolid\""));
  EXPECT_THAT(refusal(std::string("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\nvertex 1 1 1\n")),
              HasSubstr("line 5"));
  EXPECT_THAT(refusal(std::string("solid x\n<html>")), HasSubstr("line 2: The file has \"<html>\""));
  EXPECT_THAT(refusal(solid(one_facet) + "rubbish"), HasSubstr("line 10"));
  for (std::size_t length = 0; length + 19 < solid(one_facet).size(); length += 7)
    EXPECT_NE(refusal(solid(one_facet).substr(0, length)), "none") << length;
}

TEST_F(Stl, refuses_files_without_triangles) {
  EXPECT_THAT(refusal(std::string()), HasSubstr("is empty"));
  EXPECT_THAT(refusal(std::string("hello")), HasSubstr("neither"));
  EXPECT_THAT(refusal(solid("")), HasSubstr("no triangles"));
  EXPECT_THAT(refusal(binary_stl(Surface{})), HasSubstr("no triangles"));
}

TEST_F(Stl, refuses_paths_and_units_that_make_no_sense) {
  EXPECT_THROW(read_surface("/nowhere/vessel.stl", 1), weft::InputError);
  EXPECT_THROW(read_surface(std::filesystem::temp_directory_path(), 1), weft::InputError);
  write_file(path_, binary_stl(box({0, 0, 0}, {1, 1, 1})));
  EXPECT_THROW(read_surface(path_, 0), weft::InputError);
  EXPECT_THROW(read_surface(path_, std::numeric_limits<double>::quiet_NaN()), weft::InputError);
}
