! SPDX-License-Identifier: BSD-3-Clause
!
! Step 5: the blocks of modules are clients of a step manager and don't know of each other's messages. All of a step is
! one exchange, and the program waits once.
module ocean_step
  use ocean_diagnostics
  use ocean_parts
  implicit none
  type(weft_comm) :: comm
  type(weft_step_manager) :: manager
  real(real64), pointer :: surface(:, :, :), flow(:, :, :), all_tracers(:, :, :)
  integer :: last
contains
  ! [manager]
  subroutine start_communication()
    call comm%create(MPI_COMM_WORLD)
    call manager%create(comm, progress=merge(weft_thread, weft_polling, progress_kind == 'thread'))
    call manager%start_at(1_int64)
    call manager%add('dynamics', list_dynamics, during=inner_dynamics, after=outer_dynamics)
    call manager%add('tracers', list_tracers, during=inner_tracers, after=outer_tracers)
    call manager%add('advance', list_diagnostics, after=print_diagnostics, finish=advance_all)
  end subroutine

  subroutine run_step(step)
    integer, intent(in) :: step
    call dynamics_at_wall()
    call tracers_at_wall()
    call manager%run_step()
    last = step
  end subroutine
  ! [manager end]

  ! [client]
  subroutine list_dynamics(context, list)
    class(*), intent(inout), target :: context
    type(weft_requests), intent(in) :: list
    surface(0:n + 1, 0:m + 1, 1:1) => eta
    flow(0:n + 1, 0:m + 1, 1:2) => velocity
    call list_halo(list, surface, key=0)
    call list_halo(list, flow, key=10)
  end subroutine
  subroutine inner_dynamics(context, step)  ! while messages are in flight
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    integer :: j
    do j = 2, m - 1
      call compute_dynamics(2, n - 1, j, j)
      call step%progress()
    end do
  end subroutine
  subroutine outer_dynamics(context, step)  ! when they have arrived
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    call mirror(surface, sign=1)
    call mirror(flow, sign=-1)
    call compute_boundary(compute_dynamics, 1)
  end subroutine
  ! [client end]

  subroutine list_tracers(context, list)
    class(*), intent(inout), target :: context
    type(weft_requests), intent(in) :: list
    all_tracers(-1:n + 2, -1:m + 2, 1:2 * levels) => tracers
    call list_halo(list, all_tracers, key=0)
  end subroutine
  subroutine inner_tracers(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    integer :: j
    do j = 3, m - 2
      call compute_tracers(3, n - 2, j, j)
      call step%progress()
    end do
  end subroutine
  !> The velocity beyond the edge is that of the client `dynamics`: weft calls it first.
  subroutine outer_tracers(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    call mirror(all_tracers, sign=1)
    call compute_boundary(compute_tracers, 2)
  end subroutine

  subroutine list_diagnostics(context, list)
    class(*), intent(inout), target :: context
    type(weft_requests), intent(in) :: list
    call list%all_reduce(sums, all_sums, weft_sum)
    call list%all_reduce(courant, all_courant, weft_max)
  end subroutine
  subroutine print_diagnostics(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    integer(int64) :: number
    call step%number(number)
    if (number > 1) call use_diagnostics(int(number) - 1)
  end subroutine
  subroutine advance_all(context, step)  ! after `after` of all clients
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    integer(int64) :: number
    call step%number(number)
    call advance_dynamics(int(number))
    call advance_tracers(int(number))
    call compute_diagnostics(int(number))
  end subroutine

  subroutine stop_communication()
    call MPI_Allreduce(sums, all_sums, 3, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(courant, all_courant, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call use_diagnostics(last)
    call manager%free()
    call comm%free()
  end subroutine
end module
