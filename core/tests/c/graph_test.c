/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs of global numbers: to copies, to owners, and of a sparse matrix. */
#include "test.h"

enum { n = 5, most = 4 * n };

/* The i-th number of all: rank i % ranks owns it. */
static uint64_t number(int i) { return (uint64_t)1 << 40 | (uint64_t)(997 * i % 1000); }
static double value(int i, int component) { return (double)(number(i) % 1000) + component / 8.; }
static double share(int of_rank, int i) { return (of_rank + 1) * 0.1 + i; }

static weft_values values(double* data, size_t count) {
  const weft_values all = {.size = sizeof all, .data = data, .count = count, .type = WEFT_DOUBLE};
  return all;
}

/* Each rank wants the numbers i with (i + rank) % 2 == 0, the last one first, and the first of all twice. */
static int wants(int of_rank, int* list) {
  int count = 0;
  for (int i = n * ranks - 1; i >= 0; --i)
    if ((i + of_rank) % 2 == 0) list[count++] = i;
  list[count] = list[count - 1];
  return count + 1;
}

static void both_directions(void) {
  uint64_t owned[n], wanted[most];
  double u[2 * n], u_copies[2 * most], f[n], f_copies[most], in_turn[n], one = 0;
  int want[most], m = wants(rank, want);
  size_t readers = 0, owners = 0;
  weft_graph graph;
  weft_exchange exchange;
  weft_requests list;
  weft_part parts[8], back[8];
  weft_exchange_options options = {.size = sizeof options};
  weft_values of_u, of_copies, of_f, of_shares;
  for (int k = 0; k < n; ++k) owned[k] = number(rank + k * ranks);
  for (int j = 0; j < m; ++j) wanted[j] = number(want[j]);
  OK(weft_graph_create(world, n, owned, (size_t)m, wanted, &graph));
  OK(weft_graph_neighbours(graph, &readers, &owners));
  CHECK(readers >= 1 && readers <= (size_t)ranks && owners >= 1 && owners <= (size_t)ranks);
  options.messages.size = sizeof options.messages;
  options.messages.defer_unpacking = 1;
  OK(weft_exchange_create(world, &options, &exchange));
  OK(weft_exchange_client(exchange, "fields", &list));
  of_u = values(u, 2 * n), of_u.components = 2; /* side by side, and in the copies an array each */
  of_copies = values(u_copies, 2 * (size_t)m), of_copies.components = 2, of_copies.stride = 1;
  of_copies.component_stride = (size_t)m;
  of_f = values(f, n), of_shares = values(f_copies, (size_t)m);
  REFUSED(WEFT_ERR, "components of owned values", weft_graph_to_copies(graph, list, 1, &of_f, &of_copies, 0, NULL));
  REFUSED(WEFT_ERR_HANDLE, "values of a graph is NULL",
          weft_graph_to_copies(graph, list, 1, NULL, &of_copies, 0, NULL));
  of_f.count = n - 1;
  REFUSED(WEFT_ERR, "too short", weft_graph_to_owners(graph, list, 1, &of_shares, &of_f, WEFT_SUM, 0, 0, NULL));
  of_f.count = n;
  OK(weft_graph_to_copies(graph, list, 1, &of_u, &of_copies, 0, parts));
  OK(weft_graph_to_owners(graph, list, 2, &of_shares, &of_f, WEFT_SUM, 0, 0, back));
  OK(weft_graph_free(&graph));
  CHECK(graph == NULL);
  OK(weft_exchange_commit(exchange));
  for (int times = 0; times < 2; ++times) {
    for (int k = 0; k < n; ++k) {
      for (int c = 0; c < 2; ++c) u[2 * k + c] = value(rank + k * ranks, c);
      in_turn[k] = f[k] = 0.7;
    }
    for (int j = 0; j < m; ++j) f_copies[j] = share(rank, want[j]), u_copies[j] = u_copies[m + j] = -1;
    OK(weft_exchange_start(exchange, 0));
    for (size_t p = 0; p < readers; ++p) OK(weft_exchange_ready(exchange, parts[p]));
    for (size_t p = 0; p < owners; ++p) OK(weft_exchange_ready(exchange, back[p]));
    for (size_t p = readers; p < readers + owners; ++p) OK(weft_exchange_accept(exchange, parts[p]));
    for (size_t p = owners; p < owners + readers; ++p) OK(weft_exchange_accept(exchange, back[p]));
    OK(weft_exchange_wait(exchange));
    for (int j = 0; j < m; ++j)
      for (int c = 0; c < 2; ++c) CHECK(u_copies[c * m + j] == value(want[j], c));
    for (int r = 0; r < ranks; ++r) { /* as if the ranks had added in turn */
      int of_r[most];
      for (int j = 0, count = wants(r, of_r); j < count; ++j)
        if (of_r[j] % ranks == rank) in_turn[of_r[j] / ranks] += share(r, of_r[j]);
    }
    CHECK(memcmp(f, in_turn, sizeof f) == 0);
  }
  OK(weft_exchange_free(&exchange));

  /* Without an operation, a copy replaces the value: only the last rank wants something. */
  m = rank == ranks - 1 ? 1 : 0;
  wanted[0] = number(0);
  OK(weft_graph_create(world, n, owned, (size_t)m, wanted, &graph));
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_client(exchange, "fields", &list));
  of_shares = values(&one, (size_t)m);
  OK(weft_graph_to_owners(graph, list, 1, &of_shares, &of_f, NULL, 0, 0, NULL));
  OK(weft_exchange_commit(exchange));
  one = 42;
  OK(weft_exchange_start(exchange, 0));
  OK(weft_exchange_ready_all(exchange, list, 0));
  OK(weft_exchange_wait(exchange));
  CHECK(f[0] == (rank == 0 ? 42 : in_turn[0]));
  OK(weft_exchange_free(&exchange));
  OK(weft_graph_free(&graph));
}

