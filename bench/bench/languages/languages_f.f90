! SPDX-License-Identifier: BSD-3-Clause
module weft_bench_languages
  use, intrinsic :: iso_c_binding
  use weft
  implicit none
  private
  integer, parameter :: numbers = 8  ! WEFT_BENCH_NUMBERS

  ! The ranks of a ring, and what they send: numbers in pieces of one size.
  type ring
    integer :: right, left
    real(c_double), allocatable :: out(:, :), in(:, :)
  end type

  type workloads
    type(weft_comm) :: world
    type(weft_grid) :: grid
    type(weft_halo) :: halo
    real(c_double), pointer :: field(:, :, :) => null()
    type(weft_halo_exchange) :: ghosts
    type(ring) :: few, many
    type(weft_part), allocatable :: sends(:)
    real(c_double) :: sum = 0
    type(weft_step_manager) :: manager
    type(weft_space) :: space
  end type
contains
  subroutine make_ring(this, world, pieces, size)
    type(ring), intent(inout) :: this
    type(weft_comm), intent(in) :: world
    integer, intent(in) :: pieces, size
    integer :: rank, ranks
    call world%get_rank(rank, ranks)
    this%right = modulo(rank + 1, ranks)
    this%left = modulo(rank - 1, ranks)
    allocate(this%out(size, pieces), source=rank + 1.0_c_double)
    allocate(this%in(size, pieces), source=0.0_c_double)
  end subroutine

  subroutine request(context, list)
    class(*), intent(inout), target :: context
    type(weft_requests), intent(in) :: list
    integer :: i
    select type (context)
    type is (workloads)
      do i = 1, size(context%sends)
        call list%send(context%few%right, i, context%few%out(:, i), context%sends(i))
        call list%receive(context%few%left, i, context%few%in(:, i))
      end do
    end select
  end subroutine
  subroutine before(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    integer :: i
    select type (context)
    type is (workloads)
      do i = 1, size(context%sends)
        call step%ready(context%sends(i))
      end do
    end select
  end subroutine
  subroutine during(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    select type (context)
    type is (workloads)
      call step%progress()
    end select
  end subroutine
  subroutine after(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    select type (context)
    type is (workloads)
      context%sum = sum(context%few%in)
    end select
    if (.false.) call step%progress()
  end subroutine

  subroutine make_halo(this, points)
    type(workloads), intent(inout) :: this
    integer, intent(in) :: points
    integer :: rank, ranks
    call this%world%get_rank(rank, ranks)
    call this%grid%create(this%world, [ranks*points, points, points], processes=[ranks, 1, 1], &
      periodic=[.true., .true., .true.])
    call this%halo%create(this%grid)
    call this%halo%add(this%field)
    call this%ghosts%create(this%world, this%halo)
  end subroutine

  type(c_ptr) function make(field, points, step_parts, commit_parts) bind(c, name='weft_bench_make_f')
    type(c_ptr), value :: field
    integer(c_int), value :: points, step_parts, commit_parts
    type(workloads), pointer :: this
    allocate(this)
    call c_f_pointer(field, this%field, [points + 2, points + 2, points + 2])
    call this%world%create()
    call make_halo(this, points)
    call make_ring(this%few, this%world, step_parts/2, numbers)
    call make_ring(this%many, this%world, commit_parts/2, 1)
    allocate(this%sends(step_parts/2))
    call this%manager%create(this%world)
    call this%manager%add('ring', request, before=before, during=during, after=after, context=this)
    call this%space%create(this%world)
    make = c_loc(this)
  end function

  real(c_double) function exchange_halo(of) bind(c, name='weft_bench_halo_f')
    type(c_ptr), value :: of
    type(workloads), pointer :: this
    call c_f_pointer(of, this)
    call this%ghosts%start()
    call this%ghosts%finish()
    exchange_halo = this%field(1, 1, 1)
  end function

  real(c_double) function run_step(of) bind(c, name='weft_bench_step_f')
    type(c_ptr), value :: of
    type(workloads), pointer :: this
    call c_f_pointer(of, this)
    call this%manager%run_step()
    run_step = this%sum
  end function

  subroutine commit(of) bind(c, name='weft_bench_commit_f')
    type(c_ptr), value :: of
    type(workloads), pointer :: this
    type(weft_exchange) :: exchange
    type(weft_requests) :: list
    integer :: i
    call c_f_pointer(of, this)
    call exchange%create(this%world, space=this%space)
    call exchange%client('many', list)
    do i = 1, size(this%many%out, 2)
      call list%send(this%many%right, i, this%many%out(:, i))
      call list%receive(this%many%left, i, this%many%in(:, i))
    end do
    call exchange%commit()
  end subroutine

  subroutine free_all(of) bind(c, name='weft_bench_free_f')
    type(c_ptr), value :: of
    type(workloads), pointer :: this
    call c_f_pointer(of, this)
    call this%ghosts%free()
    call this%halo%free()
    call this%grid%free()
    call this%manager%free()
    call this%space%free()
    call this%world%free()
    deallocate(this)
  end subroutine
end module
