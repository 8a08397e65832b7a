// SPDX-License-Identifier: BSD-3-Clause
//
// Features that only the MPI transport has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/mpi/check.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/mpi/datatype.hpp"
#include "weft/mpi/foreign.hpp"
#include "weft/mpi/payload_limits.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Mpi, a_communicator_knows_itself) {
  mpi::Communicator world(MPI_COMM_WORLD);
  int rank = -1, size = -1, same = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(world.rank(), rank);
  EXPECT_EQ(world.size(), size);
  EXPECT_TRUE(world.thread_multiple());  // not the first communicator: reading control variables once changed the level
  EXPECT_TRUE(world.duplicate()->thread_multiple());
  EXPECT_GT(world.eager_limit_bytes(), 100u);
  EXPECT_EQ(world.piece_bytes(), 0u);  // the tests' ranks share a machine
  EXPECT_EQ(all_reduce<std::uint64_t>(world, world.eager_limit_bytes(), maximum<std::uint64_t>()),
            world.eager_limit_bytes());
  EXPECT_GT(std::string(world.library()).size(), 3u);
  MPI_Comm_compare(world.handle(), MPI_COMM_WORLD, &same);
  EXPECT_EQ(same, MPI_CONGRUENT);
}

TEST(Mpi, communicators_of_some_ranks_do_not_disturb_those_of_all) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    EXPECT_EQ(mpi::Communicator(MPI_COMM_SELF).size(), 1);
  }
  EXPECT_GT(mpi::Communicator(MPI_COMM_WORLD).eager_limit_bytes(),
            100u);  // collective: would hang if rank 0 left it out
}

TEST(Mpi, a_communicator_of_no_group_or_of_two_is_refused) {
  EXPECT_THAT(error_of([] { const mpi::Communicator none(MPI_COMM_NULL); }), HasSubstr("The communicator is null."));
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return;
  MPI_Comm half = MPI_COMM_NULL, both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &both);
  try {
    const mpi::Communicator refused(both);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("is an intercommunicator"));
    EXPECT_TRUE(e.everywhere());
  }
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

// The order of ranks counts, not the communicator.
TEST(Mpi, shared_memory_knows_its_ranks) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto split = [&](int colour, int key) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, colour, key, &part);
    auto made = std::make_unique<mpi::Communicator>(part);
    MPI_Comm_free(&part);
    return made;
  };
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto same = split(0, rank), reversed = split(0, -rank), part = split(rank % 2, rank);
  const auto of_world = world.share(8), of_reversed = reversed->share(8), of_part = part->share(8);
  for (const auto* transport : {&world, same.get()}) {
    EXPECT_TRUE(transport->has_ranks_of(*of_world));
    EXPECT_EQ(transport->has_ranks_of(*of_reversed), size == 1);
    EXPECT_EQ(transport->has_ranks_of(*of_part), size == 1);
  }
  EXPECT_TRUE(part->duplicate()->has_ranks_of(*of_part));
  EXPECT_EQ(part->has_ranks_of(*of_world), size == 1);
}

TEST(Mpi, an_error_names_the_call_the_ranks_and_its_reason) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto who = " failed on rank " + std::to_string(world.rank()) + " with peer " + std::to_string(world.size() + 3);
  EXPECT_THAT(error_of([&] { world.receive({}, world.size() + 3, 0); }), HasSubstr("MPI_Recv_init" + who));
  EXPECT_THAT(error_of([&] { world.send({}, world.size() + 3, 0)->start(); }), HasSubstr("A send" + who));
  EXPECT_THAT(error_of([&] { mpi::check(MPI_ERR_TAG, "MPI_Something", 3, 4); }),
              HasSubstr("MPI_Something failed on rank 3 with peer 4 ("));
}

TEST(Mpi, a_message_may_be_larger_than_an_int_counts) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{2147483647}, std::size_t{2147483648},
                                  (std::size_t{3} << 30) + 5, std::size_t{1} << 40}) {
    auto type = mpi::type_of_run(bytes);
    MPI_Count size = 0, first = -1, extent = 0;
    MPI_Type_size_x(type, &size);
    MPI_Type_get_true_extent_x(type, &first, &extent);
    EXPECT_EQ(static_cast<std::size_t>(size), bytes);
    EXPECT_EQ(static_cast<std::size_t>(extent), bytes);
    EXPECT_EQ(first, 0);
    MPI_Type_free(&type);
  }
}

