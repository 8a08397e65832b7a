// SPDX-License-Identifier: BSD-3-Clause
#include "advise/python_lines.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "advise/call_sites.hpp"

namespace weft::advise {
namespace {

using Table = std::vector<unsigned char>;

// The lines of the instructions at these offsets, of a function that begins on line 10.
std::vector<int> lines(LineTable kind, const Table& table, const std::vector<std::size_t>& offsets) {
  std::vector<int> all;
  for (const auto offset : offsets) all.push_back(python_line(kind, 10, table, offset));
  return all;
}

TEST(PythonLines, of_3_10_are_pairs) {
  // Two bytes on line 10, four on 12, two without a line, two on 11.
  const Table table{2, 0, 4, 2, 2, 0x80, 2, 0xff};
  EXPECT_EQ(lines(LineTable::of_3_10, table, {0, 2, 5, 6, 8, 10}), (std::vector{10, 12, 12, 0, 11, 0}));
}

TEST(PythonLines, of_3_11_are_entries_of_several_forms) {
  const Table table{
      0x80 | 13 << 3 | 1, 0x46, 0x01,             // without columns, 2 units: line + 35
      0x80 | 0 << 3 | 0,  0x15,                   // short, 1 unit: the same line
      0x80 | 11 << 3 | 0, 3,    9,                // 1 unit: line + 1
      0x80 | 15 << 3 | 2,                         // 3 units without a line
      0x80 | 14 << 3 | 0, 0x05, 0,    1, 0x40, 1  // long, 1 unit: line - 2
  };
  EXPECT_EQ(lines(LineTable::of_3_11, table, {0, 2, 4, 6, 8, 12, 14, 16}), (std::vector{45, 45, 45, 46, 0, 0, 44, 0}));
}

TEST(PythonLines, any_bytes_are_a_table) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    Table table(random() % 40);
    for (auto& byte : table) byte = static_cast<unsigned char>(random());
    for (const auto kind : {LineTable::of_3_10, LineTable::of_3_11})
      EXPECT_GE(python_line(kind, 1, table, random() % 200), 0);
  }
}

TEST(SourcePlaces, are_call_sites_with_names) {
  const auto number = source_place({"/home/u/heat.py", "Solver.step", 42}, 7);
  EXPECT_EQ(source_place({"/home/u/heat.py", "Solver.step", 42}, 7), number);
  EXPECT_NE(source_place({"/home/u/heat.py", "Solver.step", 42}, 8), number);
  const auto name = Naming{}.names_of({call_site_of(number)})[0];
  EXPECT_EQ(name.text, "heat.py:42 Solver.step");
  EXPECT_EQ(name.function, "Solver.step");
  EXPECT_EQ(name.file, "/home/u/heat.py");
  EXPECT_EQ(name.line, 42);
}

}  // namespace
}  // namespace weft::advise
