! SPDX-License-Identifier: BSD-3-Clause
! What the programs of the study in Fortran have in common: as work.h.
module work
  use mpi_f08
  implicit none
  character(len=32) :: variant
  integer :: bytes, rounds, steps, rank
  double precision :: start
  double precision, volatile :: sink
contains
  subroutine compute(count)
    integer, intent(in) :: count
    double precision :: x
    integer :: i
    x = 1
    do i = 1, count
      x = x * 1.0000001d0 + 1d-9
    end do
    sink = x
  end subroutine

  logical function broken(how)
    character(len=*), intent(in) :: how
    broken = variant == how
  end function

  integer function argument(number)
    integer, intent(in) :: number
    character(len=32) :: text
    call get_command_argument(number, text)
    read (text, *) argument
  end function

  subroutine begin_work()
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call get_command_argument(1, variant)
    if (broken("calibrate")) then
      start = MPI_Wtime()
      call compute(100000000)
      if (rank == 0) print *, 1d8 / (MPI_Wtime() - start)
      call MPI_Finalize()
      stop
    end if
    bytes = argument(2)
    rounds = argument(3)
    steps = argument(4)
    call MPI_Barrier(MPI_COMM_WORLD)
    start = MPI_Wtime()
  end subroutine

  subroutine end_work()
    double precision :: mine, all
    mine = (MPI_Wtime() - start) / steps
    call MPI_Reduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD)
    if (rank == 0) print *, all
    call MPI_Finalize()
  end subroutine
end module