// A long contiguous range that maps the same short memory repeatedly, so that it needs little memory. All of it has the
// content of the last block and of the tail behind it.
class LongRun {
 public:
  LongRun(std::size_t blocks, std::size_t tail) : bytes_(blocks * block + tail) {
    const int file = memfd_create("weft", 0);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(block)) != 0) throw Error("no memory for a test.");
    auto* all = ::mmap(nullptr, blocks * block + block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw Error("no room for a test.");
    first_ = static_cast<std::byte*>(all);
    for (std::size_t i = 0; i < blocks; ++i)
      ::mmap(first_ + i * block, block, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    ::close(file);
  }
  LongRun(const LongRun&) = delete;
  LongRun& operator=(const LongRun&) = delete;
  ~LongRun() { ::munmap(first_, bytes_ / block * block + block); }

  static constexpr std::size_t block = std::size_t{16} << 20;
  std::span<std::byte> all() const { return {first_, bytes_}; }
  std::byte& in_block(std::size_t i) const { return first_[i]; }
  std::span<std::byte> tail() const { return all().subspan(bytes_ / block * block); }

 private:
  std::byte* first_ = nullptr;
  std::size_t bytes_;
};

TEST(Mpi, a_message_beyond_2_GiB_arrives) {
  on(2_ranks, [](Transport& world) {
    constexpr std::size_t blocks = 128, tail = 1001;  // slightly more than 2 GiB
    const LongRun run(blocks, tail);
    for (const auto carrier : {Carrier::messages, Carrier::datatypes}) {
      Exchange exchange(world, {.messages = {.carrier = carrier}});
      auto& client = exchange.client("long");
      if (world.rank() == 0)
        client.send(1, 1, contiguous(std::span<const std::byte>(run.all())));
      else
        client.receive(0, 1, contiguous(run.all()));
      exchange.commit();
      const auto value = [&](std::size_t i) {
        return static_cast<std::byte>(i * 7 + i / 251 + static_cast<int>(carrier));
      };
      for (std::size_t i = 0; i < LongRun::block; i += 1021)
        run.in_block(i) = world.rank() == 0 ? value(i) : std::byte{0};
      for (std::size_t i = 0; i < tail; ++i) run.tail()[i] = world.rank() == 0 ? value(i + 5) : std::byte{0};
      barrier(world);
      auto messages = exchange.start();
      messages.ready_all(0, 0);
      messages.wait();
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < LongRun::block; i += 1021) wrong += run.in_block(i) == value(i) ? 0 : 1;
      for (std::size_t i = 0; i < tail; ++i) wrong += run.tail()[i] == value(i + 5) ? 0 : 1;
      EXPECT_EQ(wrong, 0u) << name_of(carrier);
    }
  });
}

TEST(Mpi, tags_have_an_end) {
  mpi::Communicator world(MPI_COMM_WORLD);
  EXPECT_GE(world.last_tag(), 32767);
  EXPECT_EQ(world.duplicate()->last_tag(), world.last_tag());
}

TEST(Mpi, eager_limits_are_of_what_carries_messages) {
  using Limits = std::vector<std::optional<std::size_t>>;
  const auto limits = [](bool by_ob1, const Limits& shared, const Limits& networks, const std::string& ucx = "") {
    const auto found = mpi::payload_limits(by_ob1, shared, networks, ucx);
    return std::pair(found.shared, found.network);
  };
  constexpr std::size_t header = 128;
  EXPECT_EQ(limits(true, {4096, {}}, {65536, {}}), std::pair(4096 - header, 65536 - header));
  EXPECT_EQ(limits(true, {{}, 8192}, {65536, 12288}), std::pair(8192 - header, 12288 - header));  // the smallest
  EXPECT_EQ(limits(true, {{}, {}}, {{}, 0}), std::pair(std::size_t{0}, std::size_t{0}));
  // With another pml the btl's limits do not apply.
  EXPECT_EQ(limits(false, {4096}, {65536}), std::pair(std::size_t{0}, std::size_t{0}));
  EXPECT_EQ(limits(false, {4096}, {65536}, "16k"), std::pair(16384 - header, 16384 - header));
  EXPECT_EQ(limits(false, {}, {}, "8192").second, 8192 - header);
  EXPECT_EQ(limits(false, {}, {}, "1M").second, (std::size_t{1} << 20) - header);
  for (const char* untold : {"auto", "inf", "intra:8k,inter:16k", "-1", "", "5 apples", "99999999999999999999"})
    EXPECT_EQ(limits(false, {}, {}, untold).second, 0u) << untold;
}

TEST(Mpi, sizes_that_mpi_can_not_count_are_told) {
  EXPECT_EQ(mpi::narrow(2147483647, "A message"), 2147483647);
  EXPECT_EQ(error_of([] { mpi::narrow(2147483648, "A message"); }),
            "A message of 2147483648 bytes is too large (this MPI call counts with int). Split it below 2 GiB.");
}

