// SPDX-License-Identifier: BSD-3-Clause
//
// What is fuzzed: one function for each reader of files. libFuzzer calls it with bytes that it makes up (fuzzer.cpp), a
// test with those of the corpus (corpus_test.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weft::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// What no file may bring about, other than a crash.
class Finding : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};
void expect(bool condition, const std::string& what);
void expect_finite(std::initializer_list<double> numbers, const std::string& what);
inline void expect_finite(const std::array<double, 3>& v, const std::string& what) {
  expect_finite({v[0], v[1], v[2]}, what);
}

/// STL, VTP, PLY, OBJ: the content says which.
void surface(Bytes bytes);
void flow_case(Bytes bytes);
/// The first byte says what the rest is: 'b' what is inside a block, which zlib guards in a file, else a file.
void gmy(Bytes bytes);
void hemelb_xml(Bytes bytes);
/// The first byte says what the rest is: 's' what a header holds, which a checksum guards in a file, else a file.
void flow_checkpoint(Bytes bytes);
void wave_checkpoint(Bytes bytes);
void box_checkpoint(Bytes bytes);
/// Lines as `--replay` reads them, and each as a viewer's page sends it.
void flow_commands(Bytes bytes);
/// A CSV file that an opening names.
void waveform(Bytes bytes);
void box_case(Bytes bytes);
void wave_case(Bytes bytes);
/// The first byte says what the rest is: 'i' the index beside an archive of bzip2, a zero byte and the archive, else an
/// archive.
void archive(Bytes bytes);
/// What --tune keeps.
void tune_store(Bytes bytes);
/// Of `weft bench`.
void delay_pattern(Bytes bytes);
/// What `weft predict` reads. The first byte says what the rest is: 'n' a network, else a run's JSON.
void prediction(Bytes bytes);

struct Target {
  std::string_view name;  ///< of its corpus, too
  void (*run)(Bytes);
};
inline constexpr Target targets[] = {{"surface", surface},
                                     {"flow_case", flow_case},
                                     {"gmy", gmy},
                                     {"hemelb_xml", hemelb_xml},
                                     {"flow_checkpoint", flow_checkpoint},
                                     {"wave_checkpoint", wave_checkpoint},
                                     {"box_checkpoint", box_checkpoint},
                                     {"flow_commands", flow_commands},
                                     {"waveform", waveform},
                                     {"box_case", box_case},
                                     {"wave_case", wave_case},
                                     {"archive", archive},
                                     {"tune_store", tune_store},
                                     {"delay_pattern", delay_pattern},
                                     {"prediction", prediction}};

/// A file that holds these bytes until the next call for a file of that name; its folder goes when the program ends.
std::filesystem::path as_file(std::string_view bytes, const std::string& name);
/// The file that the bytes stand for, where the first says what the rest is: 's' what the header of a checkpoint holds,
/// whose whole is then in `sealed`, else a file.
std::filesystem::path as_checkpoint(Bytes bytes, const char* magic, std::string& sealed);
inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Does `read`, which may throw InputError: one line, of bounded length, that names a file. Returns whether it did not.
bool is_read(const std::filesystem::path& file, const std::function<void()>& read);

}  // namespace weft::fuzz
