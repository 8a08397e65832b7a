/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "test.h"

enum { n = 6 };
static int right, left;

static void fill(double* a, int count, double from) {
  for (int i = 0; i < count; ++i) a[i] = from + i;
}

/* The same numbers by every form of memory: what is sent in one form is received in another. */
static void forms(void) {
  double a[n][n], b[n][n], line[n], column[n], picked[3], typed[n];
  const size_t extent[2] = {n, n}, first[2] = {2, 1}, count[2] = {2, 3}, index[3] = {7, 0, 35};
  const weft_loop down = {n, n * sizeof(double)};
  MPI_Datatype vector, block;
  weft_exchange exchange;
  weft_requests list;
  fill(&a[0][0], n * n, 1000 * rank);
  memset(b, 0, sizeof b);
  MPI_Type_vector(n, 1, n, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  {
    const int sizes[2] = {n, n}, parts[2] = {2, 3}, starts[2] = {2, 1};
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &block);
    MPI_Type_commit(&block);
  }
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_client(exchange, "forms", &list));
  OK(weft_send(list, right, 1, weft_contiguous(a[1], n, WEFT_DOUBLE), 0, NULL));
  OK(weft_receive(list, left, 1, weft_contiguous(line, n, WEFT_DOUBLE), 0, NULL));
  OK(weft_send(list, right, 2, weft_strided(&a[0][3], WEFT_DOUBLE, 1, &down), 0, NULL));
  OK(weft_receive(list, left, 2, weft_contiguous(column, n, WEFT_DOUBLE), 0, NULL));
  OK(weft_send(list, right, 3, weft_box(a, WEFT_DOUBLE, 2, extent, first, count), 0, NULL));
  OK(weft_receive(list, left, 3, weft_datatype(b, 1, block), 0, NULL));
  OK(weft_send(list, right, 4, weft_indexed(a, WEFT_DOUBLE, 3, index), 0, NULL));
  OK(weft_receive(list, left, 4, weft_contiguous(picked, 3, WEFT_DOUBLE), 0, NULL));
  OK(weft_send(list, right, 5, weft_datatype(&a[0][5], 1, vector), 0, NULL));
  OK(weft_receive(list, left, 5, weft_contiguous(typed, sizeof typed, WEFT_BYTES(1)), 0, NULL));
  MPI_Type_free(&vector);
  MPI_Type_free(&block);
  OK(weft_exchange_commit(exchange));
  for (int times = 0; times < 3; ++times) {
    OK(weft_exchange_start(exchange, 0));
    OK(weft_exchange_ready_all(exchange, list, 0));
    OK(weft_exchange_progress(exchange));
    OK(weft_exchange_wait(exchange));
  }
  for (int i = 0; i < n; ++i) {
    CHECK(line[i] == 1000 * left + n + i);
    CHECK(column[i] == 1000 * left + i * n + 3);
    CHECK(typed[i] == 1000 * left + i * n + 5);
    for (int j = 0; j < n; ++j) CHECK(b[i][j] == (i >= 2 && i < 4 && j >= 1 && j < 4 ? 1000 * left + i * n + j : 0));
  }
  for (int k = 0; k < 3; ++k) CHECK(picked[k] == 1000 * left + (double)index[k]);
  OK(weft_exchange_free(&exchange));
  CHECK(exchange == NULL);
}

