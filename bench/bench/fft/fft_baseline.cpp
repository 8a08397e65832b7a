// SPDX-License-Identifier: BSD-3-Clause
#include "bench/fft/fft_baseline.hpp"

#include <algorithm>

#include "weft/mpi/check.hpp"

namespace weft::bench {

using fft::block;
using Serial = fft::SerialTransform<double>;

FftBaseline::FftBaseline(MPI_Comm comm, const fft::Size3& size, fft::Effort effort) : comm_(comm), size_(size) {
  int ranks = 0, rank = 0;
  mpi::check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  mpi::check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  ranks_ = static_cast<std::size_t>(ranks);
  rank_ = static_cast<std::size_t>(rank);
  mpi::check(MPI_Type_contiguous(2, MPI_DOUBLE, &number_), "MPI_Type_contiguous");
  mpi::check(MPI_Type_commit(&number_), "MPI_Type_commit");
  const auto [x, y, z] = size;
  const auto my_x = block(x, ranks_, rank_).count, my_y = block(y, ranks_, rank_).count;
  planes_ = Serial(Serial::Kind::forward, {{y, z, z}, {z, 1, 1}}, {{my_x, y * z, y * z}}, effort);
  lines_ = Serial(Serial::Kind::forward, {{x, z, z}}, {{my_y, x * z, x * z}, {z, 1, 1}}, effort);
  const auto most = std::max(my_x * y, my_y * x) * z;
  work_.resize(most);
  lines_done_.resize(most);
  send_.resize(most);
  receive_.resize(most);
}

FftBaseline::~FftBaseline() { MPI_Type_free(&number_); }

// Transposes from [own u][v][z] to [own v][u][z].
void FftBaseline::turn(const Complex* from, Complex* to, bool back) {
  const auto u = back ? size_[1] : size_[0], v = back ? size_[0] : size_[1], z = size_[2];
  const auto my_u = block(u, ranks_, rank_), my_v = block(v, ranks_, rank_);
  std::vector<int> send_count, send_at, receive_count, receive_at;
  auto* out = send_.data();
  std::size_t received = 0;
  for (std::size_t r = 0; r < ranks_; ++r) {
    const auto its_u = block(u, ranks_, r), its_v = block(v, ranks_, r);
    send_at.push_back(mpi::narrow(static_cast<std::size_t>(out - send_.data()), "a transposition"));
    send_count.push_back(mpi::narrow(my_u.count * its_v.count * z, "a transposition"));
    for (std::size_t i = 0; i < my_u.count; ++i)
      out = std::copy_n(from + (i * v + its_v.first) * z, its_v.count * z, out);
    receive_at.push_back(mpi::narrow(received, "a transposition"));
    receive_count.push_back(mpi::narrow(its_u.count * my_v.count * z, "a transposition"));
    received += its_u.count * my_v.count * z;
  }
  mpi::check(MPI_Alltoallv(send_.data(), send_count.data(), send_at.data(), number_, receive_.data(),
                           receive_count.data(), receive_at.data(), number_, comm_),
             "MPI_Alltoallv");
  const auto* in = receive_.data();
  for (std::size_t i = 0; i < u; ++i)  // the planes of the ranks are contiguous
    for (std::size_t j = 0; j < my_v.count; ++j, in += z) std::copy_n(in, z, to + (j * u + i) * z);
}

void FftBaseline::forward(const Complex* field, Complex* spectrum) {
  planes_.execute(field, spectrum);
  turn(spectrum, work_.data(), false);
  lines_.execute(work_.data(), lines_done_.data());
  turn(lines_done_.data(), spectrum, true);
}

}  // namespace weft::bench