TEST(Mpi, duplicates_and_the_users_own_messages_are_apart) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto other = world.duplicate();
  const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
  std::array<int, 3> out{1, 2, 3}, in{};
  const auto bytes = [](const int& value) { return std::as_bytes(std::span(&value, 1)); };
  const auto writable = [](int& value) { return std::as_writable_bytes(std::span(&value, 1)); };
  std::vector<std::unique_ptr<Operation>> all;
  all.push_back(other->receive(writable(in[1]), left, 0));
  all.push_back(world.receive(writable(in[0]), left, 0));
  all.push_back(world.send(bytes(out[0]), right, 0));
  all.push_back(other->send(bytes(out[1]), right, 0));
  MPI_Request user[2];
  MPI_Isend(&out[2], 1, MPI_INT, right, 0, MPI_COMM_WORLD, &user[0]);
  MPI_Irecv(&in[2], 1, MPI_INT, left, 0, MPI_COMM_WORLD, &user[1]);
  for (auto& operation : all) operation->start();
  for (bool done = false; !done;) {
    done = true;
    for (auto& operation : all) done = operation->test() && done;
  }
  MPI_Waitall(2, user, MPI_STATUSES_IGNORE);
  EXPECT_EQ(in, out);
}

TEST(Mpi, the_wait_of_an_exchange_also_waits_for_foreign_requests) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const int rank = world.rank(), right = (rank + 1) % world.size(), left = (rank + world.size() - 1) % world.size();
  for (const auto kind : {ProgressOptions::Kind::polling, ProgressOptions::Kind::thread}) {
    Exchange exchange(world, {.progress = std::make_shared<Progress>(world, ProgressOptions{.kind = kind})});
    auto& client = exchange.client("ring");
    int mine = rank, of_left = -1;
    client.send(right, 1, contiguous(std::span<const int>(&mine, 1)));
    client.receive(left, 1, contiguous(std::span(&of_left, 1)));
    exchange.commit();
    for (int step = 0; step < 3; ++step) {
      auto messages = exchange.start();
      int sum = -1, of_right = -1;
      std::array<MPI_Request, 3> requests{};
      MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(&of_right, 1, MPI_INT, right, 9, MPI_COMM_WORLD, &requests[1]);
      MPI_Isend(&rank, 1, MPI_INT, left, 9, MPI_COMM_WORLD, &requests[2]);
      EXPECT_THROW(messages.wait_also(nullptr), Error);
      for (auto& request : requests) messages.wait_also(mpi::foreign(request));
      messages.progress();
      messages.ready_all(0, 0);
      if (step == 1)
        while (!messages.test()) {
        }
      messages.wait();
      for (const auto request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
      EXPECT_EQ(sum, world.size() * (world.size() - 1) / 2);
      EXPECT_EQ(of_right, right);
      EXPECT_EQ(of_left, left);
    }
  }
}

// MPI packs the same bytes.
TEST(Mpi, a_region_of_a_datatype_has_its_bytes) {
  std::vector<double> array(60);
  std::iota(array.begin(), array.end(), 0);
  const auto expect_same = [&](MPI_Datatype type, std::size_t count, std::size_t first = 0) {
    MPI_Type_commit(&type);
    int bytes = 0, position = 0;
    MPI_Pack_size(static_cast<int>(count), type, MPI_COMM_SELF, &bytes);
    std::vector<char> of_mpi(static_cast<std::size_t>(bytes));
    MPI_Pack(&array[first], static_cast<int>(count), type, of_mpi.data(), bytes, &position, MPI_COMM_SELF);
    of_mpi.resize(static_cast<std::size_t>(position));
    const auto region = mpi::region(std::as_const(array).data() + first, count, type);
    std::vector<char> of_weft(region.bytes());
    region.pack(reinterpret_cast<std::byte*>(of_weft.data()));
    EXPECT_EQ(of_weft, of_mpi);
    EXPECT_FALSE(region.is_writable());
    MPI_Type_free(&type);
  };
  MPI_Datatype type = MPI_DATATYPE_NULL, outer = MPI_DATATYPE_NULL;
  MPI_Type_vector(4, 2, 7, MPI_DOUBLE, &type);
  expect_same(type, 2, 3);
  const std::array<int, 2> sizes{6, 10}, parts{3, 4}, starts{2, 1};
  MPI_Type_create_subarray(2, sizes.data(), parts.data(), starts.data(), MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
  expect_same(type, 1);
  const std::array<int, 3> lengths{2, 1, 3}, places{9, 0, 20};
  MPI_Type_indexed(3, lengths.data(), places.data(), MPI_DOUBLE, &outer);
  expect_same(outer, 1);
  EXPECT_THROW(mpi::region(array.data(), 1, MPI_DATATYPE_NULL), Error);
  EXPECT_THROW(mpi::region(static_cast<void*>(nullptr), 1, MPI_DOUBLE), Error);
}

}  // namespace
}  // namespace weft