/* Datatypes of every constructor, against MPI's own idea of their bytes (MPI_Pack). */
static void datatypes(void) {
  enum { bytes = 400 };
  unsigned char from[bytes], got[bytes], packed[bytes];
  MPI_Datatype all[12];
  int types = 0;
  const int lengths[3] = {2, 1, 3}, places[3] = {9, 2, 4};
  const MPI_Aint addresses[3] = {40, 0, 71};
  const MPI_Datatype parts[3] = {MPI_INT, MPI_CHAR, MPI_SHORT};
  MPI_Type_contiguous(5, MPI_INT, &all[types++]);
  MPI_Type_vector(3, 2, 4, MPI_INT, &all[types++]);
  MPI_Type_create_hvector(3, 2, 25, MPI_SHORT, &all[types++]);
  MPI_Type_indexed(3, lengths, places, MPI_INT, &all[types++]);
  MPI_Type_create_hindexed(3, lengths, addresses, MPI_SHORT, &all[types++]);
  MPI_Type_create_indexed_block(3, 2, places, MPI_CHAR, &all[types++]);
  MPI_Type_create_hindexed_block(3, 2, addresses, MPI_CHAR, &all[types++]);
  MPI_Type_create_struct(3, lengths, addresses, parts, &all[types++]);
  MPI_Type_create_resized(all[1], 0, 100, &all[types++]);
  MPI_Type_vector(2, 1, 2, all[8], &all[types++]);
  MPI_Type_dup(all[7], &all[types++]);
  {
    const int sizes[3] = {3, 4, 5}, part[3] = {2, 2, 3}, start[3] = {1, 1, 2};
    MPI_Type_create_subarray(3, sizes, part, start, MPI_ORDER_FORTRAN, MPI_SHORT, &all[types++]);
  }
  for (int i = 0; i < bytes; ++i) from[i] = (unsigned char)(i * 7 + rank);
  for (int t = 0; t < types; ++t) {
    weft_exchange exchange;
    weft_requests list;
    int size = 0, place = 0;
    MPI_Type_commit(&all[t]);
    MPI_Type_size(all[t], &size);
    MPI_Pack(from, 1, all[t], packed, bytes, &place, MPI_COMM_WORLD);
    CHECK(place == size);
    OK(weft_exchange_create(world, NULL, &exchange));
    OK(weft_exchange_client(exchange, "typed", &list));
    OK(weft_send(list, rank, 1, weft_datatype(from, 1, all[t]), 0, NULL));
    OK(weft_receive(list, rank, 1, weft_contiguous(got, (size_t)size, WEFT_BYTES(1)), 0, NULL));
    OK(weft_exchange_commit(exchange));
    OK(weft_exchange_start(exchange, 0));
    OK(weft_exchange_ready_all(exchange, list, 0));
    OK(weft_exchange_wait(exchange));
    CHECK(memcmp(got, packed, (size_t)size) == 0);
    OK(weft_exchange_free(&exchange));
  }
  for (int t = 0; t < types; ++t) MPI_Type_free(&all[t]);
}

