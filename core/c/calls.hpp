// SPDX-License-Identifier: BSD-3-Clause
//
// What every function of weft.h does around its work: exceptions become codes and a sentence, and codes of callbacks
// become exceptions.
#pragma once

#include <weft.h>

#include <exception>
#include <string>
#include <utility>

#include "weft/error.hpp"

namespace weft::c {

/// A handle or a pointer that can't be used.
class HandleError : public Error {
 public:
  using Error::Error;
};

/// Keeps the exception that is handled for weft_error_text() and for callbacks. Returns its code. `call`: the function.
int keep_exception(const char* call) noexcept;

/// Runs the work of a function of weft.h.
template <class Work>
int call(const char* name, const Work& work) noexcept {
  try {
    work();
    return WEFT_OK;
  } catch (...) {
    return keep_exception(name);
  }
}

/// Whether this thread has kept an exception. Constant at first, so that a callback costs no call for it.
inline constinit thread_local bool has_kept = false;
/// Forgets what this thread has kept, before a callback.
void forget_kept() noexcept;
inline void forget_exception() noexcept {
  if (has_kept) forget_kept();
}
/// Throws what the callback has kept: its own error, or that of a weft function that failed in it.
[[noreturn]] void throw_kept(int code, const std::string& callback);

/// Sets a variable for the duration of a call.
template <class T>
class During {
 public:
  During(T& place, T value) : place_(place), before_(std::exchange(place, value)) {}
  ~During() { place_ = before_; }
  During(const During&) = delete;
  During& operator=(const During&) = delete;

 private:
  T& place_;
  T before_;
};

/// A callback of an object that this thread is in.
class InCallback {
 public:
  explicit InCallback(const void* object) : object_(object), outer_(current) { current = this; }
  ~InCallback() { current = outer_; }
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;
  static bool of(const void* object) {
    for (const auto* one = current; one != nullptr; one = one->outer_)
      if (one->object_ == object) return true;
    return false;
  }

 private:
  static constinit thread_local const InCallback* current;
  const void* object_;
  const InCallback* outer_;
};
/// Throws if this thread is in a callback of the object, so that it may not be freed.
void check_idle(const void* object, const char* name);

/// Calls a callback of `object`, if there is one. `who` makes its name for the sentence, and is only called then.
template <class Who, class Function, class... Arguments>
void call_back(const void* object, const Who& who, Function* function, Arguments... arguments) {
  if (function == nullptr) return;
  const InCallback inside(object);
  forget_exception();
  if (const int code = function(arguments...); code != WEFT_OK) throw_kept(code, who());
}

/// The pointer; throws a HandleError if it is null. `what`: such as "The name".
template <class T>
T* need(T* pointer, const char* what) {
  if (pointer == nullptr) throw HandleError(std::string(what) + " is NULL.");
  return pointer;
}
/// What it points to.
template <class T>
T& at(T* pointer, const char* what) {
  return *need(pointer, what);
}
inline std::string text_at(const char* text, const char* what) { return need(text, what); }

/// Copies a struct of the caller, who may have been compiled with a later weft.h, whose struct is longer. (There is no
/// earlier one yet.) NULL: all defaults.
void copy_sized(void* to, std::size_t bytes, const void* from, const char* name);
template <class Options>
Options options_of(const Options* given, const char* name) {
  Options options;
  copy_sized(&options, sizeof options, given, name);
  return options;
}
/// The same for a struct within another one, whose length can't change. With size 0 it must be all zero: all defaults.
void copy_nested(void* to, std::size_t bytes, const void* from, const char* name);
template <class Options>
Options nested_options_of(const Options& given, const char* name) {
  Options options;
  copy_nested(&options, sizeof options, &given, name);
  return options;
}
/// An enumerator of weft.h, from 0 to `last`.
int one_of(int value, int last, const char* what);
/// A time of 0 to 1e7 seconds.
double seconds_of(double value, const char* what);
/// Throws if there can't be so many bytes.
std::size_t product_of(std::size_t count, std::size_t bytes, const char* what);

/// Throws if MPI was finalised, so that nothing can be communicated any more.
void check_mpi();

}  // namespace weft::c
