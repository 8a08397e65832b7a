// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/halo_methods.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "weft/simulated.hpp"

namespace weft::bench {
namespace {

// The array with its ghosts, and plain loops over a box of it.
template <class Real>
class Array {
 public:
  Array(const Index& block, const Field& field)
      : data_(reinterpret_cast<Real*>(field.data)), components_(field.components), ny_(block[1] + 2), nz_(block[2] + 2),
        points_((block[0] + 2) * ny_ * nz_), structures_(field.component_stride == 1) {}

  std::size_t values(const Box& box) const { return box.points() * components_; }
  Real* data() const { return data_; }
  // The type of a box's values in the array.
  MPI_Datatype type_of(const Box& box, MPI_Datatype number) const {
    const auto at = [](std::size_t n) { return static_cast<int>(n); };
    const std::size_t nx = points_ / (ny_ * nz_);
    const auto& [first, count] = box;
    std::array<int, 4> all{at(nx), at(ny_), at(nz_), at(components_)};
    std::array<int, 4> part{at(count[0]), at(count[1]), at(count[2]), at(components_)};
    std::array<int, 4> start{at(first[0]), at(first[1]), at(first[2]), 0};
    if (!structures_)  // the components are outermost
      for (auto* sizes : {&all, &part, &start}) std::rotate(sizes->begin(), sizes->begin() + 3, sizes->end());
    MPI_Datatype type;
    MPI_Type_create_subarray(4, all.data(), part.data(), start.data(), MPI_ORDER_C, number, &type);
    MPI_Type_commit(&type);
    return type;
  }
  // For messages of a rank to itself: boxes of one shape.
  void copy(const Box& from, const Box& to) const {
    const auto index = [&](const Index& i) { return static_cast<std::ptrdiff_t>((i[0] * ny_ + i[1]) * nz_ + i[2]); };
    auto shift = index(to.first) - index(from.first);
    if (structures_) shift *= static_cast<std::ptrdiff_t>(components_);
    rows(from, [&](Real* row, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) (row + shift)[i] = row[i];
    });
    simulated::copied(values(from) * sizeof(Real));
  }

  void pack(const Box& box, Real* out) const {
    rows(box, [&](const Real* row, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) out[i] = row[i];
      out += n;
    });
    simulated::copied(values(box) * sizeof(Real));
  }
  void unpack(const Box& box, const Real* in) const {
    rows(box, [&](Real* row, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) row[i] = in[i];
      in += n;
    });
    simulated::copied(values(box) * sizeof(Real));
  }

 private:
  template <class Row>
  void rows(const Box& box, const Row& row) const {
    const auto& [first, count] = box;
    if (structures_) {
      for (std::size_t x = first[0]; x < first[0] + count[0]; ++x)
        for (std::size_t y = first[1]; y < first[1] + count[1]; ++y)
          row(data_ + ((x * ny_ + y) * nz_ + first[2]) * components_, count[2] * components_);
      return;
    }
    for (std::size_t c = 0; c < components_; ++c)
      for (std::size_t x = first[0]; x < first[0] + count[0]; ++x)
        for (std::size_t y = first[1]; y < first[1] + count[1]; ++y)
          row(data_ + c * points_ + (x * ny_ + y) * nz_ + first[2], count[2]);
  }

  Real* data_;
  std::size_t components_, ny_, nz_, points_;
  bool structures_;
};

// The send and the receive for one neighbour.
template <class Real>
struct Side {
  int peer;
  int send_tag, receive_tag;
  Box send, receive;
  std::vector<Real> out, in;
};

template <class Real>
class Baseline : public HaloMethod {
 protected:
  Baseline(MPI_Comm comm, const CartesianGrid& grid, const Field& field)
      : comm_(comm), rank_(grid.rank()), array_(grid.block().count, field),
        type_(sizeof(Real) == 8 ? MPI_DOUBLE : MPI_FLOAT) {}

  Side<Real> side(int peer, int send_tag, int receive_tag, const Box& send, const Box& receive) const {
    const auto n = peer == rank_ ? 0 : array_.values(send);
    return {peer, send_tag, receive_tag, send, receive, std::vector<Real>(n), std::vector<Real>(n)};
  }
  void post_receive(Side<Real>& s) {
    if (is_mine(s)) return;
    MPI_Irecv(s.in.data(), static_cast<int>(s.in.size()), type_, s.peer, s.receive_tag, comm_,
              &requests_.emplace_back());
  }
  void pack_and_send(Side<Real>& s) {
    if (is_mine(s)) return;
    array_.pack(s.send, s.out.data());
    MPI_Isend(s.out.data(), static_cast<int>(s.out.size()), type_, s.peer, s.send_tag, comm_,
              &requests_.emplace_back());
  }
  // `other` is the opposite side: a message of this rank to itself goes from there to here.
  void unpack(const Side<Real>& s, const Side<Real>& other) {
    if (is_mine(s))
      array_.copy(other.send, s.receive);
    else
      array_.unpack(s.receive, s.in.data());
  }
  bool is_mine(const Side<Real>& s) const { return s.peer == rank_; }
  MPI_Comm comm() const { return comm_; }
  MPI_Datatype type() const { return type_; }
  const Array<Real>& array() const { return array_; }
  void wait_all() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }

 private:
  MPI_Comm comm_;
  int rank_;
  Array<Real> array_;
  MPI_Datatype type_;
  std::vector<MPI_Request> requests_;
};

