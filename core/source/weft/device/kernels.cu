// SPDX-License-Identifier: BSD-3-Clause
// Kernels for CUDA and HIP. Compiled ahead by nvcc, at run time by NVRTC and hiprtc, and for the host by the tests. So
// it includes no header of a compiler, and uses only what all of them have.
//
// A thread moves units of 1 to 16 bytes. Neighbours move neighbours of the packed bytes, and each thread four units at
// a time, so that enough loads are in flight. Names: KERNEL_BYTES, and KERNEL_BYTES_long for 2^31 units and more.
#include "weft/device/kernel_work.hpp"

#ifndef WEFT_UNROLL
#define WEFT_PRAGMA(text) _Pragma(#text)
#define WEFT_UNROLL(times) WEFT_PRAGMA(unroll times)
#endif

namespace weft::device {
namespace {

// may_alias: the memory has elements of any type.
template <class T>
struct __attribute__((may_alias)) Value {
  T value;
};
struct __attribute__((aligned(16))) Pair {
  unsigned long long a, b;
};

__device__ inline unsigned quotient(unsigned i, const Level& level) {
  return (static_cast<unsigned>(static_cast<unsigned long long>(i) * level.factor >> 32) + i) >> level.shift;
}
__device__ inline unsigned long long quotient(unsigned long long i, const Level& level) { return i / level.count; }

// The addresses of units of the region's packed bytes.
template <int n, class Index>
__device__ inline void find(const KernelWork& work, Index (&unit)[n], unsigned char* (&at)[n]) {
  WEFT_UNROLL(4)
  for (int k = 0; k < n; ++k) at[k] = work.base;
  WEFT_UNROLL(1)
  for (unsigned l = 0;; ++l) {
    const Level& level = work.level[l];
    const bool is_outermost = l == work.levels;
    WEFT_UNROLL(4)
    for (int k = 0; k < n; ++k) {
      const Index outer = is_outermost ? 0 : quotient(unit[k], level);
      const Index i = unit[k] - outer * static_cast<Index>(level.count);
      at[k] += l == work.offsets_level ? work.offsets[i] : i * level.stride_bytes;
      unit[k] = outer;
    }
    if (is_outermost) return;
  }
}

template <class T, class Index, bool packs>
__device__ inline void move(const KernelWork& work) {
  constexpr int n = sizeof(Index) == 4 ? 4 : 1;
  const Index first = static_cast<Index>(work.first), count = static_cast<Index>(work.count);
  const Index step = static_cast<Index>(gridDim.x) * block_threads;
  auto* const packed = reinterpret_cast<Value<T>*>(work.packed);
  WEFT_UNROLL(1)
  for (Index i = static_cast<Index>(blockIdx.x) * block_threads + threadIdx.x; i < count; i += n * step) {
    Index unit[n];
    unsigned char* at[n];
    WEFT_UNROLL(4)
    for (int k = 0; k < n; ++k) {  // behind the end: the last unit, which is loaded for nothing
      const Index own = i + static_cast<Index>(k) * step;
      unit[k] = first + (own < count ? own : count - 1);
    }
    find(work, unit, at);
    Value<T> value[n];
    WEFT_UNROLL(4)
    for (int k = 0; k < n; ++k) {
      const Index own = i + static_cast<Index>(k) * step;
      value[k] = packs ? *reinterpret_cast<Value<T>*>(at[k]) : packed[own < count ? own : count - 1];
    }
    WEFT_UNROLL(4)
    for (int k = 0; k < n; ++k) {
      const Index own = i + static_cast<Index>(k) * step;
      if (own < count) *(packs ? packed + own : reinterpret_cast<Value<T>*>(at[k])) = value[k];
    }
  }
}

template <class T>
__device__ inline T load(const unsigned char* from, bool is_aligned) {
  if (is_aligned) return reinterpret_cast<const Value<T>*>(from)->value;
  T value;
  for (unsigned b = 0; b < sizeof(T); ++b) reinterpret_cast<unsigned char*>(&value)[b] = from[b];
  return value;
}
template <class T>
__device__ inline void store(unsigned char* to, T value, bool is_aligned) {
  if (is_aligned)
    reinterpret_cast<Value<T>*>(to)->value = value;
  else
    for (unsigned b = 0; b < sizeof(T); ++b) to[b] = reinterpret_cast<unsigned char*>(&value)[b];
}

template <class T>
__device__ inline T added(T a, T b) {
  return a + b;
}
__device__ inline int added(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
__device__ inline long long added(long long a, long long b) {
  return static_cast<long long>(static_cast<unsigned long long>(a) + static_cast<unsigned long long>(b));
}

// As weft::sum(), minimum() and maximum() on the host: a NaN wins.
template <class T>
__device__ inline T result(unsigned operation, T a, T b) {
  if (operation == 0) return added(a, b);
  if (b != b) return b;
  return (operation == 1 ? b < a : a < b) ? b : a;
}

template <class T, class Index>
__device__ inline void combine(const KernelWork& work) {
  const Index first = static_cast<Index>(work.first), count = static_cast<Index>(work.count);
  WEFT_UNROLL(1)
  for (Index i = static_cast<Index>(blockIdx.x) * block_threads + threadIdx.x; i < count;
       i += static_cast<Index>(gridDim.x) * block_threads) {
    Index unit[1] = {first + i};
    unsigned char* at[1];
    find(work, unit, at);
    unsigned char* const element = at[0];
    const bool is_aligned = work.is_aligned != 0;
    const T received = load<T>(work.packed + static_cast<unsigned long long>(i) * sizeof(T), is_aligned);
    store(element, result(work.operation, load<T>(element, is_aligned), received), is_aligned);
  }
}

}  // namespace
}  // namespace weft::device

#ifndef WEFT_C
#define WEFT_C extern "C"
#endif
#define WEFT_KERNEL(name, ...) \
  WEFT_C __global__ void __launch_bounds__(256) name(const weft::device::KernelWork work) { __VA_ARGS__(work); }
#define WEFT_MOVES(bytes, T)                                                             \
  WEFT_KERNEL(weft_pack_##bytes, weft::device::move<T, unsigned, true>)                  \
  WEFT_KERNEL(weft_unpack_##bytes, weft::device::move<T, unsigned, false>)               \
  WEFT_KERNEL(weft_pack_##bytes##_long, weft::device::move<T, unsigned long long, true>) \
  WEFT_KERNEL(weft_unpack_##bytes##_long, weft::device::move<T, unsigned long long, false>)
#define WEFT_COMBINE(name, T)                                          \
  WEFT_KERNEL(weft_combine_##name, weft::device::combine<T, unsigned>) \
  WEFT_KERNEL(weft_combine_##name##_long, weft::device::combine<T, unsigned long long>)

WEFT_MOVES(1, unsigned char)
WEFT_MOVES(2, unsigned short)
WEFT_MOVES(4, unsigned)
WEFT_MOVES(8, unsigned long long)
WEFT_MOVES(16, weft::device::Pair)
WEFT_COMBINE(int32, int)
WEFT_COMBINE(int64, long long)
WEFT_COMBINE(uint64, unsigned long long)
WEFT_COMBINE(float32, float)
WEFT_COMBINE(float64, double)
