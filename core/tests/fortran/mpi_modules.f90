! SPDX-License-Identifier: BSD-3-Clause
! Communicators of mpi_f08 and as integers, in a program that initialises MPI itself.
program mpi_modules
  use mpi_f08
  use weft
  use testing
  implicit none
  type(MPI_Comm) :: half
  integer :: rank, size
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half)
  call run()
  call finish()
  call MPI_Finalize()
contains
  subroutine run()
    type(weft_comm) :: a, b, c
    integer :: stat
    character(100) :: text
    call a%create(half)
    call b%create(half%MPI_VAL)
    call MPI_Comm_size(half, size)
    call a%get_rank(rank, stat)
    call expect(stat == size, 'a type(MPI_Comm)')
    call b%get_rank(rank, stat)
    call expect(stat == size, 'an integer')
    call c%create(MPI_COMM_NULL, stat, text)
    call expect_text(text, 'MPI_COMM_NULL')
  end subroutine
end program
