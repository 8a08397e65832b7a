// SPDX-License-Identifier: BSD-3-Clause
// The kernels of kernels.cu, compiled for the host: a block's threads run one after the other.
#pragma once

#include <map>
#include <string>

#define __global__ static
#define __device__
#define __launch_bounds__(threads)
#define WEFT_UNROLL(times)

namespace {
struct Index3 {
  unsigned x;
};
thread_local Index3 gridDim, blockIdx, threadIdx;
}  // namespace

// static: another part of the program may hold them, too
#define WEFT_C
#include "weft/device/kernels.cu"
#undef __global__
#undef __device__
#undef __launch_bounds__

namespace weft::device {
namespace {

using HostKernel = void (*)(KernelWork);

const std::map<std::string, HostKernel>& host_kernels() {
#define WEFT_HOST(name) \
  {#name, name}, { #name "_long", name##_long }
#define WEFT_HOST_MOVES(bytes) WEFT_HOST(weft_pack_##bytes), WEFT_HOST(weft_unpack_##bytes)
  static const std::map<std::string, HostKernel> all{WEFT_HOST_MOVES(1),
                                                     WEFT_HOST_MOVES(2),
                                                     WEFT_HOST_MOVES(4),
                                                     WEFT_HOST_MOVES(8),
                                                     WEFT_HOST_MOVES(16),
                                                     WEFT_HOST(weft_combine_int32),
                                                     WEFT_HOST(weft_combine_int64),
                                                     WEFT_HOST(weft_combine_uint64),
                                                     WEFT_HOST(weft_combine_float32),
                                                     WEFT_HOST(weft_combine_float64)};
  return all;
}

void run_on_host(HostKernel kernel, const KernelWork& work, unsigned blocks) {
  gridDim.x = blocks;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < block_threads; ++threadIdx.x) kernel(work);
}

}  // namespace
}  // namespace weft::device
