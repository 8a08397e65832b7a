// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "program/checkpoints.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft::fuzz {

void expect(bool condition, const std::string& what) {
  if (!condition) throw Finding(what);
}

void expect_finite(std::initializer_list<double> numbers, const std::string& what) {
  for (const auto x : numbers) expect(std::isfinite(x), what + " is not finite");
}

std::filesystem::path as_file(std::string_view bytes, const std::string& name) {
  static const weft::test::Scratch scratch;
  const auto file = scratch.path() / name;
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  expect(out.good(), "the scratch folder is full");
  return file;
}

std::filesystem::path as_checkpoint(Bytes bytes, const char* magic, std::string& sealed) {
  auto text = text_of(bytes);
  const bool seal = text.starts_with('s');
  if (!text.empty()) text.remove_prefix(1);
  if (seal) sealed = program::seal_header(magic, std::string(text));
  return as_file(seal ? std::string_view(sealed) : text, "checkpoint_00000001.weft");
}

bool is_read(const std::filesystem::path& file, const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const InputError& e) {
    const std::string what = e.what();
    constexpr std::size_t most_letters = 4096;
    // That file, or one beside it.
    expect(what.find(file.parent_path().string()) != std::string::npos, "names no file: " + what);
    expect(std::none_of(what.begin(), what.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }),
           "more than one line, or no text: " + what);
    expect(what.size() <= most_letters, "a message of " + std::to_string(what.size()) + " bytes");
    return false;
  }
}

}  // namespace weft::fuzz
