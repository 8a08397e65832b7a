// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/vector.hpp"

namespace weft::hemelb {

/// An attribute whose value had no quotes.
struct AddedQuotes {
  std::size_t line = 0;
  std::string element, name, value;
};

struct QuotedText {
  std::string text;  ///< with the same line ends
  std::vector<AddedQuotes> added;
};

/// Adds missing quotes around the values of attributes: XML requires them, but HemePure reads cases without, and ships
/// one. Such a value ends at a blank, at > or at />. Comments, declarations, CDATA and quoted values stay unchanged; at
/// any other error of XML, the rest stays unchanged. Adds at most a thousand.
QuotedText with_quotes(const std::string& text);

/// A unit of HemeLB's XML and its factor.
struct Unit {
  std::string_view name;
  double factor = 1;
};

/// Reads typed values from an XML file and records which elements were read, so that the rest can be reported. Every
/// error is an InputError with file, line, element and allowed values.
class XmlReader {
 public:
  explicit XmlReader(const std::filesystem::path& file);

  const std::filesystem::path& file() const { return file_; }
  /// The repairs that made the file readable, one line each with file and line: attributes without quotes.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// The outermost element.
  pugi::xml_node root();
  /// The first child with this name; required() throws if there is none.
  pugi::xml_node child(pugi::xml_node parent, const char* name);
  pugi::xml_node required(pugi::xml_node parent, const char* name);
  pugi::xml_node take(pugi::xml_node element);
  std::vector<pugi::xml_node> children(pugi::xml_node parent, const char* name);

  std::string attribute(pugi::xml_node element, const char* name) const;
  /// An attribute that is a whole number of at least `lowest`.
  std::int64_t whole(pugi::xml_node element, const char* name, std::int64_t lowest) const;
  /// The value of <NAME value="..." units="..."/>, times the factor of its unit.
  double number(pugi::xml_node parent, const char* name, std::initializer_list<Unit> units);
  double positive(pugi::xml_node parent, const char* name, std::initializer_list<Unit> units);
  /// The same for "(x,y,z)"; also returns the unit's name.
  geometry::Vector vector(pugi::xml_node parent, const char* name, std::initializer_list<Unit> units,
                          std::string& unit);
  geometry::Vector vector_of(pugi::xml_node element, std::initializer_list<Unit> units, std::string& unit);

  /// "file.xml:12: inlets/inlet/normal", and without the file.
  std::string where(pugi::xml_node element) const;
  std::string path(pugi::xml_node element) const;
  std::size_t line(pugi::xml_node element) const;
  [[noreturn]] void fail(pugi::xml_node element, const std::string& what) const;

  /// The outermost elements that were not read, in the file's order.
  std::vector<pugi::xml_node> left() const;

 private:
  double number_of(pugi::xml_node element, std::string_view text) const;
  const Unit& unit_of(pugi::xml_node element, std::initializer_list<Unit> units) const;
  std::size_t line_at(std::ptrdiff_t offset) const;
  bool taken(pugi::xml_node element) const { return taken_.contains(element.hash_value()); }

  std::filesystem::path file_;
  std::vector<std::string> warnings_;
  std::string text_;
  std::vector<std::ptrdiff_t> line_ends_;  // the line is needed once per element, so it is not counted each time
  pugi::xml_document document_;
  std::set<std::size_t> taken_;
};

}  // namespace weft::hemelb
