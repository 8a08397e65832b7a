// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace weft::testbed {

/// Ends the program with a message and a status: 2 for user errors, 1 for system errors.
struct Failure : std::runtime_error {
  Failure(const std::string& what, int its_status) : std::runtime_error(what), status(its_status) {}
  int status;
};

[[noreturn]] void refuse(const std::string& what);      ///< status 2
[[noreturn]] void fail_errno(const std::string& what);  ///< status 1, with errno's text

constexpr std::int64_t nanoseconds = 1'000'000'000;  ///< in a second
constexpr std::int64_t for_ever = 100'000'000 * nanoseconds;

std::int64_t now_ns();

/// Converts "1ms", "200us", "0" to nanoseconds (at most 10 s); an error message names `what`.
std::int64_t parse_time(const std::string& what, const std::string& text);
/// Converts "1gbit", "100mbit" to bit/s; "inf" is 0, no limit.
std::int64_t parse_rate(const std::string& what, const std::string& text);
/// A number from `least` to `most`.
double parse_number(const std::string& what, const std::string& text, double least, double most);
int parse_integer(const std::string& what, const std::string& text, int least, int most);

/// Returns false if it can't be written.
bool write_file(const char* path, const std::string& text);

int pidfd_open(int pid);

}  // namespace weft::testbed
