// SPDX-License-Identifier: BSD-3-Clause
#include "programs/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "box_program/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "program/overrides.hpp"
#include "program/toml_reader.hpp"
#include "programs/python_value.hpp"
#include "wave/case.hpp"
#include "weft/error.hpp"

namespace weft::python {

namespace {

void check(Program program, const program::Value& root, const std::filesystem::path& file) {
  switch (program) {
    case Program::flow: flow::read_case(root, file); return;
    case Program::box: box_program::read_case(root, file); return;
    case Program::wave: wave::read_case(root, file); return;
  }
}

void remove_excluded(Program program, const program::Override& changed) {
  switch (program) {
    case Program::flow: flow::remove_excluded(changed); return;
    case Program::box: box_program::remove_excluded(changed); return;
    case Program::wave: wave::remove_excluded(changed); return;
  }
}

}  // namespace

Program program_of(const std::string& name) {
  if (name == "flow") return Program::flow;
  if (name == "box") return Program::box;
  if (name == "wave") return Program::wave;
  throw InputError(fmt::format("There is no program '{}'. Give flow, box or wave.", name));
}

Document::Document(Program program, program::Value root, std::filesystem::path file)
    : program_(program), root_(std::move(root)), file_(std::move(file)) {
  check(program_, root_, file_);
}

Document Document::read(const std::string& program, const std::string& file) {
  return {program_of(program), program::read_toml(file), file};
}

Document Document::parse(const std::string& program, const std::string& text, const std::string& file) {
  return {program_of(program), program::parse_toml(text, file), file};
}

Document Document::of(const std::string& program, const nb::dict& content, const std::string& file) {
  return {program_of(program), value_of(content, file), file};
}

nb::object Document::content() const { return object_of(root_); }

void Document::set(const std::vector<std::pair<Words, nb::object>>& changes) {
  auto root = root_;
  for (const auto& [words, object] : changes) {
    const auto where = fmt::format("{}", fmt::join(words, "."));
    if (object.is_none()) {
      program::set_value(root, words, {program::Value::Nothing{}, where}).section->entries.pop_back();
      continue;
    }
    remove_excluded(program_, program::set_value(root, words, value_of(object, where)));
  }
  check(program_, root, file_);
  root_ = std::move(root);
}

}  // namespace weft::python
