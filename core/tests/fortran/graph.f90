! SPDX-License-Identifier: BSD-3-Clause
! Graphs of global numbers: to copies, to owners, and of a sparse matrix.
program graphs
  use weft
  use testing
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, parameter :: n = 5
  integer :: rank, ranks
  type(weft_comm) :: comm
  call weft_init()
  call comm%create()
  call comm%get_rank(rank, ranks)
  call both_directions()
  call wrong_numbers()
  call matrix()
  call finish()
  call comm%free()
  call weft_finalize()
contains
  !> The i-th number of all, i from 0 on: rank modulo(i, ranks) owns it.
  elemental integer(int64) function label(i)
    integer, intent(in) :: i
    label = 2_int64**40 + modulo(997*i, 1000)
  end function
  elemental real(real64) function value(i, component)
    integer, intent(in) :: i, component
    value = real(label(i), real64) + component/8.0_real64
  end function
  elemental real(real64) function share(of_rank, i)
    integer, intent(in) :: of_rank, i
    share = (of_rank + 1)*0.1_real64 + i
  end function
  !> Each rank wants every other number, the last one first, and number 0 or 1 twice.
  function wanted_by(of_rank) result(list)
    integer, intent(in) :: of_rank
    integer, allocatable :: list(:)
    integer :: i
    list = pack([(i, i=n*ranks - 1, 0, -1)], [(modulo(i + of_rank, 2) == 0, i=n*ranks - 1, 0, -1)])
    list = [list, list(size(list))]
  end function

  subroutine both_directions()
    real(real64), target :: u(2, n), f(0:2*n)
    real(real64), allocatable, target :: u_copies(:, :), v_copies(:, :), f_copies(:)
    real(real64), target :: v(n, 3)
    real(real64) :: in_turn(n)
    integer, allocatable :: want(:), of_r(:)
    integer :: mine(n), k, r, m, readers, owners, stat
    type(weft_graph) :: graph
    type(weft_exchange) :: exchange
    type(weft_requests) :: list
    type(weft_part), allocatable :: sends(:), receives(:), back(:)
    character(300) :: text
    mine = [(rank + k*ranks, k=0, n - 1)]
    want = wanted_by(rank)
    m = size(want)
    allocate(u_copies(2, m), v_copies(m, 3), f_copies(m))
    call graph%create(comm, label(mine), label(want))
    call graph%neighbours(readers, owners)
    call exchange%create(comm, defer_unpacking=.true.)
    call exchange%client('fields', list)
    call graph%to_copies(list, 1, u, f_copies, stat=stat, errmsg=text)
    call expect(stat == weft_err, 'the code of different components')
    call expect_text(text, 'has 2 components of owned values, but 1 of copies')
    call graph%to_copies(list, 1, u(:, :n - 1), u_copies, stat=stat, errmsg=text)
    call expect_text(text, 'too short')
    call graph%to_copies(list, 1, u(:, n:1:-1), u_copies, stat=stat, errmsg=text)
    call expect_text(text, 'runs forwards')
    call graph%to_copies(list, 1, u, u_copies, sends, receives)
    call graph%to_copies(list, 2, v, v_copies, components=weft_last)
    call graph%to_owners(list, 3, f_copies, f(1:2*n - 1:2), back, op=weft_sum)
    call expect(all([size(sends), size(receives), size(back)] == [readers, owners, owners]), 'the numbers of parts')
    call graph%free()
    call exchange%commit()
    do k = 1, 2
      u(k, :) = value(mine, k)
    end do
    do k = 1, 3
      v(:, k) = -value(mine, k)
    end do
    u_copies = 0
    v_copies = 0
    f = 0.7_real64
    in_turn = 0.7_real64
    f_copies = share(rank, want)
    call exchange%start()
    do k = 1, size(sends)
      call exchange%ready(sends(k))
    end do
    call exchange%ready_all(list)
    do k = 1, size(receives)
      call exchange%accept(receives(k))
    end do
    call exchange%accept_all(list)
    call exchange%wait()
    do k = 1, 2
      call expect(all(nint(8*(u_copies(k, :) - value(want, k))) == 0), 'copies side by side')
    end do
    do k = 1, 3
      call expect(all(nint(8*(v_copies(:, k) + value(want, k))) == 0), 'copies in an array per component')
    end do
    do r = 0, ranks - 1  ! as if the ranks had added in turn
      of_r = wanted_by(r)
      do k = 1, size(of_r)
        if (modulo(of_r(k), ranks) /= rank) cycle
        in_turn(of_r(k)/ranks + 1) = in_turn(of_r(k)/ranks + 1) + share(r, of_r(k))
      end do
    end do
    call expect(all(transfer(f(1:2*n - 1:2), [0_int64]) == transfer(in_turn, [0_int64])), 'the bits of sums')
    call expect(all(nint(10*f(0:2*n:2)) == 7), 'what is between them')
  end subroutine

  subroutine wrong_numbers()
    type(weft_graph) :: graph
    integer :: stat
    character(200) :: text
    call graph%create(comm, [int(rank, int64)], [77_int64], stat, text)
    call expect(stat == weft_err_everywhere, 'a number that nobody owns')
    call expect_text(text, 'Number 77 is wanted by rank')
    if (ranks > 1) call graph%create(comm, [5_int64], [5_int64], stat, text)
    if (ranks > 1) call expect_text(text, 'Number 5 is owned by ranks 0 and')
    call expect(.not. graph%exists(), 'no graph')
  end subroutine

  ! -1 2 -1 in each row, of rows that are owned in turns of four.
  subroutine matrix()
    integer, parameter :: rows = 8
    integer(int64) :: owned(rows)
    integer(int64), allocatable :: columns(:)
    real(real64), allocatable :: entries(:)
    real(real64), target :: x(rows + 4)
    real(real64) :: y(rows), row
    integer, allocatable :: local_columns(:), order(:)
    integer :: starts(rows + 1), interior, copies, i, k, stat
    integer(int64) :: column
    type(weft_graph) :: graph, wrong
    type(weft_exchange) :: exchange
    type(weft_requests) :: list
    character(200) :: text
    allocate(columns(0), entries(0))
    starts(1) = 1
    do i = 1, rows
      owned(i) = (i - 1)/4*4*ranks + 4*rank + modulo(i - 1, 4)
      do column = max(0_int64, owned(i) - 1), min(rows*ranks - 1_int64, owned(i) + 1)
        columns = [columns, column]
        entries = [entries, merge(2.0_real64, -1.0_real64, column == owned(i))]
      end do
      starts(i + 1) = size(columns) + 1
    end do
    call graph%create_matrix(comm, owned, starts, columns, local_columns, order, interior, copies)
    call expect(interior == 4 + merge(2, 0, rank == 0) + merge(2, 0, rank == ranks - 1) .or. ranks > 1, 'all rows')
    call expect(interior == 4 + count([0, ranks - 1] == rank) .or. ranks == 1, 'interior rows')
    call exchange%create(comm)
    call exchange%client('x', list)
    call graph%to_copies(list, 1, x(:rows), x(rows + 1:rows + copies))
    call exchange%commit()
    x(:rows) = real(owned**2, real64)
    call exchange%start()
    call exchange%ready_all(list)
    do k = 1, rows
      if (k == interior + 1) call exchange%wait()
      i = order(k)
      y(i) = sum(entries(starts(i):starts(i + 1) - 1)*x(local_columns(starts(i):starts(i + 1) - 1)))
    end do
    if (interior == rows) call exchange%wait()
    do i = 1, rows
      row = real(owned(i), real64)
      if (owned(i) == 0) y(i) = y(i) - 1
      if (owned(i) == rows*ranks - 1) y(i) = y(i) - (row + 1)**2
      call expect(nint(y(i)) == -2, 'a product')
    end do
    call wrong%create_matrix(comm, owned, starts(:rows), columns, local_columns, order, interior, copies, stat, text)
    call expect(stat == weft_err_everywhere, 'too few starts of rows')
    call expect_text(text, 'do not ascend')
  end subroutine
end program
