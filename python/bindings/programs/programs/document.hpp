// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "program/value.hpp"
#include "weft/names.hpp"

namespace weft::python {

namespace nb = nanobind;

enum class Program : std::uint8_t { flow, box, wave };
inline constexpr Names<Program> program_names("program", {{Program::flow, "flow"},
                                                          {Program::box, "box"},
                                                          {Program::wave, "wave"}});

/// A case as the tree of its file, which the program's own reader has accepted. Changes that the reader refuses throw
/// InputError and leave the case as it was.
class Document {
 public:
  using Words = std::vector<std::string>;  ///< of a key: "outlet", "left", "pressure"

  static Document read(const std::string& program, const std::string& file);
  /// `file` gives the case its name and the folder of relative paths; it need not exist.
  static Document parse(const std::string& program, const std::string& text, const std::string& file);
  static Document of(const std::string& program, const nb::dict& content, const std::string& file);

  Program program() const { return program_; }
  const program::Value& root() const { return root_; }
  const std::filesystem::path& file() const { return file_; }
  nb::object content() const;

  /// Sets several keys, then reads the case. None removes a key.
  void set(const std::vector<std::pair<Words, nb::object>>& changes);

 private:
  Document(Program program, program::Value root, std::filesystem::path file);

  Program program_;
  program::Value root_;
  std::filesystem::path file_;
};

}  // namespace weft::python
