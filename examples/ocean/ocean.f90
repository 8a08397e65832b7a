! SPDX-License-Identifier: BSD-3-Clause
!
! The main program of docs/howto/from-fortran.md. It is linked with one of the modules ocean_step0 to ocean_step5, which
! differ only in their communication.
!
!   ocean0 [POINTS_X POINTS_Y LEVELS STEPS EVERY [PROGRESS]]
program ocean
  use ocean_step
  implicit none
  integer :: step, steps = 60, provided
  real(real64) :: start, mine(2), longest(2)
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call read_number(1, nx)
  call read_number(2, ny)
  call read_number(3, levels)
  call read_number(4, steps)
  call read_number(5, every)
  if (command_argument_count() > 5) call get_command_argument(6, progress_kind)
  call make_grid()
  call start_dynamics()
  call start_tracers()
  call start_communication()

  call MPI_Barrier(MPI_COMM_WORLD)
  start = MPI_Wtime()
  do step = 1, steps
    call run_step(step)
  end do
  mine(1) = MPI_Wtime() - start
  mine(2) = mine(1) - computed
  call stop_communication()

  call MPI_Allreduce(mine, longest, 2, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0) print '(4a)', milliseconds(longest(1)), ' ms per step, communication ', milliseconds(longest(2)), ' ms'
  call MPI_Finalize()
contains
  function milliseconds(seconds) result(text)
    real(real64), intent(in) :: seconds
    character(:), allocatable :: text
    character(16) :: digits
    write(digits, '(f16.2)') 1e3 * seconds / steps
    text = trim(adjustl(digits))
  end function
  subroutine read_number(i, number)
    integer, intent(in) :: i
    integer, intent(inout) :: number
    character(16) :: word
    integer :: status
    if (command_argument_count() < i) return
    call get_command_argument(i, word)
    read(word, *, iostat=status) number
    if (status == 0 .and. number > 0) return
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call stop_all('Argument '//trim(word)//' is no positive number. Use [POINTS_X POINTS_Y LEVELS STEPS EVERY [PROGRESS]].')
  end subroutine
end program
