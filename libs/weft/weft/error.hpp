// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace weft {

/// Base of every exception that weft throws.
///
/// Message grammar: what is wrong (why that is wrong). what to do.
///
/// `everywhere()` says that every rank throws the same error at the same place, so that one rank may speak for all
/// and the program may end in order; otherwise the other ranks know nothing of it and the job must be aborted
/// (weft::main does the right thing with both).
class Error : public std::runtime_error {
 public:
  /// `what`: the message. `everywhere`: whether every rank throws it at the same place.
  explicit Error(const std::string& what, bool everywhere = false)
      : std::runtime_error(what), everywhere_(everywhere) {}

  /// Whether every rank throws it at the same place, so that one may speak for all.
  bool everywhere() const noexcept { return everywhere_; }

 private:
  bool everywhere_;
};

/// Another rank has let go of what this rank waits for. What was wrong is said by that rank, so weft::main lets it
/// speak first.
class PeerError : public Error {
 public:
  using Error::Error;
};

/// What the user gave is wrong: a file, a key, a command line. weft::main prints it as one line and ends with status 2.
///
/// A message quotes what a file holds, and that may be anything: a control character becomes '?', the end of a line a
/// blank, and of more than 3000 bytes the middle is left out.
class InputError : public Error {
 public:
  /// As Error; `what` is made one line.
  explicit InputError(const std::string& what, bool everywhere = false) : Error(one_line(what), everywhere) {}

 private:
  static std::string one_line(std::string text);
};

}  // namespace weft
