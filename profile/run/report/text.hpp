// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::run {

/// Text from other programs made printable: valid UTF-8, without control characters and changes of direction.
std::string clean(std::string_view text);

/// Replaces characters that are not ASCII by question marks, one per column.
std::string ascii(std::string_view text);

/// Escaped for text and attributes of HTML.
std::string escaped(std::string_view text);

/// Width in columns of a terminal.
std::size_t width_of(std::string_view text);

/// Cut to `most` columns; a longer text ends with "...".
std::string cut_end(const std::string& text, std::size_t most);

/// A function's name, with its place or without: if it is longer than `most` columns, then without template arguments,
/// and then without its end, cut between words: "Solver<...>::step (solver.cpp:88)", "ns::Solver::... (solver.cpp:88)".
std::string cut_name(const std::string& name, std::size_t most);

/// Broken into lines of at most `most` columns, at spaces where possible.
std::vector<std::string> wrapped(const std::string& text, std::size_t most);

/// Three digits, in a suitable unit: "33.9 us".
std::string duration(double seconds);

/// "4", "1.5", "12,800".
std::string count(double n);

/// "2 KiB", "1.5 MiB".
std::string size_of(double bytes);

/// "32 %"; "<1 %" for small shares above 0.
std::string percent(double share);

std::string plural(double n, const std::string& noun);

/// "a", "a and b", "a, b and 3 more".
std::string listed(const std::vector<std::string>& all, std::size_t most);

/// Durations of one table: one unit and one number of decimals, four digits for the largest. `units` is a duration in
/// units of the last printed digit, so that printed numbers can be made to add up.
class DurationScale {
 public:
  explicit DurationScale(double largest_seconds);
  double units(double seconds) const { return seconds * units_a_second_; }
  std::string text(double units) const;  ///< "11.82 us"
  std::string text_of(double seconds) const { return text(units(seconds)); }

 private:
  const char* unit_ = "us";
  int decimals_ = 2;
  double units_a_second_ = 1e8;
};

/// Whole numbers in proportion to these values, with the sum `total`.
std::vector<double> parts_of(double total, const std::vector<double>& values);

/// "34.8 %" for 348.
std::string tenths_of_percent(double tenths);

/// A function's name as in the source code: "solver::sweep" for gfortran's "__solver_MOD_sweep" and Intel's
/// "solver_mp_sweep_", "mpi4py.MPI.Comm.Isend" for Cython's "__pyx_pw_6mpi4py_3MPI_4Comm_77Isend", without the suffixes
/// of copies made by compilers (".constprop.0"). Other names stay unchanged.
std::string readable(std::string function, const std::string& file = {});

bool is_fortran(const std::string& file);  ///< by its extension

}  // namespace weft::run