static void buffers_given_and_up_to(void) {
  double one[2][4], other[2][4], elsewhere[4], got[4];
  char text[100], *received = NULL;
  size_t bytes = 0;
  weft_exchange exchange;
  weft_requests list;
  weft_part given, letter, letter_in, taken_in, taken;
  weft_region out[2], in[2];
  out[0] = weft_contiguous(one[0], 4, WEFT_DOUBLE), out[1] = weft_contiguous(one[1], 4, WEFT_DOUBLE);
  in[0] = weft_contiguous(other[0], 4, WEFT_DOUBLE), in[1] = weft_contiguous(other[1], 4, WEFT_DOUBLE);
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_client(exchange, "all", &list));
  OK(weft_agree_on(list, "four doubles"));
  OK(weft_send_buffers(list, right, 1, 2, out, 0, NULL));
  OK(weft_receive_buffers(list, left, 1, 2, in, 0, NULL));
  OK(weft_send(list, right, 2, weft_given(sizeof got), 0, &given));
  OK(weft_receive(list, left, 2, weft_contiguous(got, 4, WEFT_DOUBLE), 0, NULL));
  OK(weft_send(list, right, 3, weft_up_to(weft_contiguous(text, sizeof text, WEFT_BYTES(1))), 0, &letter));
  OK(weft_receive(list, left, 3, weft_up_to(weft_contiguous(text + 50, 50, WEFT_BYTES(1))), 0, &letter_in));
  REFUSED(WEFT_ERR_EVERYWHERE, "key 3", weft_exchange_commit(exchange)); /* another size at the other end */
  OK(weft_exchange_free(&exchange));

  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_client(exchange, "all", &list));
  OK(weft_send_buffers(list, right, 1, 2, out, 0, NULL));
  OK(weft_receive_buffers(list, left, 1, 2, in, 0, NULL));
  OK(weft_send(list, right, 2, weft_given(sizeof got), 0, &given));
  OK(weft_receive(list, left, 2, weft_contiguous(got, 4, WEFT_DOUBLE), 0, NULL));
  OK(weft_send(list, right, 3, weft_up_to(weft_contiguous(text, 50, WEFT_BYTES(1))), 0, &letter));
  OK(weft_receive(list, left, 3, weft_up_to(weft_contiguous(text + 50, 50, WEFT_BYTES(1))), 0, &letter_in));
  OK(weft_send(list, right, 4, weft_up_to(weft_given(1000)), 0, &taken));
  OK(weft_receive(list, left, 4, weft_up_to(weft_given(1000)), 0, &taken_in));
  OK(weft_exchange_commit(exchange));
  for (unsigned step = 0; step < 4; ++step) {
    const size_t length = (size_t)rank + step + 1;
    fill(one[step % 2], 4, rank * 100. + step);
    fill(elsewhere, 4, rank * 100. - step);
    memset(text, 'a' + rank, 50);
    memset(text + 50, '-', 50);
    OK(weft_exchange_start(exchange, step));
    OK(weft_exchange_ready_region(exchange, given, weft_contiguous(elsewhere, 4, WEFT_DOUBLE)));
    OK(weft_exchange_ready_bytes(exchange, letter, length));
    OK(weft_exchange_ready_region(exchange, taken, weft_contiguous(text, length, WEFT_BYTES(1))));
    OK(weft_exchange_ready_all(exchange, list, 0));
    OK(weft_exchange_wait(exchange));
    for (int i = 0; i < 4; ++i) {
      CHECK(other[step % 2][i] == left * 100. + step + i);
      CHECK(got[i] == left * 100. - step + i);
    }
    OK(weft_exchange_received_bytes(exchange, letter_in, &bytes));
    CHECK(bytes == (size_t)left + step + 1);
    CHECK(text[50 + bytes - 1] == 'a' + left && text[50 + bytes] == '-');
    OK(weft_exchange_sent_bytes(exchange, letter, &bytes));
    CHECK(bytes == length);
    OK(weft_exchange_take_received(exchange, taken_in, (void**)&received, &bytes));
    CHECK(bytes == (size_t)left + step + 1 && received[0] == 'a' + left && received[bytes - 1] == 'a' + left);
    OK(weft_memory_free(received));
  }
  {
    const char* described = NULL;
    OK(weft_exchange_describe(exchange, &described));
    CHECK(strstr(described, "message") != NULL);
  }
  OK(weft_exchange_free(&exchange));
}

static void add_bits(const void* left_values, void* inout, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    unsigned a, b;
    memcpy(&a, (const char*)left_values + i * sizeof a, sizeof a);
    memcpy(&b, (char*)inout + i * sizeof b, sizeof b);
    b |= a;
    memcpy((char*)inout + i * sizeof b, &b, sizeof b);
  }
}

