// SPDX-License-Identifier: BSD-3-Clause
//
// Cases that the writer writes are read back by the programs' reader: the same values.
#include "text/case_writer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "flow/reading/case_reader.hpp"
#include "program/quantity.hpp"
#include "program/toml_reader.hpp"

namespace weft::text {
namespace {

using program::List;
using program::Section;
using program::Value;

struct Dice {
  std::mt19937_64 engine;

  int below(int end) { return static_cast<int>(engine() % static_cast<std::uint64_t>(end)); }
  double number() { return std::ldexp(static_cast<double>(engine() >> 11U) - 0x1p52, below(120) - 110); }
  std::string word() {
    static const std::vector<std::string> letters = {"a",    "Z", "7", " ", "\"", "\\", "\n", "\t", "\x01",
                                                     "\x7f", "#", "=", "]", "'",  "µ",  "→",  "𝄞"};
    std::string text;
    for (int n = below(12); n > 0; --n) text += letters[static_cast<std::size_t>(below(int(letters.size())))];
    return text;
  }
};

double real_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*whole);
  return std::get<double>(value.data);
}

Value read(const std::string& text) { return program::parse_toml(text, "case.toml"); }
const Value& at(const Value& section, std::string_view key) {
  const auto* value = std::get<Section>(section.data).find(key);
  if (value == nullptr) throw std::runtime_error("no key " + std::string(key));
  return *value;
}

// One value of each kind, random, and what it has to be when it is read.
TEST(CaseWriter, random_values_read_back) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice{std::mt19937_64(seed)};
    const auto words = std::vector{dice.word(), dice.word(), dice.word()};
    const std::array<double, 3> vector = {dice.number(), dice.number(), dice.number()};
    const double real = dice.number(), quantity = dice.number(), coarse = dice.number();
    const std::int64_t whole = static_cast<std::int64_t>(dice.engine());
    const bool flag = dice.below(2) == 1;
    std::vector<std::array<double, 2>> points(static_cast<std::size_t>(dice.below(60)));
    std::vector<CaseValue> pairs;
    for (auto& p : points) {
      p = {dice.number(), dice.number()};
      const CaseValue pair[] = {p[0], p[1]};
      pairs.push_back(list(pair));
    }
    CaseWriter out;
    out.comment("A case.\nname = 3 " + words[2]);
    out.key("title", words[0], words[1]);
    out.section("run", words[2], words[1]);
    out.key("real", real);
    out.key("coarse", rounded(coarse, 4));
    out.key("quantity", with_unit(quantity, "mm", 17), "not yet known");
    out.key("whole", whole);
    out.key("flag", flag);
    for (int i = 0; i < 2; ++i) {
      out.entry("outlet", i == 0 ? words[0] : "", i == 1 ? words[0] : "");
      out.key("centre", list(vector));
      out.key("words", list(words));
      out.key("points", list(pairs));
      out.key("windkessel", table({{"resistance", with_unit(quantity, "mmHg s/ml")}, {"initial", real}}));
    }
    const auto root = read(out.text());
    EXPECT_EQ(std::get<std::string>(at(root, "title").data), words[0]) << seed;
    const auto& run = at(root, "run");
    EXPECT_EQ(real_of(at(run, "real")), real) << seed;
    EXPECT_NEAR(real_of(at(run, "coarse")), coarse, 1e-3 * std::abs(coarse)) << seed;
    const auto length = std::get<std::string>(at(run, "quantity").data);
    EXPECT_NEAR(program::parse_quantity(length, program::Dimension::length), 1e-3 * quantity,
                1e-15 * std::abs(quantity))
        << length;
    EXPECT_EQ(std::get<std::int64_t>(at(run, "whole").data), whole) << seed;
    EXPECT_EQ(std::get<bool>(at(run, "flag").data), flag) << seed;
    const auto& outlets = std::get<List>(at(root, "outlet").data);
    ASSERT_EQ(outlets.size(), 2U);
    for (const auto& outlet : outlets) {
      const auto& centre = std::get<List>(at(outlet, "centre").data);
      ASSERT_EQ(centre.size(), 3U);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(real_of(centre[k]), vector[k]) << seed;
      const auto& read_words = std::get<List>(at(outlet, "words").data);
      ASSERT_EQ(read_words.size(), 3U);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(std::get<std::string>(read_words[k].data), words[k]) << seed;
      const auto& read_points = std::get<List>(at(outlet, "points").data);
      ASSERT_EQ(read_points.size(), points.size());
      for (std::size_t k = 0; k < points.size(); ++k)
        for (std::size_t j = 0; j < 2; ++j)
          EXPECT_EQ(real_of(std::get<List>(read_points[k].data).at(j)), points[k][j]) << seed;
      EXPECT_EQ(real_of(at(at(outlet, "windkessel"), "initial")), real) << seed;
    }
  }
}

