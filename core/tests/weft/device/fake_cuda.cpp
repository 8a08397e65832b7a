// SPDX-License-Identifier: BSD-3-Clause
// A library in the place of CUDA's driver, HIP, NVRTC and hiprtc: the functions that weft uses, over memory of the
// host. The kernels are those of kernels.cu, and run at once. It refuses what the driver would: calls without a
// context, pages that are registered twice, kernels on memory that is neither registered nor the device's. Compiled
// once for each name. Prototypes are those of cuda.h, with CUdeviceptr as unsigned long long.
#include "core/tests/weft/device/fake_cuda.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <set>

#include "core/tests/weft/device/host_kernels.hpp"

namespace weft::device {
namespace {

constexpr int invalid_value = 1, no_context = 201, invalid_handle = 400, registered_already = 712;
FakeCuda state;
int primary;  // its address is the context
thread_local void* current = nullptr;
std::map<std::uintptr_t, std::uintptr_t> device_memory, registered;  // first, end
std::set<void*> handles;

bool lies_in(const std::map<std::uintptr_t, std::uintptr_t>& memory, const void* address) {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  const auto next = memory.upper_bound(number);
  return next != memory.begin() && std::prev(next)->second > number;
}
int make_handle(void** handle) {
  if (current == nullptr) return no_context;
  handles.insert(*handle = new char);
  return 0;
}
int end_handle(void* handle) {
  if (handles.erase(handle) == 0) return invalid_handle;
  delete static_cast<char*>(handle);
  return 0;
}
bool is_queue(void* handle) { return handle == nullptr || handles.count(handle) > 0; }

}  // namespace
}  // namespace weft::device

using namespace weft::device;
using Pointer = unsigned long long;
#define API extern "C" __attribute__((visibility("default")))

API FakeCuda* fake_cuda_state() {
  state.current_context = [] { return current; };
  return &state;
}

API int cuInit(unsigned) { return 0; }
API int cuDeviceGetCount(int* count) { return *count = 2, 0; }
API int cuDeviceGetName(char* name, int bytes, int device) {
  return std::strncpy(name, device == 0 ? "Fake 0" : "Fake 1", static_cast<std::size_t>(bytes)), 0;
}
API int cuDeviceGetAttribute(int* value, int attribute, int) { return *value = attribute == 75 ? 8 : 6, 0; }
API int cuDevicePrimaryCtxRetain(void** context, int device) { return *context = &primary + device, 0; }
API int cuCtxGetCurrent(void** context) { return *context = current, 0; }
API int cuCtxSetCurrent(void* context) { return ++state.contexts_changed, current = context, 0; }
API int cuCtxGetDevice(int* device) { return *device = 0, current == nullptr ? no_context : 0; }
API int cuCtxSynchronize() { return ++state.synchronised, 0; }
API int cuStreamSynchronize(void*) { return ++state.synchronised, 0; }
API int cuEventSynchronize(void*) { return ++state.synchronised, 0; }

API int cuStreamCreate(void** stream, unsigned flags) { return flags == 1 ? make_handle(stream) : invalid_value; }
API int cuStreamDestroy_v2(void* stream) { return end_handle(stream); }
API int cuEventCreate(void** event, unsigned flags) { return flags == 2 ? make_handle(event) : invalid_value; }
API int cuEventDestroy_v2(void* event) { return end_handle(event); }
API int cuEventRecord(void* event, void* stream) {
  return current == nullptr ? no_context : handles.count(event) > 0 && is_queue(stream) ? 0 : invalid_handle;
}
API int cuEventQuery(void* event) {
  if (handles.count(event) == 0) return invalid_handle;
  return state.events_pending > 0 ? --state.events_pending, 600 : 0;
}
API int cuStreamWaitEvent(void* stream, void* event, unsigned flags) {
  ++state.waits;
  return handles.count(event) > 0 && is_queue(stream) && flags == 0 ? 0 : invalid_handle;
}

API int cuMemAlloc_v2(Pointer* memory, std::size_t bytes) {
  if (current == nullptr) return no_context;
  *memory = reinterpret_cast<Pointer>(::operator new(bytes));
  device_memory[*memory] = *memory + bytes;
  return 0;
}
API int cuMemFree_v2(Pointer memory) {
  if (device_memory.erase(memory) == 0) return invalid_value;
  ::operator delete(reinterpret_cast<void*>(memory));
  return 0;
}
API int cuMemHostRegister_v2(void* host, std::size_t bytes, unsigned flags) {
  const auto first = reinterpret_cast<std::uintptr_t>(host);
  if (current == nullptr) return no_context;
  if (first % 4096 != 0 || bytes % 4096 != 0 || flags != 3) return invalid_value;
  for (std::size_t i = 0; i < bytes; i += 4096)
    if (lies_in(registered, static_cast<char*>(host) + i)) return registered_already;
  registered[first] = first + bytes;
  ++state.registrations;
  return state.registered_pages += static_cast<int>(bytes / 4096), 0;
}
API int cuMemHostUnregister(void* host) {
  const auto found = registered.find(reinterpret_cast<std::uintptr_t>(host));
  if (found == registered.end()) return 713;
  state.registered_pages -= static_cast<int>((found->second - found->first) / 4096);
  return registered.erase(found), 0;
}
API int cuMemHostGetDevicePointer_v2(Pointer* inside, void* host, unsigned) {
  return *inside = reinterpret_cast<Pointer>(host), lies_in(registered, host) ? 0 : invalid_value;
}
API int cuPointerGetAttribute(void* value, int attribute, Pointer address) {
  if (!lies_in(device_memory, reinterpret_cast<void*>(address))) return invalid_value;
  const unsigned number = attribute == 2 ? 2 : 0;  // the memory's type; not managed, of device 0
  return std::memcpy(value, &number, attribute == 8 ? 1 : sizeof number), 0;
}
API int cuMemcpyHtoDAsync_v2(Pointer to, const void* from, std::size_t bytes, void* stream) {
  if (!is_queue(stream)) return invalid_handle;
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), 0;
}

