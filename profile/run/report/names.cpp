// SPDX-License-Identifier: BSD-3-Clause
#include "run/report/names.hpp"

#include <algorithm>
#include <cctype>

namespace weft::run {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void without_suffix(std::string& name) {
  for (const auto* added : {" [clone ", ".constprop", ".isra", ".part.", ".cold", ".lto_priv"})
    if (const auto at = name.find(added); at != name.npos && at > 0) name.erase(at);
  const auto dot = name.rfind('.');
  if (dot != name.npos && dot > 0 && dot + 1 < name.size() &&
      std::all_of(name.begin() + static_cast<long>(dot) + 1, name.end(), is_digit))
    name.erase(dot);
}

// "6mpi4py_3MPI_4Comm_77Isend": lengths and names, and finally a serial number and a name.
std::string of_cython(std::string rest) {
  std::string name;
  for (;;) {
    std::size_t digits = 0;
    while (digits < rest.size() && digits < 4 && is_digit(rest[digits])) ++digits;
    const auto length = digits > 0 ? std::stoul(rest.substr(0, digits)) : 0;
    if (length == 0 || digits + length >= rest.size() || rest[digits + length] != '_')
      return rest.size() > digits ? name + rest.substr(digits) : "";
    name += rest.substr(digits, length) + ".";
    rest.erase(0, digits + length + 1);
  }
}

}  // namespace

bool is_fortran(const std::string& file) {
  auto ending = file.substr(std::min(file.size(), file.rfind('.')));
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto* one : {".f90", ".f", ".for", ".ftn", ".f95", ".f03", ".f08", ".f77"})
    if (ending == one) return true;
  return false;
}

std::string readable(std::string function, const std::string& file) {
  without_suffix(function);
  if (function == "MAIN__") return "main program";
  for (const auto* prefix : {"__pyx_pw_", "__pyx_pf_", "__pyx_f_"})
    if (function.rfind(prefix, 0) == 0)
      if (auto name = of_cython(function.substr(std::string(prefix).size())); !name.empty()) return name;
  if (const auto at = function.find("_MOD_"); function.rfind("__", 0) == 0 && at != function.npos && at > 2)
    return function.substr(2, at - 2) + "::" + function.substr(at + 5);
  const bool tail = function.size() > 1 && function.back() == '_';
  if (const auto at = function.find("_mp_"); tail && at != function.npos && at > 0 && at + 5 < function.size())
    return function.substr(0, at) + "::" + function.substr(at + 4, function.size() - at - 5);
  if (tail && is_fortran(file)) function.pop_back();
  return function;
}

}  // namespace weft::run