TEST(CaseWriter, no_line_is_long) {
  const std::vector<CaseValue> values(100, rounded(1.2345678, 6));
  CaseWriter out;
  out.key("values", list(values));
  std::size_t start = 0;
  for (auto end = out.text().find('\n'); end != std::string::npos; start = end + 1, end = out.text().find('\n', start))
    EXPECT_LE(end - start, 100U);
  EXPECT_EQ(std::get<List>(at(read(out.text()), "values").data).size(), 100U);
}

// Random tubes with random conditions at their ends, read as cases of weft flow.
TEST(CaseWriter, random_cases_of_flow_read_back) {
  const auto file =
      std::filesystem::temp_directory_path() / ("weft-case-writer-" + std::to_string(::getpid()) + ".toml");
  const auto between = [](Dice& dice, double low, double high) { return low + (high - low) * dice.below(1000) / 1000; };
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice{std::mt19937_64(seed)};
    const double voxel = between(dice, 0.1, 1), density = between(dice, 900, 1200), speed = between(dice, 0.01, 0.5);
    const double pressure = between(dice, 1, 120), resistance = between(dice, 1, 9), duration = between(dice, 0.1, 2);
    const std::array<double, 3> centre = {between(dice, -9, 9), between(dice, -9, 9), between(dice, -9, 9)};
    const bool pulse = dice.below(2) == 1, windkessel = dice.below(2) == 1;
    CaseWriter out;
    out.key("title", "tube " + dice.word());
    out.section("surface");
    out.key("file", "a \"tube\".stl");
    out.key("unit", "mm");
    out.key("voxel", with_unit(voxel, "mm", 9));
    out.section("fluid");
    out.key("density", density);
    out.entry("inlet");
    out.key("name", "in");
    out.key("centre", list(centre));
    out.key("normal", list(std::array<double, 3>{0, 0, 1}));
    out.key("radius", 3.0);
    if (pulse) {
      std::vector<CaseValue> points;
      for (int k = 0; k <= 20; ++k) {
        const CaseValue point[] = {0.05 * k, speed * (k % 20)};
        points.push_back(list(point));
      }
      out.key("velocity", list(points), "s, m/s");
      out.key("period", with_unit(1, "s"));
    } else {
      out.key("velocity", with_unit(1e2 * speed, "cm/s", 12));
    }
    out.entry("outlet");
    out.key("name", "out");
    out.key("centre", list(std::array<double, 3>{0, 0, 30}, 6));
    out.key("normal", list(std::array<double, 3>{0, 0, -1}));
    out.key("radius", rounded(3, 4));
    if (windkessel)
      out.key("windkessel", table({{"resistance", with_unit(resistance, "mmHg s/ml", 12)}, {"initial", 80.0}}));
    else
      out.key("pressure", with_unit(pressure, "mmHg", 12));
    out.section("run");
    out.key("duration", duration);
    std::ofstream(file) << out.text();
    const auto c = flow::read_case(file);
    constexpr double mmhg = 133.322387415;
    EXPECT_EQ(c.surface.file.filename(), "a \"tube\".stl");
    EXPECT_NEAR(c.surface.voxel, 1e-3 * voxel, 1e-12);
    EXPECT_EQ(c.fluid.density, density);
    EXPECT_EQ(c.run.duration, duration);
    ASSERT_EQ(c.openings.size(), 2U);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(c.openings[0].disc.centre[k], 1e-3 * centre[k], 1e-15);
    EXPECT_NEAR(c.openings[0].value.highest(), pulse ? 19 * speed : speed, 1e-9);
    if (windkessel)
      EXPECT_NEAR(c.openings[1].windkessel.resistance, resistance * mmhg * 1e6, 1e-6 * resistance * mmhg * 1e6);
    else
      EXPECT_NEAR(c.openings[1].value.at(0), pressure * mmhg, 1e-6 * pressure * mmhg);
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace weft::text