static void collectives(void) {
  double in[3], sum[3], most[3], root_sum[3], told = rank == 0 ? 42 : 0;
  int mine[4], everyone[16], at_root[16], out[4], from_all[4];
  size_t counts[4], one[4];
  unsigned bit = 1u << rank, bits = 0;
  float complex_in[2] = {1, (float)rank}, complex_sum[2];
  size_t total = 0;
  weft_exchange exchange;
  weft_requests list;
  weft_op or_op;
  weft_part reduction;
  for (int i = 0; i < 3; ++i) in[i] = rank + i * 0.5;
  for (int r = 0; r < ranks; ++r) counts[r] = (size_t)r, one[r] = 1, total += (size_t)r, out[r] = 10 * rank + r;
  for (int i = 0; i < rank; ++i) mine[i] = 100 * rank + i;
  OK(weft_op_create(add_bits, sizeof bit, 1, &or_op));
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_client(exchange, "sums", &list));
  OK(weft_all_reduce(list, in, sum, 3, WEFT_DOUBLE, WEFT_SUM, 0, &reduction));
  OK(weft_all_reduce(list, in, most, 3, WEFT_DOUBLE, WEFT_MAX, 0, NULL));
  OK(weft_all_reduce(list, &bit, &bits, 1, WEFT_UINT32, or_op, 0, NULL));
  OK(weft_all_reduce(list, complex_in, complex_sum, 1, WEFT_FLOAT_COMPLEX, WEFT_SUM, 0, NULL));
  OK(weft_reduce(list, 0, in, rank == 0 ? root_sum : NULL, 3, WEFT_DOUBLE, WEFT_SUM, 0, NULL));
  OK(weft_broadcast(list, 0, &told, 1, WEFT_DOUBLE, 0, NULL));
  OK(weft_gather(list, ranks - 1, mine, rank == ranks - 1 ? at_root : NULL, counts, WEFT_INT32, 0, NULL));
  OK(weft_all_gather(list, mine, everyone, counts, WEFT_INT32, 0, NULL));
  OK(weft_all_to_all(list, out, one, from_all, one, WEFT_INT32, 0, NULL));
  OK(weft_barrier(list, 0, NULL));
  OK(weft_exchange_commit(exchange));
  for (int times = 0; times < 2; ++times) {
    int done = 0;
    OK(weft_exchange_start(exchange, 0));
    OK(weft_exchange_ready(exchange, reduction));
    OK(weft_exchange_ready_all(exchange, list, 0));
    while (!done) OK(weft_exchange_test(exchange, &done));
    OK(weft_exchange_wait(exchange));
  }
  for (int i = 0; i < 3; ++i) {
    CHECK(sum[i] == ranks * (ranks - 1) / 2. + ranks * i * 0.5);
    CHECK(most[i] == ranks - 1 + i * 0.5);
    if (rank == 0) CHECK(root_sum[i] == sum[i]);
  }
  CHECK(bits == (1u << ranks) - 1 && told == 42);
  CHECK(complex_sum[0] == (float)ranks && complex_sum[1] == (float)(ranks * (ranks - 1) / 2));
  for (int r = 0, k = 0; r < ranks; ++r) {
    CHECK(from_all[r] == 10 * r + rank);
    for (int i = 0; i < r; ++i, ++k) {
      CHECK(everyone[k] == 100 * r + i);
      if (rank == ranks - 1) CHECK(at_root[k] == 100 * r + i);
    }
  }
  CHECK(total <= 16);
  OK(weft_exchange_free(&exchange));
  OK(weft_op_free(&or_op));
}

/* Every rank gets something from all: sums in overlapping parts, a minimum, bits by an operation of its own, and sums
 * in two arrays in turns. Sums have the same bits as if the ranks had added in turn. */
