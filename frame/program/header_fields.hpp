// SPDX-License-Identifier: BSD-3-Clause
//
// A header that is written and read by one function, so that the two can't differ: `fields(x)` writes or reads x.
//
//     template <class Fields>
//     void each_field(Header& header, Fields& fields) { fields(header.step), fields(header.settings); }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "program/bytes.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

class WrittenFields {
 public:
  template <class Number>
  void operator()(const Number& number) {
    writer_.put(number);
  }
  void operator()(const std::string& text) { writer_.put_text(text); }
  template <class Number>
  void operator()(const std::vector<Number>& list) {
    size_of(list, sizeof(Number));
    for (const auto& number : list) writer_.put(number);
  }
  /// The size of a list, whose items follow.
  template <class Item>
  void size_of(const std::vector<Item>& list, std::size_t) {
    writer_.put(static_cast<std::uint64_t>(list.size()));
  }

  const std::string& bytes() const { return writer_.bytes; }

 private:
  ByteWriter writer_;
};

/// Throws ByteReader::EndError if the bytes end too early.
class ReadFields {
 public:
  ReadFields(std::string_view bytes, std::size_t at) : reader_(bytes, at) {}

  template <class Number>
  void operator()(Number& number) {
    reader_.get(number);
  }
  void operator()(bool& flag) { flag = reader_.get<std::uint8_t>() != 0; }
  void operator()(std::string& text) { text = reader_.get_text(); }
  template <class Number>
  void operator()(std::vector<Number>& list) {
    size_of(list, sizeof(Number));
    for (auto& number : list) reader_.get(number);
  }
  /// `item_bytes`: of each item at least, so that a wrong size allocates no more than the file has.
  template <class Item>
  void size_of(std::vector<Item>& list, std::size_t item_bytes) {
    const auto size = reader_.get<std::uint64_t>();
    if (size > reader_.left() / item_bytes) throw ByteReader::EndError();
    list.resize(size);
  }

 private:
  ByteReader reader_;
};

}  // namespace program
}  // namespace weft
