// SPDX-License-Identifier: BSD-3-Clause
#include "program/hdf5_handle.hpp"

#include <string_view>
#include <vector>

#include "weft/error.hpp"

namespace weft::program::hdf5 {

namespace {

struct Cause {
  hid_t code;             // HDF5's minor error
  std::string_view text;  // part of its description; empty: any
  const char *why, *advice;
};

// The codes are variables of the library.
std::vector<Cause> causes() {
  return {
      {H5E_CANTLOCKFILE, "", "another program has it open for writing", "Wait until that program has closed it."},
      {H5E_CANTOPENFILE, "already open for write", "the program that writes it has not closed it",
       "Wait until it has; if it was killed, use h5clear -s."},
      {H5E_CANTOPENFILE, "external", "a link leads to another file, which can't be opened",
       "Copy that file to the place that h5ls -r shows."},
      {H5E_NOTHDF5, "", "it is not HDF5", "Give a raw file another ending than .h5 or .hdf5."},
      {H5E_TRUNCATED, "", "its end is missing", "Check that it is complete."},
      {H5E_NOFILTER, "", "HDF5's filter that compressed it is not installed", "Decompress it with h5repack -f NONE."},
      {H5E_CANTFILTER, "", "its numbers can't be decompressed, or their checksum is wrong",
       "Check it with h5dump, and use another copy."},
      {H5E_CANTLOAD, "", "its structure is damaged, or that of a newer HDF5",
       "Check it with h5ls -r, and use another copy."},
  };
}

}  // namespace

Trouble trouble() {
  struct Found {
    std::vector<Cause> table = causes();
    std::string deepest{};
    const Cause* cause = nullptr;
  } found;
  const auto take = [](unsigned, const H5E_error2_t* entry, void* out) -> herr_t {
    auto& f = *static_cast<Found*>(out);
    const std::string_view text = entry->desc != nullptr ? entry->desc : "";
    if (f.deepest.empty()) f.deepest = text;
    for (const auto& cause : f.table)
      if (f.cause == nullptr && cause.code == entry->min_num && text.find(cause.text) != text.npos) f.cause = &cause;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &found);
  H5Eclear2(H5E_DEFAULT);
  if (found.cause != nullptr) return {found.cause->why, found.cause->advice};
  return {found.deepest.empty() ? "no reason given" : found.deepest, "Check it with h5ls -r."};
}

void check(herr_t status, const char* call) {
  if (status < 0) throw Error(std::string(call) + ": " + trouble().why);
}

void be_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

Handle::Handle(hid_t id, Close close, const char* call) : id_(id), close_(close) {
  if (id < 0) throw Error(std::string(call) + ": " + trouble().why);
}

Handle::~Handle() {
  if (id_ >= 0) close_(id_);
}

void Handle::close(const char* call) {
  if (id_ >= 0) check(close_(std::exchange(id_, -1)), call);
}

}  // namespace weft::program::hdf5
