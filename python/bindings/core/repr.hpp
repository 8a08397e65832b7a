// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <utility>

namespace weft::python {

namespace nb = nanobind;

/// `.def(Repr(text))` adds __repr__: "<weft.Exchange: " and text(object). `text` must not throw, nor communicate.
template <class Text>
class Repr : public nb::def_visitor<Repr<Text>> {
 public:
  explicit Repr(Text text) : text_(std::move(text)) {}

  template <class Class>
  void execute(Class& c) const {
    c.def("__repr__", [text = text_](nb::handle_t<typename Class::Type> self) {
      const auto name = nb::cast<std::string>(nb::type_name(self.type()));
      return "<" + name + ": " + text(nb::cast<const typename Class::Type&>(self)) + ">";
    });
  }

 private:
  Text text_;
};

/// "2 monitors".
inline std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// What describe() begins with.
inline std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace weft::python
