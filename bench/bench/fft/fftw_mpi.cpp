// SPDX-License-Identifier: BSD-3-Clause
#include "bench/fft/fft_baseline.hpp"
#include "weft/error.hpp"

#if defined(WEFT_HAVE_FFTW_MPI)
#include <fftw3-mpi.h>
#endif

namespace weft::bench {

#if defined(WEFT_HAVE_FFTW_MPI)

struct FftwMpi::State {
  fftw_complex *in = nullptr, *out = nullptr;
  fftw_plan plan = nullptr;
};

FftwMpi::FftwMpi(MPI_Comm comm, const fft::Size3& size, fft::Effort effort) : state_(std::make_unique<State>()) {
  static const bool ready = (fftw_mpi_init(), true);
  (void)ready;
  const auto n = [&](std::size_t k) { return static_cast<std::ptrdiff_t>(size[k]); };
  std::ptrdiff_t planes = 0, first = 0;
  const auto room = static_cast<std::size_t>(fftw_mpi_local_size_3d(n(0), n(1), n(2), comm, &planes, &first));
  auto& s = *state_;
  s.in = fftw_alloc_complex(room);
  s.out = fftw_alloc_complex(room);
  const unsigned flag = effort == fft::Effort::estimate  ? FFTW_ESTIMATE
                        : effort == fft::Effort::measure ? FFTW_MEASURE
                                                         : FFTW_PATIENT;
  s.plan = fftw_mpi_plan_dft_3d(n(0), n(1), n(2), s.in, s.out, comm, FFTW_FORWARD, flag);
  if (s.plan == nullptr) throw Error("FFTW-MPI has no plan for this size. Give another of --sizes.", true);
  for (std::size_t i = 0; i < room; ++i) {
    s.in[i][0] = static_cast<double>(i % 17) - 8;
    s.in[i][1] = static_cast<double>(i % 13) - 6;
  }
}

FftwMpi::~FftwMpi() {
  fftw_destroy_plan(state_->plan);
  fftw_free(state_->in);
  fftw_free(state_->out);
}

void FftwMpi::forward() { fftw_execute(state_->plan); }

bool has_fftw_mpi() { return true; }

#else

struct FftwMpi::State {};
FftwMpi::FftwMpi(MPI_Comm, const fft::Size3&, fft::Effort) {
  throw Error("FFTW-MPI is missing (weft was built without it).", true);
}
FftwMpi::~FftwMpi() = default;
void FftwMpi::forward() {}
bool has_fftw_mpi() { return false; }

#endif

}  // namespace weft::bench
