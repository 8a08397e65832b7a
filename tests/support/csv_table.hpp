// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace weft::test {

/// A row of a table: its cells by column name.
struct CsvRow {
  std::map<std::string, std::string> cells;
  double operator[](const std::string& name) const { return std::stod(cells.at(name)); }
};

inline std::vector<CsvRow> read_csv(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line, cell;
  std::vector<std::string> names;
  std::getline(in, line);
  for (std::istringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
  std::vector<CsvRow> rows;
  while (std::getline(in, line)) {
    auto& row = rows.emplace_back();
    std::size_t k = 0;
    for (std::istringstream cells(line); std::getline(cells, cell, ',') && k < names.size();)
      row.cells[names[k++]] = cell;
    EXPECT_EQ(k, names.size()) << file;
  }
  return rows;
}

}  // namespace weft::test
