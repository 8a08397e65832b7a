// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace [[gnu::visibility("default")]] weft {

/// Base of every exception that weft throws. The message has the form: What is wrong (why it is wrong). What to do.
///
/// If everywhere() is true, every rank throws the same error at the same place, so one rank prints it and the program
/// ends normally. Otherwise other ranks may not know of the error, and the job must be aborted. weft::main does both.
class Error : public std::runtime_error {
 public:
  /// `what`: the message. `everywhere`: see everywhere().
  explicit Error(const std::string& what, bool everywhere = false)
      : std::runtime_error(what), everywhere_(everywhere) {}

  /// Whether every rank throws this error at the same place.
  bool everywhere() const noexcept { return everywhere_; }

 private:
  bool everywhere_;
};

/// Another rank has failed first. weft::main lets that rank print the cause before it ends the job.
class PeerError : public Error {
 public:
  using Error::Error;
};

/// The user's input is wrong: a file, a key, a command line. weft::main prints the message as one line and ends with
/// status 2.
///
/// A message may quote any content of a file: control characters become '?', line ends become blanks, and of more than
/// 3000 bytes the middle is left out.
class InputError : public Error {
 public:
  /// `what` is converted to one line; `everywhere` as in Error.
  explicit InputError(const std::string& what, bool everywhere = false) : Error(one_line(what), everywhere) {}

 private:
  static std::string one_line(std::string text);
};

}  // namespace weft