static void combined(int grouping) {
  double share[3], sums[4] = {1, 1, 1, 1}, in_turn[4] = {1, 1, 1, 1}, least = 100, buffer[2][3] = {{0}}, typed[2] = {0};
  unsigned bit = 1u << rank, bits = 1u << 10;
  weft_exchange exchange;
  weft_requests list;
  weft_op or_op;
  weft_part part = 0;
  weft_exchange_options options = {.size = sizeof options};
  options.messages.size = sizeof options.messages;
  options.messages.grouping = grouping;
  OK(weft_op_create(add_bits, sizeof bit, 1, &or_op));
  OK(weft_exchange_create(world, &options, &exchange));
  OK(weft_exchange_client(exchange, "all", &list));
  fill(share, 3, (rank + 1) / 10.);
  for (int r = 0; r < ranks; ++r) {
    weft_region alternately[2], of_type = weft_datatype(typed, 2, MPI_DOUBLE);
    alternately[0] = weft_contiguous(buffer[0], 3, WEFT_DOUBLE),
    alternately[1] = weft_contiguous(buffer[1], 3, WEFT_DOUBLE);
    of_type.type = WEFT_DOUBLE;
    for (uint64_t key = 1; key <= 2; ++key)
      OK(weft_send(list, r, key, weft_contiguous(share, 3, WEFT_DOUBLE), 0, NULL));
    OK(weft_send(list, r, 3, weft_contiguous(share, 1, WEFT_DOUBLE), 0, NULL));
    OK(weft_send(list, r, 4, weft_contiguous(&bit, 1, WEFT_UINT32), 0, NULL));
    OK(weft_send(list, r, 5, weft_contiguous(share, 2, WEFT_DOUBLE), 0, NULL));
    OK(weft_receive_combine(list, r, 1, weft_contiguous(sums + r % 2, 3, WEFT_DOUBLE), WEFT_SUM, 0, 0, &part));
    OK(weft_receive_combine_buffers(list, r, 2, 2, alternately, WEFT_SUM, 1, 0, NULL));
    OK(weft_receive_combine(list, r, 3, weft_contiguous(&least, 1, WEFT_DOUBLE), WEFT_MIN, 1, 0, NULL));
    OK(weft_receive_combine(list, r, 4, weft_contiguous(&bits, 1, WEFT_UINT32), or_op, 0, 0, NULL));
    OK(weft_receive_combine(list, r, 5, of_type, WEFT_SUM, 0, 0, NULL));
  }
  OK(weft_receive_combine(list, MPI_PROC_NULL, 1, weft_contiguous(sums, 3, WEFT_DOUBLE), WEFT_SUM, 0, 0, NULL));
  REFUSED(WEFT_ERR, "up to n bytes is combined",
          weft_receive_combine(list, 0, 9, weft_up_to(weft_contiguous(sums, 3, WEFT_DOUBLE)), WEFT_SUM, 0, 0, NULL));
  REFUSED(WEFT_ERR_EVERYWHERE, "Complex",
          weft_receive_combine(list, 0, 9, weft_contiguous(sums, 1, WEFT_DOUBLE_COMPLEX), WEFT_MAX, 0, 0, NULL));
  REFUSED(WEFT_ERR_EVERYWHERE, "need numbers", weft_receive_combine(list, 0, 9, weft_given(8), WEFT_SUM, 0, 0, NULL));
  OK(weft_exchange_commit(exchange));
  for (unsigned times = 0; times < 3; ++times) {
    int arrived = 0;
    OK(weft_exchange_start(exchange, times));
    OK(weft_exchange_ready_all(exchange, list, 0));
    OK(weft_exchange_wait(exchange));
    OK(weft_exchange_start(exchange, times));
    OK(weft_exchange_ready_all(exchange, list, 0));
    while (!arrived) {
      OK(weft_exchange_progress(exchange));
      OK(weft_exchange_arrived(exchange, part, &arrived));
    }
    OK(weft_exchange_wait(exchange));
    for (int again = 0; again < 2; ++again)
      for (int r = 0; r < ranks; ++r)
        for (int i = 0; i < 3; ++i) in_turn[r % 2 + i] += (r + 1) / 10. + i;
  }
  CHECK(memcmp(sums, in_turn, sizeof sums) == 0);
  CHECK(least == 0.1 && bits == (1u << 10 | ((1u << ranks) - 1)));
  {
    const double all = ranks * (ranks + 1) / 20.; /* of every start, in any order: not the same bits */
    for (int i = 0; i < 3; ++i) {
      CHECK(fabs(buffer[0][i] - 4 * (all + ranks * i)) < 1e-10 && fabs(buffer[1][i] - 2 * (all + ranks * i)) < 1e-10);
      if (i < 2) CHECK(fabs(typed[i] - 6 * (all + ranks * i)) < 1e-10);
    }
  }
  OK(weft_exchange_free(&exchange));
  OK(weft_op_free(&or_op));

  /* Without a combine parts may not overlap. */
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_client(exchange, "all", &list));
  for (uint64_t key = 1; key <= 2; ++key)
    OK(weft_send(list, right, key, weft_contiguous(share, 2, WEFT_DOUBLE), 0, NULL));
  OK(weft_receive_combine(list, left, 1, weft_contiguous(sums, 2, WEFT_DOUBLE), WEFT_SUM, 0, 0, NULL));
  OK(weft_receive(list, left, 2, weft_contiguous(sums + 1, 2, WEFT_DOUBLE), 0, NULL));
  REFUSED(WEFT_ERR_EVERYWHERE, "into the same memory", weft_exchange_commit(exchange));
  OK(weft_exchange_free(&exchange));
}

