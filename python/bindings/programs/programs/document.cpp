// SPDX-License-Identifier: BSD-3-Clause
#include "programs/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "box_program/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "program/overrides.hpp"
#include "program/section_reader.hpp"
#include "program/toml_reader.hpp"
#include "program/value.hpp"
#include "wave/case.hpp"
#include "weft/error.hpp"

namespace weft::python {

using namespace program;

namespace {

constexpr int deepest = 16;  // a list may contain itself

[[noreturn]] void refuse(const std::string& where, const std::string& what) { fail({Value::Other{}, where}, what); }

Value whole_number(nb::handle object, const std::string& where) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow != 0) refuse(where, "The whole number is too large (it has more than 64 bits). Give a smaller number.");
  return {std::int64_t{number}, where};
}

std::string text_of(nb::handle object, const std::string& where) {
  std::string text;
  if (!nb::try_cast(object, text))
    refuse(where, "The text is not valid Unicode (it has half of a surrogate pair). Correct it.");
  return text;
}

Value converted(nb::handle object, const std::string& where, int depth);

Value section_of(nb::handle object, const std::string& where, int depth) {
  Section section;
  for (const auto& [key, value] : nb::borrow<nb::dict>(object)) {
    if (!nb::isinstance<nb::str>(key)) refuse(where, "A key of a section is not a text. Give the names of keys.");
    if (value.is_none()) continue;  // as if it were not there
    section.entries.push_back({text_of(key, where), converted(value, where, depth + 1)});
  }
  return {std::move(section), where};
}

Value list_of(nb::handle object, const std::string& where, int depth) {
  List list;
  for (const auto item : object) list.push_back(converted(item, where, depth + 1));
  return {std::move(list), where};
}

Value converted(nb::handle object, const std::string& where, int depth) {
  if (depth > deepest) refuse(where, "The value has too many lists or sections inside each other. Give a simpler one.");
  if (nb::isinstance<nb::bool_>(object)) return {nb::cast<bool>(object), where};
  if (PyLong_Check(object.ptr())) return whole_number(object, where);
  if (PyFloat_Check(object.ptr())) return {PyFloat_AsDouble(object.ptr()), where};
  if (nb::isinstance<nb::str>(object)) return {text_of(object, where), where};
  if (nb::isinstance<nb::dict>(object)) return section_of(object, where, depth);
  if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object)) return list_of(object, where, depth);
  if (nb::hasattr(object, "__fspath__")) return {nb::cast<std::string>(nb::str(object)), where};
  if (nb::hasattr(object, "tolist")) return converted(object.attr("tolist")(), where, depth + 1);  // of NumPy
  refuse(where, fmt::format("The value has the type {} (a case has no such values). Give a bool, int, float, str, list "
                            "or dict.",
                            nb::cast<std::string>(nb::str(object.type().attr("__name__")))));
}

// A value of a case from an object of Python: bool, int, float, str (or a path), list, tuple, dict, and numbers and
// arrays of NumPy. `where` begins the messages about it. Throws InputError for any other type.
Value value_of(nb::handle object, const std::string& where) { return converted(object, where, 0); }

// The other way: bool, int, float, str, list, dict.
nb::object object_of(const Value& value) {
  return std::visit(
      [](const auto& data) -> nb::object {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, Section>) {
          nb::dict section;
          for (const auto& entry : data.entries) section[entry.key.c_str()] = object_of(entry.value);
          return section;
        } else if constexpr (std::is_same_v<Data, List>) {
          nb::list list;
          for (const auto& item : data) list.append(object_of(item));
          return list;
        } else if constexpr (std::is_same_v<Data, Value::Other> || std::is_same_v<Data, Value::Nothing>) {
          return nb::none();
        } else {
          return nb::cast(data);
        }
      },
      value.data);
}

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

Document::Document(Program program, program::Value root, std::filesystem::path file)
    : program_(program), root_(std::move(root)), file_(std::move(file)) {
  check(program_, root_, file_);
}

Document Document::read(const std::string& program, const std::string& file) {
  return {program_names.named(program), program::read_toml(file), file};
}

Document Document::parse(const std::string& program, const std::string& text, const std::string& file) {
  return {program_names.named(program), program::parse_toml(text, file), file};
}

Document Document::of(const std::string& program, const nb::dict& content, const std::string& file) {
  return {program_names.named(program), value_of(content, file), file};
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
