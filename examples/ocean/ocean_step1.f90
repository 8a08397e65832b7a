! SPDX-License-Identifier: BSD-3-Clause
!
! Step 1: an exchange of weft fills the ghost points of the tracers. The program waits as often as before.
module ocean_step
  use ocean_diagnostics
  use ocean_halo
  use ocean_parts, only: mirror
  use weft
  implicit none
  type(weft_comm) :: comm
  type(weft_exchange) :: halo
  type(weft_requests) :: list
contains
  ! [list]
  subroutine start_communication()
    call comm%create(MPI_COMM_WORLD)
    call halo%create(comm)
    call halo%client('ocean', list)
    call list%receive(west, 1, tracers(-1:0, 1:m, :, :))
    call list%receive(east, 2, tracers(n + 1:n + 2, 1:m, :, :))
    if (.not. at_wall) call list%receive(south, 3, tracers(1:n, -1:0, :, :))
    call list%receive(north, 4, tracers(1:n, m + 1:m + 2, :, :))
    call list%send(west, 2, tracers(1:2, 1:m, :, :))
    call list%send(east, 1, tracers(n - 1:n, 1:m, :, :))
    if (.not. at_wall) call list%send(south, 4, tracers(1:n, 1:2, :, :))
    call list%send(north, merge(4, 3, at_fold), tracers(1:n, m - 1:m, :, :))
    call halo%commit()
  end subroutine
  ! [list end]

  subroutine run_step(step)
    integer, intent(in) :: step
    real(real64), pointer :: all_tracers(:, :, :)
    all_tracers(-1:n + 2, -1:m + 2, 1:2 * levels) => tracers
    call dynamics_at_wall()
    call exchange(eta, 1, 1, sign=1)
    call exchange(velocity, 1, 2, sign=-1)
    call compute_dynamics(1, n, 1, m)

    ! [step]
    call tracers_at_wall()
    call halo%start()
    call halo%ready_all(list)
    call halo%wait()
    call mirror(all_tracers, sign=1)
    call compute_tracers(1, n, 1, m)
    ! [step end]

    call advance_dynamics(step)
    call advance_tracers(step)
    call compute_diagnostics(step)
    call MPI_Allreduce(sums, all_sums, 3, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(courant, all_courant, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call use_diagnostics(step)
  end subroutine

  subroutine stop_communication()
    call halo%free()
    call comm%free()
  end subroutine
end module
