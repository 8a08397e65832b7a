// SPDX-License-Identifier: BSD-3-Clause
#include "flow/reading/waveform_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "weft/error.hpp"
#include "weft/file/read_text.hpp"

namespace weft::flow {

using namespace program;

namespace {

std::string lower_case(std::string text) {
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return text;
}

bool is_whole(const std::optional<double>& number) { return number && *number >= 0 && *number == std::floor(*number); }

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
  const auto first = text.find_first_not_of(" \t\"");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\"") - first + 1);
}

/// The two cells of a line, which a comma, a semicolon, a tab or blanks separate; nothing if it has another number of
/// cells.
std::optional<std::array<std::string_view, 2>> cells_of(std::string_view line) {
  auto separator = line.find_first_of(",;");
  if (separator != std::string_view::npos) {
    if (line.find_first_of(",;", separator + 1) != std::string_view::npos) return {};
    return std::array{without_blanks(line.substr(0, separator)), without_blanks(line.substr(separator + 1))};
  }
  // Names of columns have blanks before their units, and quantities before theirs.
  separator = line.find('\t');
  if (separator == std::string_view::npos) separator = line.find_first_of("])");
  if (separator == std::string_view::npos) separator = line.find(' ');
  if (separator == std::string_view::npos) return {};
  const std::array cells{without_blanks(line.substr(0, separator + 1)), without_blanks(line.substr(separator + 1))};
  const bool is_pair = !cells[1].empty() && cells[1].find('\t') == std::string_view::npos;
  return is_pair ? std::optional(cells) : std::nullopt;
}