struct chain {
  int sent, got, forwarded, final, calls;
};
static int forward(void* context) {
  struct chain* chain = context;
  chain->forwarded = chain->got + 1;
  ++chain->calls;
  return 0;
}

static void rounds_and_continuations(void) {
  struct chain chain = {0, 0, 0, 0, 0};
  int a = 0, b = 0, c = 0;
  weft_space space;
  weft_exchange first, second;
  weft_requests list, rounds;
  weft_exchange_options options = {.size = sizeof options};
  OK(weft_space_create(world, &space));
  options.space = space;
  OK(weft_exchange_create(world, &options, &first));
  OK(weft_exchange_create(world, &options, &second));
  OK(weft_space_free(&space));
  OK(weft_exchange_client(first, "chain", &list));
  OK(weft_send(list, right, 1, weft_contiguous(&chain.sent, 1, WEFT_INT), 0, NULL));
  OK(weft_receive(list, left, 1, weft_contiguous(&chain.got, 1, WEFT_INT), 0, NULL));
  OK(weft_send(list, right, 2, weft_contiguous(&chain.forwarded, 1, WEFT_INT), 1, NULL));
  OK(weft_receive(list, left, 2, weft_contiguous(&chain.final, 1, WEFT_INT), 1, NULL));
  OK(weft_continuation(list, 0, forward, &chain));
  OK(weft_exchange_client(second, "rounds", &rounds));
  OK(weft_send(rounds, right, 1, weft_contiguous(&a, 1, WEFT_INT), 0, NULL));
  OK(weft_receive(rounds, left, 1, weft_contiguous(&b, 1, WEFT_INT), 0, NULL));
  OK(weft_send(rounds, right, 1000, weft_contiguous(&b, 1, WEFT_INT), 1, NULL));
  OK(weft_receive(rounds, left, 1000, weft_contiguous(&c, 1, WEFT_INT), 1, NULL));
  OK(weft_exchange_commit(first));
  OK(weft_exchange_commit(second));
  for (int times = 0; times < 3; ++times) {
    a = 7 * rank + times, chain.sent = a;
    OK(weft_exchange_start(first, 0));
    OK(weft_exchange_start(second, 0));
    OK(weft_exchange_ready_all(first, list, 0));
    OK(weft_exchange_ready_all(second, rounds, 0));
    OK(weft_exchange_wait_round(second, 0));
    CHECK(b == 7 * left + times);
    OK(weft_exchange_ready_all(second, rounds, 1));
    OK(weft_exchange_wait_round(second, 1));
    OK(weft_exchange_wait(first));
    CHECK(c == 7 * ((left + ranks - 1) % ranks) + times);
    CHECK(chain.final == c + 1 && chain.calls == times + 1);
  }
  OK(weft_exchange_free(&first));
  OK(weft_exchange_free(&second));
}

/* A line of ranks, whose ends have no neighbour. */
static void ends_without_a_peer(void) {
  const int up = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int out = rank, in = -1, arrived = 0;
  size_t bytes = 7;
  weft_exchange exchange;
  weft_requests list;
  weft_part send, receive;
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_client(exchange, "line", &list));
  OK(weft_send(list, up, 1, weft_contiguous(&out, 1, WEFT_INT), 0, &send));
  OK(weft_receive(list, down, 1, weft_contiguous(&in, 1, WEFT_INT), 0, &receive));
  OK(weft_exchange_commit(exchange));
  OK(weft_exchange_start(exchange, 0));
  OK(weft_exchange_ready(exchange, send));
  while (!arrived) {
    OK(weft_exchange_progress(exchange));
    OK(weft_exchange_arrived(exchange, receive, &arrived));
  }
  OK(weft_exchange_wait(exchange));
  CHECK(in == (rank > 0 ? rank - 1 : -1));
  OK(weft_exchange_received_bytes(exchange, receive, &bytes));
  CHECK(bytes == (rank > 0 ? sizeof in : 0));
  OK(weft_exchange_free(&exchange));
}

