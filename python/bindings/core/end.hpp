// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <list>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace weft::python {

namespace nb = nanobind;

/// An object of the core that must be destroyed before MPI ends: at the end of the interpreter, in the reverse order of
/// construction, which is the same on all ranks. All functions are called with the GIL held.
class Live {
 public:
  Live();
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;
  virtual ~Live();

  /// Ends a start that is under way: waits for it if all its sends are ready, and otherwise fails with `why`. With an
  /// exception of the program, it always fails.
  virtual void end_start(const std::string& why, bool has_raised) {
    static_cast<void>(why), static_cast<void>(has_raised);
  }
  /// Destroys the object of the core; the second call does nothing.
  virtual void close() = 0;
  /// Whether a thread is inside the core with this object, so that it can't be destroyed.
  virtual bool is_in_use() const { return false; }

 private:
  std::list<Live*>::iterator place_;
};

/// Keeps two threads from using an object at once: the core's objects take no lock. Guarded by the GIL.
class InUse {
 public:
  /// For the duration of one call. The thread that is inside may enter again (from a callback) only if `again` is true.
  class Call {
   public:
    Call(InUse& use, bool again = true);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() { --use_.depth_; }

   private:
    InUse& use_;
  };
  /// Whether a call is under way.
  explicit operator bool() const { return depth_ > 0; }

 private:
  int depth_ = 0;
  std::thread::id by_;
};

/// Whether end() was called: nothing may be created any more.
bool has_ended();
/// Throws an Error if it was.
void check_not_ended();
/// Notes the exception that ends the program from now on: other ranks may wait for this one.
void watch_exceptions();
/// Called by the interpreter at its end: destroys all objects, and finalises MPI if weft has initialised it.
void end();

}  // namespace weft::python
