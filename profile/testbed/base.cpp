// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/base.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "testbed/rights.hpp"

namespace weft::testbed {

void refuse(const std::string& what) { throw Failure(what, 2); }

void fail_errno(const std::string& what) {
  const int error = errno;
  throw Failure(what + " (" + std::strerror(error) + ")." + (error == EPERM ? advice_on_rights() : ""), 1);
}

std::int64_t now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * nanoseconds + t.tv_nsec;
}

namespace {

struct Unit {
  const char* name;
  double factor;
};

// A number with one of the units; below 0 if it is invalid. A plain 0 needs no unit.
template <std::size_t n>
double with_unit(const std::string& text, const Unit (&units)[n]) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !(value >= 0)) return -1;
  for (const auto& unit : units)
    if (std::strcmp(end, unit.name) == 0) return value * unit.factor;
  return *end == 0 && value == 0 ? 0 : -1;
}

}  // namespace

std::int64_t parse_time(const std::string& what, const std::string& text) {
  const double ns = with_unit(text, {Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}});
  if (!(ns >= 0 && ns <= 1e10))
    refuse(what + " is '" + text + "' (a time is 0 to 10s). Give, for example, 1ms, 200us or 0.");
  return std::llround(ns);
}

std::int64_t parse_rate(const std::string& what, const std::string& text) {
  if (text == "inf") return 0;
  std::string plain;  // weft itself prints 1 Gbit/s
  for (const char c : text.substr(0, text.find("/s")))
    if (c != ' ') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const double rate = with_unit(plain, {Unit{"bit", 1}, Unit{"kbit", 1e3}, Unit{"mbit", 1e6}, Unit{"gbit", 1e9}});
  if (!(rate >= 1000 && rate <= 1e13))
    refuse(what + " is '" + text + "' (a rate is at least 1kbit). Give, for example, 1gbit, 100mbit or inf.");
  return std::llround(rate);
}

double parse_number(const std::string& what, const std::string& text, double least, double most) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() && *end == 0 && value >= least && value <= most) return value;
  char range[100];
  std::snprintf(range, sizeof range, "'. Give a number from %.10g to %.10g.", least, most);
  refuse(what + " is '" + text + range);
}

int parse_integer(const std::string& what, const std::string& text, int least, int most) {
  const double value = parse_number(what, text, least, most);
  if (value != std::floor(value)) refuse(what + " is '" + text + "'. Give a whole number.");
  return static_cast<int>(value);
}

bool write_file(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  const bool all = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  return all;
}

int pidfd_open(int pid) { return static_cast<int>(syscall(434 /* pidfd_open */, pid, 0)); }

}  // namespace weft::testbed