API int cuModuleLoadData(void** module, const void* image) {
  const bool is_compiled = std::memcmp(image, "made by fake NVRTC", 18) == 0;
  return *module = is_compiled || state.loads_fail == 0 ? &primary : nullptr, is_compiled ? 0 : state.loads_fail;
}
API int cuModuleGetFunction(void** function, void*, const char* name) {
  const auto found = host_kernels().find(name);
  if (found == host_kernels().end()) return 500;
  *function = const_cast<void*>(static_cast<const void*>(&*found));
  return 0;
}
API int cuLaunchKernel(void* function, unsigned blocks, unsigned y, unsigned z, unsigned block, unsigned block_y,
                       unsigned block_z, unsigned shared_bytes, void* stream, void** arguments, void** more) {
  if (current != &primary) return no_context;
  if (!is_queue(stream)) return invalid_handle;
  if (y * z * block_y * block_z != 1 || block != block_threads || shared_bytes != 0 || more != nullptr)
    return invalid_value;
  const auto& [name, kernel] = *static_cast<const std::pair<const std::string, HostKernel>*>(function);
  KernelWork work;
  std::memcpy(&work, arguments[0], sizeof work);
  for (const void* used : {work.base, work.packed})
    if (!lies_in(device_memory, used) && !lies_in(registered, used)) return 700;
  run_on_host(kernel, work, blocks);
  std::strncpy(state.last_kernel, name.c_str(), sizeof state.last_kernel - 1);
  return ++state.launches, 0;
}
API int cuGetErrorName(int error, const char** name) {
  *name = error == invalid_handle ? "CUDA_ERROR_INVALID_HANDLE"
          : error == 700          ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                  : "CUDA_ERROR_FAKE";
  return 0;
}
API int cuGetErrorString(int, const char** text) { return *text = "a text", 0; }

API int nvrtcCreateProgram(void** program, const char* source, const char*, int headers, const char* const*,
                           const char* const*) {
  const auto has = [&](const char* text) { return std::strstr(source, text) != nullptr; };
  *program = &primary;
  return headers == 0 && has("struct KernelWork") && has("WEFT_MOVES(16") && !has("#include") ? 0 : 1;
}
API int nvrtcCompileProgram(void*, int count, const char* const* options) {
  return ++state.compiled, count == 1 || std::strcmp(options[1], "--gpu-architecture=sm_86") == 0 ? 0 : 6;
}
API int nvrtcGetProgramLogSize(void*, std::size_t* bytes) { return *bytes = 0, 0; }
API int nvrtcGetProgramLog(void*, char*) { return 0; }
API int nvrtcGetCUBINSize(void*, std::size_t* bytes) { return *bytes = 19, 0; }
API int nvrtcGetCUBIN(void*, char* image) { return std::strcpy(image, "made by fake NVRTC"), 0; }
API int nvrtcDestroyProgram(void**) { return 0; }

// HIP, whose threads always have a current device.
#define HIP(name, as) extern "C" __attribute__((visibility("default"), alias(#as))) decltype(as) name
API int hipGetDevice(int* device) {
  if (current == nullptr) current = &primary;
  return *device = static_cast<int>(static_cast<int*>(current) - &primary), 0;
}
API int hipSetDevice(int device) { return current = &primary + device, 0; }
API int hipRuntimeGetVersion(int* version) { return *version = 60443482, 0; }
API const char* hipGetErrorName(int) { return "hipErrorFake"; }
HIP(hipInit, cuInit);
HIP(hipGetDeviceCount, cuDeviceGetCount);
HIP(hipDeviceGetName, cuDeviceGetName);
HIP(hipStreamCreateWithFlags, cuStreamCreate);
HIP(hipStreamDestroy, cuStreamDestroy_v2);
HIP(hipEventCreateWithFlags, cuEventCreate);
HIP(hipEventDestroy, cuEventDestroy_v2);
HIP(hipEventRecord, cuEventRecord);
HIP(hipEventQuery, cuEventQuery);
HIP(hipStreamWaitEvent, cuStreamWaitEvent);
HIP(hipMalloc, cuMemAlloc_v2);
HIP(hipFree, cuMemFree_v2);
HIP(hipHostRegister, cuMemHostRegister_v2);
HIP(hipHostUnregister, cuMemHostUnregister);
HIP(hipHostGetDevicePointer, cuMemHostGetDevicePointer_v2);
HIP(hipPointerGetAttribute, cuPointerGetAttribute);
HIP(hipMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2);
HIP(hipModuleLoadData, cuModuleLoadData);
HIP(hipModuleGetFunction, cuModuleGetFunction);
HIP(hipModuleLaunchKernel, cuLaunchKernel);
HIP(hiprtcCreateProgram, nvrtcCreateProgram);
HIP(hiprtcCompileProgram, nvrtcCompileProgram);
HIP(hiprtcGetCodeSize, nvrtcGetCUBINSize);
HIP(hiprtcGetCode, nvrtcGetCUBIN);
HIP(hiprtcDestroyProgram, nvrtcDestroyProgram);
