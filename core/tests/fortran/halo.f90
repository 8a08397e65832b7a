! SPDX-License-Identifier: BSD-3-Clause
! Ghost points of fields: scalar, and with components first or last, in one to three dimensions.
program halo
  use weft
  use testing
  use, intrinsic :: iso_fortran_env
  implicit none
  call weft_init()
  call two_dimensions()
  call three_dimensions()
  call velocities()
  call adding()
  call finish()
  call weft_finalize()
contains
  integer function at(i, j)
    integer, intent(in) :: i, j
    at = modulo(i - 1, 12) + 1 + 100*(modulo(j - 1, 9) + 1)
  end function

  subroutine two_dimensions()
    real(real64), allocatable, target :: u(:, :), padded(:, :)
    integer, allocatable, target :: first_is_component(:, :, :), last_is_component(:, :, :), moving(:, :), other(:, :)
    integer :: first(3), last(3), from(3, 6), to(3, 6), boxes, i, j, c, number, rounds, points, k, processes(3), rank
    type(weft_comm) :: comm
    type(weft_grid) :: grid
    type(weft_halo) :: ghosts
    type(weft_halo_exchange) :: exchange
    character(:), allocatable :: text
    logical :: failed
    call comm%create()
    call grid%create(comm, [12, 9], periodic=[.true., .true.])
    call grid%processes(processes)
    call comm%get_rank(rank, points)
    call expect(product(processes) == points, 'the ranks along the axes')
    call grid%neighbour([0, 0], i)
    call expect(i == rank, 'this rank')
    call grid%block(first, last)
    associate (a => first(1) - 2, b => last(1) + 2, c => first(2) - 2, d => last(2) + 2)
      allocate(u(a:b, c:d), padded(a:b + 3, c:d), first_is_component(3, a:b, c:d), last_is_component(a:b, c:d, 3))
      allocate(moving(a:b, c:d), other(a:b, c:d))
    end associate
    call ghosts%create(grid, width=2)
    call ghosts%add(u, name='u')
    call ghosts%add(padded(:last(1) + 2, :), name='padded')
    call ghosts%add(first_is_component, name='first', components=weft_first)
    call ghosts%add(last_is_component, name='last', components=weft_last)
    call ghosts%add(moving, number, moves=.true., name='moving')
    call expect(number == 5, 'the number of a field')
    call ghosts%rounds(rounds)
    call expect(rounds >= 1, 'rounds')
    call ghosts%interior(first, last)
    points = product(last - first + 1)
    call ghosts%boundary(boxes, from, to)
    do k = 1, boxes
      points = points + product(to(:, k) - from(:, k) + 1)
    end do
    call grid%block(first, last)
    call expect(points == product(last - first + 1), 'interior and boundary are the block')
    call ghosts%describe(text)
    call expect_text(text, 'u')
    call exchange%create(comm, ghosts, carrier=weft_messages)
    u = -1
    padded = -1
    first_is_component = -1
    last_is_component = -1
    other = -1
    do j = first(2), last(2)
      do i = first(1), last(1)
        u(i, j) = at(i, j)
        padded(i, j) = -at(i, j)
        other(i, j) = 3*at(i, j)
        do c = 1, 3
          first_is_component(c, i, j) = 10*at(i, j) + c
          last_is_component(i, j, c) = 10*at(i, j) - c
        end do
      end do
    end do
    call exchange%rebind(number, other)
    call exchange%start()
    call exchange%progress()
    call exchange%finish()
    call exchange%has_failed(failed)
    call expect(.not. failed, 'no failure')
    do j = first(2) - 2, last(2) + 2
      do i = first(1) - 2, last(1) + 2
        call expect(nint(u(i, j)) == at(i, j), 'a field')
        call expect(nint(padded(i, j)) == -at(i, j), 'a field with padding')
        call expect(other(i, j) == 3*at(i, j), 'a field that moves')
        do c = 1, 3
          call expect(first_is_component(c, i, j) == 10*at(i, j) + c, 'components first')
          call expect(last_is_component(i, j, c) == 10*at(i, j) - c, 'components last')
        end do
      end do
    end do
  end subroutine

  subroutine three_dimensions()
    real(real32), allocatable, target :: u(:, :, :)
    integer :: first(3), last(3), i, j, k
    type(weft_comm) :: comm
    type(weft_grid) :: grid
    type(weft_halo) :: ghosts
    type(weft_halo_exchange) :: exchange
    call comm%create()
    call comm%get_rank(i, j)
    call grid%create_blocks(comm, [6], [5], [(2, i=1, j)])
    call grid%block(first, last)
    call expect(last(3) - first(3) == 1, 'the length of a block')
    allocate(u(first(1) - 1:last(1) + 1, first(2) - 1:last(2) + 1, first(3) - 1:last(3) + 1))
    call ghosts%create(grid)
    call ghosts%add(u, reads=weft_reads_faces)
    call exchange%create(comm, ghosts)
    u = -1
    do k = first(3), last(3)
      do j = first(2), last(2)
        do i = first(1), last(1)
          u(i, j, k) = i + 10*j + 100*k
        end do
      end do
    end do
    call exchange%start()
    call exchange%finish()
    do j = first(2), last(2)
      do i = first(1), last(1)
        if (first(3) > 1) call expect(nint(u(i, j, first(3) - 1)) == i + 10*j + 100*(first(3) - 1), 'below')
        if (first(3) == 1) call expect(nint(u(i, j, 0)) == -1, 'an edge')
      end do
    end do
  end subroutine

  ! Populations of a lattice-Boltzmann scheme: each moves along its velocity, so only some ghost points need it.
  subroutine velocities()
    integer, parameter :: along(3, 3) = reshape([0, 0, 0, 1, 0, 0, 0, -1, 0], [3, 3])
    real(real64), allocatable, target :: f(:, :, :)
    integer :: first(3), last(3), i, j
    type(weft_comm) :: comm
    type(weft_grid) :: grid
    type(weft_halo) :: ghosts
    type(weft_halo_exchange) :: exchange
    call comm%create()
    call grid%create(comm, [12, 9], periodic=[.true., .true.])
    call grid%block(first, last)
    allocate(f(3, first(1) - 1:last(1) + 1, first(2) - 1:last(2) + 1))
    call ghosts%create(grid, payload=weft_reduced)
    call ghosts%add(f, components=weft_first, velocities=along, name='populations')
    call exchange%create(comm, ghosts)
    f = -1
    do j = first(2), last(2)
      do i = first(1), last(1)
        f(:, i, j) = [at(i, j), 2*at(i, j), 3*at(i, j)]
      end do
    end do
    call exchange%start()
    call exchange%finish()
    do j = first(2), last(2)
      call expect(nint(f(2, first(1) - 1, j)) == 2*at(first(1) - 1, j), 'the population that comes from the left')
      call expect(nint(f(1, first(1) - 1, j)) == -1, 'the population that rests')
    end do
    do i = first(1), last(1)
      call expect(nint(f(3, i, last(2) + 1)) == 3*at(i, last(2) + 1), 'the population that comes from above')
    end do
  end subroutine

  ! Owners add what is in the ghost points of others.
  subroutine adding()
    real(real64), allocatable, target :: charge(:)
    integer :: first(3), last(3), stat, above, below, rank
    character(200) :: text
    type(weft_comm) :: comm
    type(weft_grid) :: grid
    type(weft_halo) :: ghosts, filling
    type(weft_halo_exchange) :: exchange
    call comm%create()
    call comm%get_rank(rank)
    call grid%create(comm, [12], periodic=[.true.])
    call grid%block(first, last)
    call grid%neighbour([1, 0, 0], above)
    call grid%neighbour([-1, 0, 0], below)
    allocate(charge(first(1) - 1:last(1) + 1))
    call filling%create(grid)
    call filling%add(charge, name='charge', op=weft_sum, stat=stat, errmsg=text)
    call expect_text(text, "'charge' combines")
    call ghosts%create(grid, reverse=.true.)
    call ghosts%add(charge, name='charge', op=weft_sum)
    call exchange%create(comm, ghosts)
    charge = 10
    charge(first(1) - 1) = rank + 0.25_real64
    charge(last(1) + 1) = rank + 0.5_real64
    call exchange%start()
    call exchange%finish()
    call expect(nint(4*charge(first(1))) == 42 + 4*below, 'the first point')
    call expect(nint(4*charge(last(1))) == 41 + 4*above, 'the last point')
    call expect(all(nint(charge(first(1) + 1:last(1) - 1)) == 10), 'the points between them')
  end subroutine
end program
