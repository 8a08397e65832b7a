! SPDX-License-Identifier: BSD-3-Clause
! Parts of all forms between neighbours in a ring. The values are set after the parts were listed, so a compiler that
! passes copies of sections fails here.
module continuing
  use, intrinsic :: iso_c_binding
  implicit none
  type pair
    integer :: got(2) = 0, second = 0
  end type
contains
  subroutine next(context)
    class(*), intent(inout), target :: context
    select type (context)
    type is (pair)
      context%second = context%got(1) + 10
    end select
  end subroutine
  !> Of numbers modulo 1000.
  subroutine multiply(left, inout, count) bind(c)
    type(c_ptr), value :: left, inout
    integer(c_size_t), value :: count
    integer, pointer :: a(:), b(:)
    call c_f_pointer(left, a, [count])
    call c_f_pointer(inout, b, [count])
    b = modulo(a*b, 1000)
  end subroutine
end module

program exchange
  use continuing
  use weft
  use testing
  use, intrinsic :: iso_fortran_env
  implicit none
  type particle
    real(real64) :: x
    integer :: id
  end type
  call weft_init()
  call forms()
  call swapped()
  call sizes_of_each_start()
  call rounds()
  call collectives()
  call combined()
  call finish()
  call weft_finalize()
contains

  subroutine forms()
    integer, parameter :: nx = 5, ny = 4, nz = 3
    real(real64), target :: u(0:nx + 1, ny, nz), box(6, 7), got_box(2, 3), line(10), got_line(3), number, got_number
    real(real64), allocatable, target :: v(:, :)
    real(real64), pointer :: w(:)
    integer(int16), target :: small(4, 6), got_small(2, 2)
    type(particle), target :: p(5), q(5)
    character(6), target :: word, got_word
    integer :: rank, size, left, right, i, j, k
    logical :: arrived, done, failed
    character(:), allocatable :: text
    type(weft_comm) :: comm
    type(weft_exchange) :: ring
    type(weft_requests) :: list
    type(weft_part) :: face, into

    call comm%create()
    call comm%get_rank(rank, size)
    left = modulo(rank - 1, size)
    right = modulo(rank + 1, size)
    allocate(v(ny, nz), w(12))
    call ring%create(comm, grouping=weft_per_part, shared_memory=.false.)
    call ring%client('forms', list)
    call list%agree_on('faces')
    call list%send(right, 1, u(nx, :, :), face)
    call list%receive(left, 1, u(0, :, :), into)
    call list%send(right, 2, box, first=[2, 3], last=[3, 5])
    call list%receive(left, 2, got_box)
    call list%send(right, 3, line, index=[9, 1, 4])
    call list%receive(left, 3, got_line)
    call list%send(right, 4, number)
    call list%receive(left, 4, got_number)
    call list%send(right, 5, small(2:4:2, 1:6:5))
    call list%receive(left, 5, got_small)
    call list%send(right, 6, p(1)%x, component_of=p)
    call list%receive(left, 6, q(1)%x, component_of=q)
    call list%send(right, 7, word)
    call list%receive(left, 7, got_word)
    call list%send(right, 8, u, first=[2, 1, 2], last=[4, ny, 2], lower=[0, 1, 1])
    call list%receive(left, 8, w)
    call list%send(right, 9, v)
    call list%receive(left, 9, u(nx + 1, :, :))
    call ring%commit()

    do k = 1, nz
      do j = 1, ny
        v(j, k) = -(j + 10*k + 1000*rank)
        do i = 0, nx + 1
          u(i, j, k) = i + 10*j + 100*k + 1000*rank
        end do
      end do
    end do
    box = reshape([(i + 1000.0_real64*rank, i=1, 42)], [6, 7])
    line = [(i + 1000.0_real64*rank, i=1, 10)]
    number = rank + 0.5_real64
    small = reshape([(int(i + 100*rank, int16), i=1, 24)], [4, 6])
    p%x = [(i + 100.0_real64*rank, i=1, 5)]
    p%id = 7
    q%id = 8
    write (word, '(a,i2)') 'rank', rank
    call ring%start()
    call ring%ready(face)
    call ring%ready_all(list)
    call ring%progress()
    arrived = .false.
    do while (.not. arrived)
      call ring%test(done)
      call ring%arrived(into, arrived)
    end do
    call ring%wait()
    call ring%has_failed(failed)
    call expect(arrived .and. .not. failed, 'the face has arrived')
    do k = 1, nz
      do j = 1, ny
        call expect(nint(u(0, j, k)) == nx + 10*j + 100*k + 1000*left, 'a face without copies')
        call expect(nint(u(nx + 1, j, k)) == -(j + 10*k + 1000*left), 'an allocatable array into a face')
      end do
    end do
    do j = 1, 3
      do i = 1, 2
        call expect(nint(got_box(i, j)) == (i + 1) + 6*(j + 1) + 1000*left, 'a box with numbers from 1')
      end do
    end do
    call expect(all(nint(got_line) == [9, 1, 4] + 1000*left), 'elements with an index')
    call expect(nint(2*got_number) == 2*left + 1, 'a scalar')
    call expect(all(got_small == reshape(int([2, 4, 22, 24] + 100*left, int16), [2, 2])), 'a section with strides')
    call expect(all(nint(q%x) == [(i, i=1, 5)] + 100*left) .and. all(q%id == 8), 'a component of derived types')
    call expect(got_word(:4) == 'rank', 'characters')
    do j = 1, ny
      do i = 2, 4
        call expect(nint(w(i - 1 + 3*(j - 1))) == i + 10*j + 200 + 1000*left, 'a box with lower=')
      end do
    end do
    call ring%describe(text)
    call expect(len(text) > 20, 'a description')
    deallocate(w)
  end subroutine

  subroutine swapped()
    real(real32), target :: a(3), b(3), from_a(3), from_b(3)
    type(weft_comm) :: comm
    type(weft_exchange) :: ring
    type(weft_requests) :: list
    integer :: rank, size, n
    call comm%create()
    call comm%get_rank(rank, size)
    call ring%create(comm)
    call ring%client('swapped', list)
    call list%send(modulo(rank + 1, size), 1, a, swap=b)
    call list%receive(modulo(rank - 1, size), 1, from_a, swap=from_b)
    call ring%commit()
    do n = 0, 3
      a = real(n)
      b = real(-n)
      call ring%start(buffer_index=int(n, int64))
      call ring%ready_all(list)
      call ring%wait_round(0)
      if (modulo(n, 2) == 0) call expect(all(nint(from_a) == n), 'the first of two arrays')
      if (modulo(n, 2) == 1) call expect(all(nint(from_b) == -n), 'the second of two arrays')
    end do
  end subroutine

  subroutine sizes_of_each_start()
    integer, target :: numbers(10), got(10), other(4), into(4)
    integer(int8), allocatable :: taken(:)
    integer(int64) :: bytes, sent
    type(weft_comm) :: comm
    type(weft_exchange) :: ring
    type(weft_requests) :: list
    type(weft_part) :: out, in, given, given_in, free_in
    integer :: rank, size, left, i
    call comm%create()
    call comm%get_rank(rank, size)
    left = modulo(rank - 1, size)
    call ring%create(comm)
    call ring%client('up to', list)
    call list%send(modulo(rank + 1, size), 1, numbers, out, up_to=.true.)
    call list%receive(left, 1, got, in, up_to=.true.)
    call list%send_given(modulo(rank + 1, size), 2, 16_int64, given)
    call list%receive_given(left, 2, 16_int64, given_in)
    call list%send(modulo(rank + 1, size), 3, other, up_to=.true.)
    call list%receive_given(left, 3, 16_int64, free_in, up_to=.true.)
    call ring%commit()
    call ring%rebind(given_in, into)
    numbers = [(i + 100*rank, i=1, 10)]
    other = rank
    got = -1
    call ring%start()
    call ring%ready_bytes(out, 12_int64)
    call ring%ready_region(given, numbers(7:10))
    call ring%ready_all(list)
    call ring%wait()
    call ring%received_bytes(in, bytes)
    call ring%sent_bytes(out, sent)
    call expect(bytes == 12 .and. sent == 12, 'three of ten numbers')
    call expect(all(got == [(merge(i + 100*left, -1, i <= 3), i=1, 10)]), 'the rest stays')
    call expect(all(into == [7, 8, 9, 10] + 100*left), 'memory given later')
    call ring%take_received(free_in, taken)
    call expect(all(transfer(taken, into) == left), 'memory of weft')
  end subroutine

  ! Two rounds, the second one started by a continuation.
  subroutine rounds()
    integer, target :: first
    type(pair), target :: data
    type(weft_comm) :: comm
    type(weft_exchange) :: ring
    type(weft_requests) :: list
    integer :: rank, size
    call comm%create()
    call comm%get_rank(rank, size)
    call ring%create(comm)
    call ring%client('rounds', list)
    call list%send(modulo(rank + 1, size), 1, first)
    call list%receive(modulo(rank - 1, size), 1, data%got(1))
    call list%send(modulo(rank + 1, size), 2, data%second, round=1)
    call list%receive(modulo(rank - 1, size), 2, data%got(2), round=1)
    call list%continuation(0, next, data)
    call ring%commit()
    first = rank
    call ring%start()
    call ring%ready_all(list)
    call ring%wait()
    call expect(data%got(1) == modulo(rank - 1, size), 'the first round')
    call expect(data%got(2) == modulo(rank - 2, size) + 10, 'the second round')
  end subroutine

  ! Every rank gets something from all. Sums have the same bits as if the ranks had added in turn.
  subroutine combined()
    real(real64), target :: share(3), sums(0:3), in_turn(0:3), a(3), b(3), c(3)
    integer, target :: prime, product_of_all
    integer(int64), target :: n, least
    type(weft_comm) :: comm
    type(weft_exchange) :: all_to_all, overlapping
    type(weft_requests) :: list
    type(weft_op) :: times
    type(weft_part), allocatable :: parts(:)
    integer :: rank, size, r, stat
    character(300) :: text
    call comm%create()
    call comm%get_rank(rank, size)
    allocate(parts(0:size - 1))
    call times%create(multiply, 4, commutative=.true.)
    call all_to_all%create(comm)
    call all_to_all%client('all', list)
    do r = 0, size - 1
      call list%send(r, 1, share)
      call list%send(r, 2, prime)
      call list%send(r, 3, n)
      call list%send(r, 4, share)
      call list%receive(r, 1, sums, first=[modulo(r, 2)], last=[modulo(r, 2) + 2], lower=[0], op=weft_sum)
      call list%send(r, 5, share)
      call list%receive_given(r, 5, 24_int64, parts(r), op=weft_sum, type=weft_real64)
      call list%receive(r, 2, product_of_all, op=times%id())
      call list%receive(r, 3, least, op=weft_min, in_any_order=.true.)
      call list%receive(r, 4, a, swap=b, op=weft_sum, in_any_order=.true.)
    end do
    call list%receive(0, 9, sums, up_to=.true., op=weft_sum, stat=stat, errmsg=text)
    call expect(stat == weft_err, 'the code of a combine up to n bytes')
    call expect_text(text, 'up to n bytes is combined')
    call all_to_all%commit()
    do r = 0, size - 1
      call all_to_all%rebind(parts(r), c)
    end do
    c = 0
    share = (rank + 1)/10.0_real64 + [0, 1, 2]
    prime = 2*rank + 3
    n = 10 - rank
    sums = 1
    in_turn = 1
    product_of_all = 1
    least = 100
    a = 0
    b = 0
    call all_to_all%start(1_int64)
    call all_to_all%ready_all(list)
    call all_to_all%wait()
    stat = 1
    do r = 0, size - 1
      associate (part => in_turn(modulo(r, 2):modulo(r, 2) + 2))
        part = part + ((r + 1)/10.0_real64 + [0, 1, 2])
      end associate
      stat = modulo(stat*(2*r + 3), 1000)
    end do
    call expect(all(transfer(sums, [0_int64]) == transfer(in_turn, [0_int64])), 'the bits of sums in overlapping parts')
    call expect(product_of_all == stat, 'an operation of its own')
    call expect(least == 11 - size, 'the smallest')
    call expect(all(nint(a) == 0) .and. all(abs(b - size*((size + 1)/20.0_real64 + [0, 1, 2])) < 1e-10), 'two arrays')
    call expect(all(abs(c - b) < 1e-10), 'values combined with memory given later')

    call overlapping%create(comm)
    call overlapping%client('all', list)
    call list%send(rank, 1, share)
    call list%send(rank, 2, share)
    call list%receive(rank, 1, sums(0:2), op=weft_sum)
    call list%receive(rank, 2, sums(1:3))
    call overlapping%commit(stat, text)
    call expect(stat == weft_err_everywhere, 'parts that overlap without a combine')
    call expect_text(text, 'into the same memory')
  end subroutine

  subroutine collectives()
    real(real64), target :: x(2), total(2), rooted(2)
    complex(real32), target :: z, sum_of_z
    integer(int64), target :: n, least
    real(real32), target :: y, greatest
    integer, target :: mine(2), word
    integer, allocatable, target :: all_of(:), gathered(:), out(:), in(:)
    type(weft_comm) :: comm
    type(weft_exchange) :: group
    type(weft_requests) :: list
    type(weft_part) :: reduction
    integer :: rank, size, i
    call comm%create()
    call comm%get_rank(rank, size)
    allocate(all_of(2*size), gathered(2*size), out(size), in(size))
    call group%create(comm)
    call group%client('collectives', list)
    call list%all_reduce(x, total, weft_sum, reduction)
    call list%all_reduce(z, sum_of_z, weft_sum)
    call list%all_reduce(n, least, weft_min)
    call list%all_reduce(y, greatest, weft_max)
    call list%reduce(0, x, rooted, weft_sum)
    call list%broadcast(0, word)
    call list%gather(size - 1, mine, gathered, [(2, i=1, size)])
    call list%all_gather(mine, all_of, [(2, i=1, size)])
    call list%all_to_all(out, [(1, i=1, size)], in, [(1, i=1, size)])
    call list%barrier()
    call group%commit()
    x = [1, rank]
    z = cmplx(1.0, real(rank))
    n = 5 - rank
    y = rank
    word = merge(77, 0, rank == 0)
    mine = [rank, -rank]
    out = [(100*rank + i, i=0, size - 1)]
    rooted = 0
    call group%start()
    call group%ready(reduction)
    call group%ready_all(list)
    call group%wait()
    call expect(all(nint(total) == [size, size*(size - 1)/2]), 'a sum')
    call expect(nint(real(sum_of_z)) == size .and. nint(aimag(sum_of_z)) == size*(size - 1)/2, 'a complex sum')
    call expect(least == 6 - size, 'a minimum')
    call expect(nint(greatest) == size - 1, 'a maximum')
    if (rank == 0) call expect(all(nint(rooted) == nint(total)), 'a reduction')
    call expect(word == 77, 'a broadcast')
    call expect(all(all_of == [(merge((i - 1)/2, -(i - 1)/2, modulo(i, 2) == 1), i=1, 2*size)]), 'all gathered')
    if (rank == size - 1) call expect(all(gathered == all_of), 'gathered')
    call expect(all(in == [(100*i + rank, i=0, size - 1)]), 'all to all')
  end subroutine
end program
