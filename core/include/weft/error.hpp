// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace weft {

/// Base of every exception that weft throws.
///
/// Form of a message: What is wrong (why it is wrong). What to do.
///
/// `everywhere()` is true if every rank throws the same error at the same place: then one rank prints it, and the
/// program ends in order. Otherwise the other ranks don't have the error, and the job must be aborted. (weft::main
/// handles both.)
class Error : public std::runtime_error {
 public:
  /// `what`: the message. `everywhere`: whether every rank throws it at the same place.
  explicit Error(const std::string& what, bool everywhere = false)
      : std::runtime_error(what), everywhere_(everywhere) {}

  /// Whether every rank throws it at the same place, so that one rank may print it.
  bool everywhere() const noexcept { return everywhere_; }

 private:
  bool everywhere_;
};

/// Another rank has failed first. That rank reports the cause, so weft::main lets it print first.
class PeerError : public Error {
 public:
  using Error::Error;
};

/// The user's input is wrong: a file, a key, a command line. weft::main prints the error as one line and ends with
/// status 2.
///
/// A message may quote any content of a file: control characters become '?', line ends become blanks, and of more than
/// 3000 bytes the middle is left out.
class InputError : public Error {
 public:
  /// As Error; `what` is converted to one line.
  explicit InputError(const std::string& what, bool everywhere = false) : Error(one_line(what), everywhere) {}

 private:
  static std::string one_line(std::string text);
};

}  // namespace weft