std::optional<double> number_in(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  std::string text(cell);
  if (const auto at = text.find_first_of("Dd"); at != std::string::npos) text[at] = 'e';  // Fortran's 1.0D-6
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

/// A row such as "0 1,5" or "0,1 2,5".
bool has_decimal_comma(std::string_view line) {
  const auto is_digit = [&](std::size_t at) { return at < line.size() && line[at] >= '0' && line[at] <= '9'; };
  std::string points(line);
  for (std::size_t k = 1; k < line.size(); ++k)
    if (line[k] == ',' && is_digit(k - 1) && is_digit(k + 1)) points[k] = '.';
  const auto blank = points.find_first_of(" \t");
  return points != line && blank != std::string::npos && number_in(std::string_view(points).substr(0, blank)) &&
         number_in(without_blanks(std::string_view(points).substr(blank)));
}

/// Whether a line says nothing: it is empty, or a comment of another program.
bool is_comment(std::string_view line) { return line.empty() || line.starts_with('%') || line.starts_with("//"); }

/// Whether a cell may be the name of a column: it has a letter before any digit, and is no number such as nan.
bool is_name(std::string_view cell) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto first = std::ranges::find_if(cell, [&](char c) { return is_digit(c) || is_letter(c); });
  // A cell in another alphabet has only bytes beyond ASCII.
  const bool is_word = first != cell.end()
                           ? is_letter(*first)
                           : std::ranges::any_of(cell, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  return is_word && !number_in(cell);
}

double unit_value(std::string_view unit, Dimension dimension) {
  try {
    return parse_quantity(fmt::format("1 {}", unit), dimension);
  } catch (const InputError&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

/// The unit other than SI's with which a name ends without brackets: "flow ml/s", "time_ms", "flow_ml_s"; or nothing.
std::string bare_unit(std::string_view name, Dimension dimension) {
  for (auto at = name.find_first_of(" _"); at != std::string_view::npos; at = name.find_first_of(" _", at + 1)) {
    std::string unit(name.substr(at + 1));
    for (auto& c : unit)
      if (c == '_') c = '/';
    const double value = unit_value(unit, dimension);
    if (std::isfinite(value) && value != 1) return unit;
  }
  return {};
}

/// The unit of a column by its name: "time [ms]" -> 0.001; nothing if the name has no unit.
/// Throws InputError for a unit that is not in brackets, as in "time_ms".
std::optional<double> unit_of_column(std::string_view name, Dimension dimension) {
  const bool is_square = name.find('[') != std::string_view::npos;  // "flow (mean) [ml/s]"
  const auto open = is_square ? name.find('[') : name.find('('), close = name.find_last_of(is_square ? ']' : ')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    if (const auto unit = bare_unit(name, dimension); !unit.empty())
      throw InputError(fmt::format("The column '{}' seems to be in {} (a unit is read only in brackets). Write [{}].",
                                   name, unit, unit));
    return {};
  }
  return parse_quantity(fmt::format("1 {}", name.substr(open + 1, close - open - 1)), dimension);
}

double cell_value(std::string_view cell, Dimension dimension, double column_unit) {
  const auto number = number_in(cell);
  return number && std::isfinite(*number) ? *number * column_unit : parse_quantity(cell, dimension);
}

/// A line of a file of times and values.
struct WaveformRow {
  RowPlace place;
  std::string_view content;
  std::array<std::string_view, 2> cells;
};

/// Whether the first line of a .flow file has the numbers of rows and of Fourier modes: "5 2".
bool has_counts(const std::vector<WaveformRow>& rows) {
  if (rows.size() < 2) return false;
  const auto count = number_in(rows[0].cells[0]), first = number_in(rows[1].cells[0]);
  return count == static_cast<double>(rows.size() - 1) && first && *first < *count &&
         is_whole(number_in(rows[0].cells[1]));
}

/// Appends the rows of a file to the table.
class FileReader {
 public:
  /// `given`: the value in the case that names the file. `cell_unit`: of values without a unit, if the case gives it.
  FileReader(const std::filesystem::path& file, const Value& given, const std::string& title, Dimension dimension,
             std::optional<double> cell_unit)
      : file_(file), given_(given), title_(title), dimension_(dimension), cell_unit_(cell_unit) {}

  void run(double unit, Table& table) {
    split();
    if (rows_.empty()) refuse_empty();
    std::size_t first = has_counts(rows_) ? 1 : 0;
    std::array<double, 2> units = {1, cell_unit_.value_or(1)};
    bool has_unit = cell_unit_.has_value();
    const auto& header = rows_[first];
    if (is_name(header.cells[0]) && is_name(header.cells[1])) {
      const auto time = unit_of(header, 0, Dimension::time), value = unit_of(header, 1, dimension_);
      units = {time.value_or(1), value.value_or(units[1])};
      has_unit = has_unit || value;
      ++first;
      if (first < rows_.size() && has_units(rows_[first])) {
        for (std::size_t k = 0; k < 2; ++k)
          units[k] = unit_value(rows_[first].cells[k], k == 0 ? Dimension::time : dimension_);
        has_unit = true;
        ++first;
      }
    }
    if (first == rows_.size()) refuse_empty();
    for (auto k = first; k < rows_.size(); ++k) {
      const auto& row = rows_[k];
      if (!has_unit && extension() == ".flow" && number_in(row.cells[1]))
        fail(given_, fmt::format("{}: {} has no unit (SimVascular writes the unit of its model, in most cases cm^3/s). "
                                 "Set unit = \"cm^3/s\", or another one, beside it.",
                                 title_, file_.string()));
      const double time = value_of(row, 0, Dimension::time, units[0]), value = value_of(row, 1, dimension_, units[1]);
      if (time < 0) refuse(row, "its time is negative");
      add_row(table, row.place, time, unit * value);
    }
  }

 private:
  void split() {
    try {
      text_ = read_text(file_, "Give a file of times and values, relative to the case file.");
    } catch (const InputError& e) {
      fail(given_, fmt::format("{}: {}", title_, e.what()));
    }
    std::size_t number = 1;
    for (std::size_t at = 0; at < text_.size(); ++number) {
      const auto line = std::string_view(text_).substr(at, text_.find('\n', at) - at);
      at += line.size() + 1;
      auto content = without_blanks(line.substr(0, line.find('#')));
      if (is_comment(content)) continue;
      if (content.ends_with(';') || content.ends_with(',')) content.remove_suffix(1);
      const auto cells = cells_of(content);
      rows_.push_back({{fmt::format("{}:{}", file_.string(), number), title_},
                       content,
                       cells.value_or(std::array<std::string_view, 2>{})});
      if (has_decimal_comma(content) ||
          (!cells && content.find(';') != std::string_view::npos && content.find(',') != std::string_view::npos))
        refuse(rows_.back(), "it has a decimal comma; use a point");
      if (!cells)
        refuse(rows_.back(), "it does not have two cells, a time and a value, separated by a comma, a tab or a blank");
    }
  }

  [[noreturn]] void refuse_empty() const {
    fail(given_, fmt::format("{}: {} has no row. Give a time and a {} in each line, for example 0.1, 2.5.", title_,
                             file_.string(), name_of(dimension_)));
  }
  /// A second line of the header: "s;ml/s".
  bool has_units(const WaveformRow& row) const {
    return std::isfinite(unit_value(row.cells[0], Dimension::time)) &&
           std::isfinite(unit_value(row.cells[1], dimension_));
  }
  [[noreturn]] void refuse(const WaveformRow& row, std::string_view why) const {
    throw InputError(
        fmt::format("{}: '{}' is not a row of {} ({}). Give a time and a {} in each line, for example 0.1, 2.5.",
                    row.place.where, row.content, title_, why, name_of(dimension_)));
  }
  template <class Read>
  auto at_its_line(const WaveformRow& row, const Read& read) const {
    try {
      return read();
    } catch (const InputError& e) {
      throw InputError(fmt::format("{}: {}", row.place.where, e.what()));
    }
  }
  std::optional<double> unit_of(const WaveformRow& row, std::size_t column, Dimension dimension) const {
    return at_its_line(row, [&] { return unit_of_column(row.cells[column], dimension); });
  }
  double value_of(const WaveformRow& row, std::size_t column, Dimension dimension, double unit) const {
    return at_its_line(row, [&] { return cell_value(row.cells[column], dimension, unit); });
  }
  std::string extension() const { return lower_case(file_.extension().string()); }

  const std::filesystem::path& file_;
  const Value& given_;
  const std::string& title_;
  Dimension dimension_;
  std::optional<double> cell_unit_;
  std::string text_;
  std::vector<WaveformRow> rows_;
};

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

bool is_file(const Value& value) {
  const auto* text = std::get_if<std::string>(&value.data);
  if (text == nullptr) return false;
  constexpr std::array<std::string_view, 5> endings = {".csv", ".flow", ".txt", ".dat", ".tsv"};
  return std::ranges::any_of(endings, [&](auto ending) { return lower_case(*text).ends_with(ending); });
}

}  // namespace

bool is_series(const Value& value) { return std::holds_alternative<List>(value.data) || is_file(value); }

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
  std::optional<double> cell_unit;
  if (in.has("unit")) {
    const Value one{"1 " + in.text("unit"), in.find("unit")->where};
    cell_unit = in.quantity_of(one, in.title("unit"), dimension, Range::positive);
    if (!is_file(value))
      fail(*in.find("unit"), fmt::format("A unit is given, but {} is not a file. Write the unit into {}.", title, key));
  }
  if (std::holds_alternative<Section>(value.data)) {
    table.cosine = read_cosine(value, title, dimension, unit);
  } else if (is_file(value)) {
    table.file = folder / std::get<std::string>(value.data);
    FileReader(table.file, value, title, dimension, cell_unit).run(unit, table);
  } else if (const auto* list = std::get_if<List>(&value.data)) {
    if (list->empty()) fail(value, fmt::format("{} is an empty list. Give [[time, value], ...].", title));
    read_list(in, *list, title, dimension, unit, table);
  } else {
    table.points.push_back({0, unit * in.quantity_of(value, title, dimension, Range::any)});
  }
  if (!std::isfinite(table.largest_magnitude()))
    fail(value, fmt::format("{} over the opening's disc is not finite. Correct it, or the radius.", title));
  return table;
}

}  // namespace weft::flow
