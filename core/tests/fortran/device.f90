! SPDX-License-Identifier: BSD-3-Clause
! Parts, halos and steps in memory of a test device.
module device_kernels
  use, intrinsic :: iso_c_binding
  implicit none
  type :: work
    type(c_ptr) :: values = c_null_ptr
    real(c_double) :: value = 0
    integer :: count = 0, wrong = 0
  end type
contains
  subroutine set(context) bind(c)
    type(c_ptr), value :: context
    type(work), pointer :: w
    real(c_double), pointer :: values(:)
    call c_f_pointer(context, w)
    call c_f_pointer(w%values, values, [w%count])
    values = w%value
  end subroutine
  subroutine compare(context) bind(c)
    type(c_ptr), value :: context
    type(work), pointer :: w
    real(c_double), pointer :: values(:)
    call c_f_pointer(context, w)
    call c_f_pointer(w%values, values, [w%count])
    w%wrong = count(values /= w%value)
  end subroutine
end module

program devices
  use weft
  use testing
  use device_kernels
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, parameter :: n = 40
  integer :: rank, ranks, left, right
  type(weft_comm) :: comm
  type(weft_device), target :: gpu
  type(weft_queue) :: queue
  call weft_init()
  call comm%create()
  call comm%get_rank(rank, ranks)
  right = modulo(rank + 1, ranks)
  left = modulo(rank - 1, ranks)
  call gpu%create_test(seed=rank + 1)
  call gpu%test_queue(queue)
  call ring()
  call halos()
  call wrong_devices()
  call finish()
  call gpu%free()
  call comm%free()
  call weft_finalize()
contains
  function inside(memory)
    type(c_ptr), intent(in) :: memory
    type(c_ptr) :: inside
    call gpu%test_inside(memory, inside)
  end function

  subroutine ring()
    type(c_ptr) :: memory(2)
    real(real64), pointer :: mine(:), ghosts(:)
    type(work), target :: fills(4), checks(4)
    type(weft_exchange) :: exchange
    type(weft_requests) :: list
    type(weft_part) :: out
    integer :: step, stat
    character(300) :: text
    do step = 1, 2
      call gpu%test_allocate(int(8*n, int64), memory(step))
    end do
    call c_f_pointer(memory(1), mine, [n])
    call c_f_pointer(memory(2), ghosts, [n])
    call exchange%create(comm)
    call exchange%client('ring', list)
    call list%on(gpu)
    call list%send(right, 1, mine, out)
    call list%receive(left, 1, ghosts)
    call exchange%commit()
    do step = 1, 4
      fills(step) = work(inside(memory(1)), 100.0_c_double*step + rank, n)
      checks(step) = work(inside(memory(2)), 100.0_c_double*step + left, n)
      call gpu%test_launch(queue, c_funloc(set), c_loc(fills(step)))
      call exchange%start(queue=queue)
      if (modulo(step, 2) == 0) then
        call exchange%ready(out)
        call exchange%wait(queue)
      else
        call exchange%ready(out, queue)
        call exchange%wait_round(0, queue)
      end if
      call gpu%test_launch(queue, c_funloc(compare), c_loc(checks(step)))
    end do
    call gpu%test_synchronize(queue)
    call expect(all(checks%wrong == 0), 'the numbers of the left rank')
    call exchange%start()
    call exchange%ready(out, stat=stat, errmsg=text)
    call expect(stat == weft_err, 'a part is ready without a queue')
    call expect_text(text, 'without a queue')
    call exchange%ready(out, queue)
    call exchange%wait()
    call exchange%free()
    do step = 1, 2
      call gpu%test_release(memory(step))
    end do
  end subroutine

  !> A halo on the device and the same on the host.
  subroutine halos()
    type(weft_grid) :: grid
    type(weft_halo) :: on_host, on_device
    type(weft_halo_exchange) :: of_host, of_device
    type(c_ptr) :: memory
    real(real64), allocatable, target :: host(:, :)
    real(real64), pointer :: field(:, :), seen(:, :)
    integer :: first(3), last(3), i, shape(2)
    call grid%create(comm, [12, 8], periodic=[.true., .true.])
    call grid%block(first, last)
    shape = last(:2) - first(:2) + 3
    allocate(host(shape(1), shape(2)))
    host = reshape([(1000.0_real64*rank + i, i=1, size(host))], shape)
    call gpu%test_allocate(8_int64*size(host), memory)
    call c_f_pointer(memory, field, shape)
    call c_f_pointer(inside(memory), seen, shape)
    seen = host
    call on_host%create(grid)
    call on_host%add(host)
    call on_device%create(grid)
    call on_device%add(field, device=gpu)
    call of_host%create(comm, on_host)
    call of_device%create(comm, on_device)
    call of_host%start()
    call of_device%start(queue=queue)
    call of_host%finish()
    call of_device%finish(queue)
    call gpu%test_synchronize(queue)
    call expect(all(host == seen), 'a halo on a device is as on the host')
    call of_host%free()
    call of_device%free()
    call gpu%test_release(memory)
  end subroutine

  subroutine wrong_devices()
    type(weft_device) :: none
    integer :: stat
    character(300) :: text
    call none%create_cuda(stat=stat, errmsg=text)
    if (stat /= weft_ok) call expect_text(text, 'CUDA')
  end subroutine
end program
