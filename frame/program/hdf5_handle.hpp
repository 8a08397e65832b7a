// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace [[gnu::visibility("default")]] weft {
namespace program::hdf5 {

/// Throws weft::Error with HDF5's own reason if a call failed.
void check(herr_t status, const char* call);
/// Our exceptions report errors, so HDF5 prints no stack to stderr.
void be_quiet();

/// Owns one HDF5 object.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  /// Throws weft::Error with HDF5's own reason if the id is not valid.
  Handle(hid_t id, Close close, const char* call);
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle(const Handle&) = delete;
  ~Handle();

  hid_t id() const { return id_; }
  /// Closes now. Throws if that fails, for example if there is no space for the last bytes.
  void close(const char* call);

 private:
  hid_t id_;
  Close close_;
};

/// Why HDF5's latest call failed, and what to do, in full sentences or parts of a message.
struct Trouble {
  std::string why;     ///< "another program has it open for writing"
  std::string advice;  ///< "Wait until that program has closed it."
};
/// The cause of HDF5's latest error, from its error codes. Forgets that error.
Trouble trouble();

}  // namespace program::hdf5
}  // namespace weft
