// SPDX-License-Identifier: BSD-3-Clause
#include "flow/reading/waveform_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>

#include "weft/error.hpp"
#include "weft/file/read_text.hpp"

namespace weft::flow {

using namespace program;

namespace {

/// The position of a table's row, for messages.
struct RowPlace {
  std::string where;  ///< "case.toml:14", "pulse.csv:3"
  std::string title;  ///< "velocity in [[inlet]]"
};

void add_row(Table& table, const RowPlace& place, double time, double value) {
  const auto refuse = [&](const std::string& why) { throw InputError(fmt::format("{}: {}", place.where, why)); };
  if (!table.points.empty() && time <= table.points.back()[0])
    refuse(fmt::format("{} has a time of {} s after one of {} s. Sort the rows by time, each time once.", place.title,
                       time, table.points.back()[0]));
  if (table.period > 0 && time > table.period)
    refuse(fmt::format("{} has a time of {} s, beyond its period of {} s. Correct the time or the period.", place.title,
                       time, table.period));
  table.points.push_back({time, value});
}

void read_list(const SectionReader& in, const List& list, const std::string& title, Dimension dimension, double unit,
               Table& table) {
  for (const auto& row : list) {
    const auto* pair = std::get_if<List>(&row.data);
    if (pair == nullptr || pair->size() != 2)
      fail(row, fmt::format("{} has a row that is not [time, value]. Give two entries per row.", title));
    const double time = in.quantity_of((*pair)[0], "a time of " + title, Dimension::time, Range::not_negative);
    const double number = in.quantity_of((*pair)[1], "a value of " + title, dimension, Range::any);
    add_row(table, {row.where, title}, time, unit * number);
  }
}

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\"");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\"") - first + 1);
}

/// The two cells of a line; nothing if it has another number of cells.
std::optional<std::array<std::string_view, 2>> cells_of(std::string_view line) {
  const auto separator = line.find_first_of(",;");
  if (separator == std::string_view::npos || line.find_first_of(",;", separator + 1) != std::string_view::npos)
    return {};
  return std::array{without_blanks(line.substr(0, separator)), without_blanks(line.substr(separator + 1))};
}

std::optional<double> number_in(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(number)) return {};
  return number;
}

/// The unit of a column by its name: "time [ms]" -> 0.001; 1 (SI) if the name has no unit.
double unit_of_column(std::string_view name, Dimension dimension) {
  const auto open = name.find_first_of("[("), close = name.find_last_of("])");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return 1;
  return parse_quantity(fmt::format("1 {}", name.substr(open + 1, close - open - 1)), dimension);
}

double cell_value(std::string_view cell, Dimension dimension, double column_unit) {
  if (const auto number = number_in(cell)) return *number * column_unit;
  return parse_quantity(cell, dimension);
}

/// Appends the lines of a CSV file to the table. `given` is the value in the case that names the file.
void read_csv(const std::filesystem::path& file, const Value& given, const std::string& title, Dimension dimension,
              double unit, Table& table) {
  std::istringstream in;
  try {
    in.str(read_text(file, "Give a CSV file of times and values, relative to the case file."));
  } catch (const InputError& e) {
    fail(given, fmt::format("{}: {}", title, e.what()));
  }
  std::string line;
  std::array<double, 2> units = {1, 1};
  bool is_first = true;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    const auto content = without_blanks(std::string_view(line).substr(0, line.find('#')));
    if (content.empty()) continue;
    const RowPlace place{fmt::format("{}:{}", file.string(), number), title};
    const auto cells = cells_of(content);
    const auto refuse = [&](std::string_view why) {
      throw InputError(
          fmt::format("{}: '{}' is not a row of {} ({}). Give a time and a {} in each line, for example 0.1, 2.5.",
                      place.where, content, title, why, name_of(dimension)));
    };
    if (!cells) refuse("it does not have two cells separated by a comma");
    std::array<double, 2> row{};
    try {
      const bool is_header = is_first && (*cells)[0].find_first_of("0123456789") != 0 && !number_in((*cells)[0]);
      is_first = false;
      if (is_header) {
        units = {unit_of_column((*cells)[0], Dimension::time), unit_of_column((*cells)[1], dimension)};
        continue;
      }
      row = {cell_value((*cells)[0], Dimension::time, units[0]), cell_value((*cells)[1], dimension, units[1])};
    } catch (const InputError& e) {
      throw InputError(fmt::format("{}: {}", place.where, e.what()));
    }
    if (row[0] < 0) refuse("its time is negative");
    add_row(table, place, row[0], unit * row[1]);
  }
  if (table.points.empty())
    fail(given, fmt::format("{}: {} has no row. Give a time and a {} in each line, for example 0.1, 2.5.", title,
                            file.string(), name_of(dimension)));
}

double read_period(const SectionReader& in) {
  constexpr double least = 1e-9;  // s
  const double period = in.quantity("period", Dimension::time, Range::positive);
  if (period < least)
    fail(*in.find("period"), fmt::format("{} is {} s. Give at least {} s.", in.title("period"), period, least));
  return period;
}

Cosine read_cosine(const Value& value, const std::string& title, Dimension dimension, double unit) {
  const SectionReader in(value, "in " + title, {"mean", "amplitude", "period", "phase"});
  return {.mean = unit * in.quantity("mean", dimension, Range::any),
          .amplitude = unit * in.quantity("amplitude", dimension, Range::any),
          .period = read_period(in),
          .phase = in.number("phase", Range::any, 0)};
}

}  // namespace

bool is_series(const Value& value) {
  const auto* text = std::get_if<std::string>(&value.data);
  return std::holds_alternative<List>(value.data) || (text != nullptr && text->ends_with(".csv"));
}

Table read_waveform(const SectionReader& in, std::string_view key, Dimension dimension, double unit,
                    const std::filesystem::path& folder) {
  const auto& value = *in.find(key);
  const auto title = in.title(key);
  Table table;
  if (in.has("period")) {
    table.period = read_period(in);
    if (!is_series(value))
      fail(*in.find("period"), fmt::format("A period is given, but {} is not a table. Remove the period.", title));
  }
  if (std::holds_alternative<Section>(value.data)) {
    table.cosine = read_cosine(value, title, dimension, unit);
  } else if (!is_series(value)) {
    table.points.push_back({0, unit * in.quantity_of(value, title, dimension, Range::any)});
  } else if (const auto* list = std::get_if<List>(&value.data)) {
    if (list->empty()) fail(value, fmt::format("{} is an empty list. Give [[time, value], ...].", title));
    read_list(in, *list, title, dimension, unit, table);
  } else {
    table.file = folder / std::get<std::string>(value.data);
    read_csv(table.file, value, title, dimension, unit, table);
  }
  if (!std::isfinite(table.largest_magnitude()))
    fail(value, fmt::format("{} over the opening's disc is not finite. Correct it, or the radius.", title));
  return table;
}

}  // namespace weft::flow
