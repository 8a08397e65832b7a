// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives by rounds, monitors, and the mailbox.
#include "fortran/array.hpp"

namespace weft::fortran {

extern "C" {

/// As the module's type `rounds_options`.
struct FortranRounds {
  int kind, algorithm, arity, root, phased;
  std::int64_t every, offset;
  std::intptr_t op;
  void* context;
  int (*load)(void* context);
  int (*use)(void* context);
};
WEFT_API int weft_fortran_rounds_create(weft_comm comm, const FortranRounds* given, int ranks, const void* in,
                                        int in_rank, const void* out, int out_rank, weft_rounds* rounds) {
  return call([&] {
    weft_rounds_options options{};
    options.size = sizeof options;
    options.kind = given->kind;
    options.algorithm = given->algorithm;
    options.arity = given->arity;
    options.root = given->root;
    options.phased = given->phased;
    options.every = given->every;
    options.offset = given->offset;
    options.op = reinterpret_cast<weft_op>(given->op);
    options.context = given->context;
    options.load = given->load;
    options.use = given->use;
    std::int64_t count = 0;
    if (in != nullptr) {
      const auto from = whole(in, in_rank, -1, "The array in=");
      options.in = from.data;
      options.type = from.type;
      count = from.count();
      if (given->kind == WEFT_COLLECTIVE_ALL_TO_ALL) count /= ranks;
    }
    if (out != nullptr) {
      const auto to = whole(out, out_rank, -1, "The array out=");
      if (in != nullptr && to.type != options.type)
        refuse("in= and out= differ in the type of their elements. Use one type.");
      if (given->kind == WEFT_COLLECTIVE_BROADCAST) count = to.count();
      const bool has_all = given->kind == WEFT_COLLECTIVE_ALL_GATHER || given->kind == WEFT_COLLECTIVE_ALL_TO_ALL;
      const auto needed = has_all ? count * ranks : count;
      if (to.count() < needed)
        refuse("The array out= has " + std::to_string(to.count()) + " elements, but " + std::to_string(needed) +
               " are needed.");
      options.out = to.data;
      options.type = to.type;
    }
    options.count = static_cast<std::size_t>(count);
    return weft_rounds_create(comm, &options, rounds);
  });
}

WEFT_API int weft_fortran_post(weft_mailbox mailbox, int rank, int type, const void* array, int array_rank) {
  return call([&] {
    const auto data = whole(array, array_rank, 0, "A message");
    return weft_mailbox_post(mailbox, rank, static_cast<std::uint32_t>(type), data.data,
                             static_cast<std::size_t>(data.count()) * data.length);
  });
}

/// Combines one number of a monitor: the sum, the smallest or the largest.
WEFT_API void weft_fortran_sum(const void* left, void* inout, std::size_t) {
  *static_cast<double*>(inout) += *static_cast<const double*>(left);
}
WEFT_API void weft_fortran_minimum(const void* left, void* inout, std::size_t) {
  const double a = *static_cast<const double*>(left);
  auto& b = *static_cast<double*>(inout);
  if (a != a || a < b) b = a;
}
WEFT_API void weft_fortran_maximum(const void* left, void* inout, std::size_t) {
  const double a = *static_cast<const double*>(left);
  auto& b = *static_cast<double*>(inout);
  if (a != a || a > b) b = a;
}
}

}  // namespace weft::fortran
