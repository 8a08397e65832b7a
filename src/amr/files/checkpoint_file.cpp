// SPDX-License-Identifier: BSD-3-Clause
#include "amr/files/checkpoint_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <sstream>
#include <type_traits>

#include "amr/files/crc32.hpp"

namespace weft::amr::checkpoint {

namespace fs = std::filesystem;

namespace {

constexpr char magic[8] = {'w', 'e', 'f', 't', 'A', 'M', 'R', '1'};
constexpr std::uint32_t byte_order = 0x01020304;
constexpr std::size_t page = 4096;

// What every file begins with. The checksum is of all that follows it in the header.
struct Front {
  char magic[8];
  std::uint32_t byte_order, crc;
  std::uint64_t header_bytes;
};
constexpr std::size_t checked_from = 16;  // header_bytes and on

class Writer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  std::string bytes;
};

class Reader {
 public:
  Reader(const fs::path& file, const std::string& bytes, std::size_t at) : file_(file), bytes_(bytes), at_(at) {}
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  template <class T>
  void get(T& value) {
    value = get<T>();
  }
  const char* take(std::size_t count) {
    if (count > bytes_.size() - at_) throw DamagedError(file_, "its header ends too early");
    at_ += count;
    return bytes_.data() + at_ - count;
  }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  const fs::path& file_;
  const std::string& bytes_;
  std::size_t at_;
};

std::uint32_t crc_of(const std::string& bytes) {
  return crc32(std::as_bytes(std::span(bytes)).subspan(checked_from));
}

std::string reason() { return errno != 0 ? std::strerror(errno) : "it can't be read"; }

}  // namespace

std::size_t Header::block_bytes() const {
  const auto n = static_cast<std::size_t>(identity.domain.cells);
  return static_cast<std::size_t>(identity.saved_fields) * n * n * n * sizeof(double);
}

std::string bytes_of(const Header& header) {
  const auto& domain = header.identity.domain;
  Writer w;
  w.bytes.assign(sizeof(Front), '\0');
  w.put(header.step);
  w.put(header.time);
  for (const auto n : domain.blocks) w.put(n);
  for (const bool p : domain.periodic) w.put(static_cast<std::uint8_t>(p));
  w.put(domain.cells);
  for (const auto x : domain.low) w.put(x);
  w.put(domain.spacing);
  w.put(header.identity.saved_fields);
  w.put(static_cast<std::uint64_t>(header.identity.settings.size()));
  w.bytes += header.identity.settings;
  w.put(static_cast<std::uint64_t>(header.blocks.size()));
  for (const auto& entry : header.blocks) {
    w.put(entry.key.level);
    for (const auto x : entry.key.at) w.put(x);
    w.put(entry.crc);
  }
  w.bytes.resize((w.bytes.size() + page - 1) / page * page);
  Front front{};
  std::memcpy(front.magic, magic, sizeof magic);
  front.byte_order = byte_order;
  front.header_bytes = w.bytes.size();
  std::memcpy(w.bytes.data(), &front, sizeof front);
  front.crc = crc_of(w.bytes);
  std::memcpy(w.bytes.data(), &front, sizeof front);
  return w.bytes;
}

std::string read_header_bytes(const fs::path& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) throw DamagedError(file, reason());
  Front front{};
  if (!in.read(reinterpret_cast<char*>(&front), sizeof front)) throw DamagedError(file, "it is too short");
  if (std::memcmp(front.magic, magic, sizeof magic) != 0) throw DamagedError(file, "it is no file of weft wave's");
  if (front.byte_order != byte_order) throw DamagedError(file, "it is from a machine with another byte order");
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error || front.header_bytes > size || front.header_bytes < sizeof front) throw DamagedError(file, "it is too short");
  std::string bytes(front.header_bytes, '\0');
  if (!in.seekg(0) || !in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) throw DamagedError(file, reason());
  if (crc_of(bytes) != front.crc) throw DamagedError(file, "the checksum of its header is wrong");
  const auto header = parse(file, bytes);
  if (size != bytes.size() + header.blocks.size() * header.block_bytes())
    throw DamagedError(file, fmt::format("it has {} bytes, not {}", size,
                                         bytes.size() + header.blocks.size() * header.block_bytes()));
  return bytes;
}

Header parse(const fs::path& file, const std::string& bytes) {
  Header header;
  auto& domain = header.identity.domain;
  Reader r(file, bytes, sizeof(Front));
  r.get(header.step);
  r.get(header.time);
  for (auto& n : domain.blocks) r.get(n);
  for (auto& p : domain.periodic) p = r.get<std::uint8_t>() != 0;
  r.get(domain.cells);
  for (auto& x : domain.low) r.get(x);
  r.get(domain.spacing);
  r.get(header.identity.saved_fields);
  const auto letters = r.get<std::uint64_t>();
  header.identity.settings.assign(r.take(letters), letters);
  const auto blocks = r.get<std::uint64_t>();
  constexpr std::size_t entry_bytes = 5 * sizeof(std::int32_t);
  if (blocks > r.left() / entry_bytes) throw DamagedError(file, "its header ends too early");
  header.blocks.resize(blocks);
  for (auto& entry : header.blocks) {
    r.get(entry.key.level);
    for (auto& x : entry.key.at) r.get(x);
    r.get(entry.crc);
  }
  return header;
}

void compare(const fs::path& file, const Identity& found, const Identity& wanted) {
  const auto fail = [&](const std::string& its, const std::string& ours) {
    throw InputError(fmt::format("{} is of another case (it has {}, this case {}). give the case that it was written by, or "
                                 "start without --restart.", file.string(), its, ours));
  };
  const auto box = [](const Domain& d) {
    return fmt::format("{} x {} x {} blocks of {}^3 cells from ({:g}, {:g}, {:g}) with spacing {:g}", d.blocks[0], d.blocks[1],
                       d.blocks[2], d.cells, d.low[0], d.low[1], d.low[2], d.spacing);
  };
  if (!(found.domain == wanted.domain)) {
    const auto a = box(found.domain), b = box(wanted.domain);
    if (a != b) fail(a, b);
    fail("other periodic axes", "its own");
  }
  if (found.saved_fields != wanted.saved_fields)
    fail(fmt::format("{} fields", found.saved_fields), fmt::format("{}", wanted.saved_fields));
  if (found.settings == wanted.settings) return;
  std::istringstream a(found.settings), b(wanted.settings);
  std::string its, ours;
  do {
    if (!std::getline(a, its)) its = "nothing more";
    if (!std::getline(b, ours)) ours = "nothing more";
  } while (its == ours && (a || b));
  fail("'" + its + "'", "'" + ours + "'");
}

BlockReader::BlockReader(const fs::path& file, const Header& header, std::size_t header_bytes)
    : file_(file), header_(&header), header_bytes_(header_bytes), stream_(file, std::ios::binary) {
  if (!stream_) throw DamagedError(file_, reason());
}

void BlockReader::read(std::size_t place, std::span<double> cells) {
  const auto bytes = std::as_writable_bytes(cells);
  errno = 0;
  if (!stream_.seekg(static_cast<std::streamoff>(header_bytes_ + place * bytes.size())) ||
      !stream_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    throw DamagedError(file_, reason());
  const auto& entry = header_->blocks[place];
  if (crc32(bytes) == entry.crc) return;
  const auto& at = entry.key.at;
  throw DamagedError(file_, fmt::format("the checksum of block ({}, {}, {}) of level {} is wrong", at[0], at[1], at[2],
                                        entry.key.level));
}

}  // namespace weft::amr::checkpoint
