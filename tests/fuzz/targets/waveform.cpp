// SPDX-License-Identifier: BSD-3-Clause
#include "flow/reading/waveform_reader.hpp"

#include <cmath>

#include "tests/fuzz/fuzz.hpp"

namespace weft::fuzz {

void waveform(Bytes bytes) {
  using program::Dimension;
  const auto file = as_file(text_of(bytes), "series.csv");
  const auto key = [&](const char* name, const decltype(program::Value::data)& data) {
    return program::Entry{name, {data, file.string()}};
  };
  const auto with_period =
      program::Value{program::Section{{key("v", std::string("series.csv")), key("period", 2.0)}}, ""};
  const auto without = program::Value{program::Section{{key("v", std::string("series.csv"))}}, ""};
  const auto read = [&](const program::Value& section, Dimension dimension) {
    const program::SectionReader in(section, "of an inlet", {"v", "period"});
    const auto table = flow::read_waveform(in, "v", dimension, 1, file.parent_path());
    expect(!table.points.empty(), "no points");
    double earlier = -1;
    for (const auto& [time, value] : table.points) {
      expect(std::isfinite(time) && std::isfinite(value) && time > earlier, "a row");
      earlier = time;
    }
    for (const double time : {0.0, 0.3, 1e6, 1e300}) expect(std::isfinite(table.at(time)), "a value between rows");
  };
  is_read(file, [&] { read(without, Dimension::velocity); });
  is_read(file, [&] { read(with_period, Dimension::flow); });
}

}  // namespace weft::fuzz