template <class Real>
class ByDimension final : public Baseline<Real> {
 public:
  ByDimension(MPI_Comm comm, const CartesianGrid& grid, const Field& field) : Baseline<Real>(comm, grid, field) {
    const auto n = grid.block().count;
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const int side : {0, 1}) {
        Box send;
        for (std::size_t a = 0; a < 3; ++a) {  // ghosts received in earlier rounds are sent on
          send.first[a] = a < axis ? 0 : 1;
          send.count[a] = a < axis ? n[a] + 2 : n[a];
        }
        send.count[axis] = 1;
        auto receive = send;
        send.first[axis] = side == 0 ? 1 : n[axis];
        receive.first[axis] = side == 0 ? 0 : n[axis] + 1;
        Direction d{};
        d[axis] = side == 0 ? -1 : 1;
        sides_[axis].push_back(this->side(*grid.neighbour(d), side, 1 - side, send, receive));
      }
  }

  void start() override {}
  void finish() override {
    for (auto& sides : sides_) {
      for (auto& s : sides) this->post_receive(s);
      for (auto& s : sides) this->pack_and_send(s);
      this->wait_all();
      this->unpack(sides[0], sides[1]);
      this->unpack(sides[1], sides[0]);
    }
  }

 private:
  std::array<std::vector<Side<Real>>, 3> sides_;
};

template <class Real>
class AtOnce : public Baseline<Real> {
 public:
  AtOnce(MPI_Comm comm, const CartesianGrid& grid, const Field& field) : Baseline<Real>(comm, grid, field) {
    const auto n = grid.block().count;
    for (int number = 0; number < 27; ++number) {
      const Direction d{number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1};
      if (d == Direction{}) continue;
      Box send, receive;
      for (std::size_t a = 0; a < 3; ++a) {
        send.count[a] = receive.count[a] = d[a] == 0 ? n[a] : 1;
        send.first[a] = d[a] <= 0 ? 1 : n[a];
        receive.first[a] = d[a] < 0 ? 0 : d[a] == 0 ? 1 : n[a] + 1;
      }
      sides_.push_back(this->side(*grid.neighbour(d), number, 26 - number, send, receive));
    }
  }

  void start() override {
    for (auto& s : sides_) this->post_receive(s);
    for (auto& s : sides_) this->pack_and_send(s);
  }
  void finish() override {
    this->wait_all();
    for (std::size_t i = 0; i < 26; ++i) this->unpack(sides_[i], sides_[25 - i]);
  }

 protected:
  std::vector<Side<Real>> sides_;
};

// Persistent messages from and into the array itself.
template <class Real>
class Datatypes final : public AtOnce<Real> {
 public:
  Datatypes(MPI_Comm comm, const CartesianGrid& grid, const Field& field) : AtOnce<Real>(comm, grid, field) {
    for (const bool sends : {false, true})
      for (auto& s : this->sides_) {
        if (this->is_mine(s)) continue;
        auto type = this->array().type_of(sends ? s.send : s.receive, this->type());
        auto* request = &requests_.emplace_back();
        if (sends)
          MPI_Send_init(this->array().data(), 1, type, s.peer, s.send_tag, this->comm(), request);
        else
          MPI_Recv_init(this->array().data(), 1, type, s.peer, s.receive_tag, this->comm(), request);
        MPI_Type_free(&type);
      }
  }
  ~Datatypes() override {
    for (auto& request : requests_) MPI_Request_free(&request);
  }

  void start() override {
    if (!requests_.empty()) MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
  }
  void finish() override {
    for (std::size_t i = 0; i < 26; ++i)
      if (this->is_mine(this->sides_[i])) this->unpack(this->sides_[i], this->sides_[25 - i]);
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  std::vector<MPI_Request> requests_;
};

template <template <class> class Kind>
std::unique_ptr<HaloMethod> make(MPI_Comm comm, const CartesianGrid& grid, const Field& field) {
  if (field.element_bytes == sizeof(float)) return std::make_unique<Kind<float>>(comm, grid, field);
  return std::make_unique<Kind<double>>(comm, grid, field);
}

}  // namespace

std::unique_ptr<HaloMethod> make_baseline_by_dimension(MPI_Comm comm, const CartesianGrid& grid, const Field& field) {
  return make<ByDimension>(comm, grid, field);
}

std::unique_ptr<HaloMethod> make_baseline_at_once(MPI_Comm comm, const CartesianGrid& grid, const Field& field) {
  return make<AtOnce>(comm, grid, field);
}

std::unique_ptr<HaloMethod> make_baseline_datatypes(MPI_Comm comm, const CartesianGrid& grid, const Field& field) {
  return make<Datatypes>(comm, grid, field);
}

}  // namespace weft::bench