static void wrong_numbers(void) {
  const uint64_t mine = (uint64_t)rank, nobodys = 77, everybodys = 5;
  weft_graph graph = NULL;
  REFUSED(WEFT_ERR_EVERYWHERE, "Number 77 is wanted by rank", weft_graph_create(world, 1, &mine, 1, &nobodys, &graph));
  if (ranks > 1)
    REFUSED(WEFT_ERR_EVERYWHERE, "Number 5 is owned by ranks 0 and",
            weft_graph_create(world, 1, &everybodys, 1, &everybodys, &graph));
  REFUSED(WEFT_ERR_HANDLE, "list of wanted numbers is NULL", weft_graph_create(world, 1, &mine, 1, NULL, &graph));
  REFUSED(WEFT_ERR_HANDLE, "The graph is NULL", weft_graph_neighbours(graph, NULL, NULL));
}

/* -1 2 -1 in each row, of rows that are owned in turns of four. */
static void matrix(void) {
  enum { rows = 8 };
  const int all = rows * ranks;
  uint64_t owned[rows], columns[3 * rows];
  uint32_t local[3 * rows], order[rows];
  double entries[3 * rows], x[rows + 4], y[rows];
  size_t starts[rows + 1] = {0}, interior = 99, copies = 99, entry = 0;
  weft_graph graph;
  weft_exchange exchange;
  weft_requests list;
  weft_values of_x, of_copies;
  for (int i = 0; i < rows; ++i) {
    const int row = i / 4 * 4 * ranks + 4 * rank + i % 4;
    owned[i] = (uint64_t)row;
    for (int column = row - 1; column <= row + 1; ++column)
      if (column >= 0 && column < all) columns[entry] = (uint64_t)column, entries[entry++] = column == row ? 2 : -1;
    starts[i + 1] = entry;
  }
  OK(weft_graph_create_matrix(world, rows, owned, starts, columns, local, order, &interior, &copies, &graph));
  CHECK(interior == (ranks == 1 ? rows : 4u + (rank == 0) + (rank == ranks - 1)) && copies <= 4);
  of_x = values(x, rows), of_copies = values(x + rows, copies);
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_client(exchange, "x", &list));
  OK(weft_graph_to_copies(graph, list, 1, &of_x, &of_copies, 0, NULL));
  OK(weft_graph_free(&graph));
  OK(weft_exchange_commit(exchange));
  for (int i = 0; i < rows; ++i) x[i] = (double)(owned[i] * owned[i]);
  OK(weft_exchange_start(exchange, 0));
  OK(weft_exchange_ready_all(exchange, list, 0));
  for (size_t k = 0; k < rows; ++k) {
    const uint32_t i = order[k];
    if (k == interior) OK(weft_exchange_wait(exchange));
    y[i] = 0;
    for (size_t e = starts[i]; e < starts[i + 1]; ++e) y[i] += entries[e] * x[local[e]];
  }
  if (interior == rows) OK(weft_exchange_wait(exchange));
  for (int i = 0; i < rows; ++i) {
    const double row = (double)owned[i];
    CHECK(y[i] == -2 + (row == 0 ? 1 : 0) + (row + 1 == all ? (row + 1) * (row + 1) : 0));
  }
  OK(weft_exchange_free(&exchange));
  starts[1] = 1000;
  REFUSED(WEFT_ERR_EVERYWHERE, "do not ascend",
          weft_graph_create_matrix(world, rows, owned, starts, columns, local, order, NULL, NULL, &graph));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  both_directions();
  wrong_numbers();
  matrix();
  end();
  return 0;
}