/* The wait also waits for requests of the program. */
static void requests_of_the_program(void) {
  int mine = rank, of_left = -1, sum = -1, done = 0;
  MPI_Request request;
  weft_exchange exchange;
  weft_requests list;
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_client(exchange, "ring", &list));
  OK(weft_send(list, right, 1, weft_contiguous(&mine, 1, WEFT_INT), 0, NULL));
  OK(weft_receive(list, left, 1, weft_contiguous(&of_left, 1, WEFT_INT), 0, NULL));
  OK(weft_exchange_commit(exchange));
  for (int times = 0; times < 2; ++times) {
    OK(weft_exchange_start(exchange, 0));
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    OK(weft_exchange_wait_also(exchange, &request));
    REFUSED(WEFT_ERR_HANDLE, "The address of the request is NULL", weft_exchange_wait_also(exchange, NULL));
    OK(weft_exchange_ready_all(exchange, list, 0));
    while (times == 1 && !done) OK(weft_exchange_test(exchange, &done));
    OK(weft_exchange_wait(exchange));
    CHECK(request == MPI_REQUEST_NULL && sum == ranks * (ranks - 1) / 2 && of_left == left);
  }
  OK(weft_exchange_free(&exchange));
}

static void settings_do_not_change_results(void) {
  for (int grouping = 0; grouping <= WEFT_BY_SIZE; ++grouping)
    for (int kind = 0; kind <= WEFT_SEND_RECEIVE_THREADS; ++kind)
      for (int how = 0; how < 4; ++how) {
        double a[64], b[64];
        weft_progress progress;
        weft_progress_options with = {.size = sizeof with};
        weft_exchange_options options = {.size = sizeof options};
        weft_exchange exchange;
        weft_requests list;
        weft_part in[4];
        with.kind = kind;
        OK(weft_progress_create(world, &with, &progress));
        options.progress = progress;
        options.messages.size = sizeof options.messages;
        options.messages.grouping = grouping;
        options.messages.shared_memory = how == 1;
        options.messages.defer_unpacking = how == 2;
        options.messages.carrier = how == 3 ? WEFT_SYNCHRONOUS : WEFT_MESSAGES;
        OK(weft_exchange_create(world, &options, &exchange));
        OK(weft_progress_free(&progress));
        OK(weft_exchange_client(exchange, "parts", &list));
        fill(a, 64, rank);
        for (int k = 0; k < 4; ++k) {
          OK(weft_send(list, right, (uint64_t)k, weft_contiguous(a + 16 * k, 16, WEFT_DOUBLE), 0, NULL));
          OK(weft_receive(list, left, (uint64_t)k, weft_contiguous(b + 16 * k, 16, WEFT_DOUBLE), 0, &in[k]));
        }
        OK(weft_exchange_commit(exchange));
        OK(weft_exchange_start(exchange, 0));
        OK(weft_exchange_ready_all(exchange, list, 0));
        if (how == 2) {
          OK(weft_exchange_accept(exchange, in[2]));
          OK(weft_exchange_accept_all(exchange, list, 0));
        }
        OK(weft_exchange_wait(exchange));
        for (int i = 0; i < 64; ++i) CHECK(b[i] == left + i);
        OK(weft_exchange_free(&exchange));
      }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  forms();
  datatypes();
  buffers_given_and_up_to();
  collectives();
  for (int grouping = 0; grouping <= WEFT_PER_NODE; ++grouping) combined(grouping);
  rounds_and_continuations();
  ends_without_a_peer();
  requests_of_the_program();
  settings_do_not_change_results();
  OK(weft_end(1));
  end();
  return 0;
}
