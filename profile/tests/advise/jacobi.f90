! SPDX-License-Identifier: BSD-3-Clause
! The same Jacobi solver in Fortran, for the tests of libweft_advise: two fields, distributed columns, two messages per peer.
! Built three times: with mpif.h, `use mpi` and `use mpi_f08` (WEFT_USE_MPIF, WEFT_USE_MPI, WEFT_USE_F08).
!   jacobi N STEPS
program jacobi
#ifdef WEFT_USE_F08
  use mpi_f08
#endif
#ifdef WEFT_USE_MPI
  use mpi
#endif
  implicit none
#ifdef WEFT_USE_MPIF
  include 'mpif.h'
#endif
#ifdef WEFT_USE_F08
#define REQUEST type(MPI_Request)
#else
#define REQUEST integer
#endif
  integer, parameter :: fields = 2
  double precision, allocatable :: now(:, :, :), next(:, :, :)
  REQUEST :: requests(4 * fields)
  double precision :: change, all
  integer :: rank, ranks, n, steps, columns, up, down, step, f, i, j, k, error
  character(len=32) :: argument

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, argument)
  read (argument, *) n
  call get_command_argument(2, argument)
  read (argument, *) steps
  columns = n / ranks
  up = rank - 1
  if (rank == 0) up = MPI_PROC_NULL
  down = rank + 1
  if (down == ranks) down = MPI_PROC_NULL
  allocate (now(n, 0:columns + 1, fields), next(n, 0:columns + 1, fields))
  do f = 1, fields
    do j = 0, columns + 1
      do i = 1, n
        now(i, j, f) = mod(i * 79 + j * 19 + f + rank, 101) / 101d0
      end do
    end do
  end do
  next = now
  do step = 1, steps
    k = 0
    do f = 1, fields
      call MPI_Irecv(now(1, columns + 1, f), n, MPI_DOUBLE_PRECISION, down, f, MPI_COMM_WORLD, requests(k + 1), error)
      call MPI_Irecv(now(1, 0, f), n, MPI_DOUBLE_PRECISION, up, f, MPI_COMM_WORLD, requests(k + 2), error)
      call MPI_Isend(now(1, 1, f), n, MPI_DOUBLE_PRECISION, up, f, MPI_COMM_WORLD, requests(k + 3), error)
      call MPI_Isend(now(1, columns, f), n, MPI_DOUBLE_PRECISION, down, f, MPI_COMM_WORLD, requests(k + 4), error)
      k = k + 4
    end do
    call MPI_Waitall(k, requests, MPI_STATUSES_IGNORE, error)
    change = 0
    do f = 1, fields
      do j = 1, columns
        do i = 2, n - 1
          next(i, j, f) = 0.25d0 * (now(i - 1, j, f) + now(i + 1, j, f) + now(i, j - 1, f) + now(i, j + 1, f))
          change = change + (next(i, j, f) - now(i, j, f))**2
        end do
      end do
    end do
    now(:, 1:columns, :) = next(:, 1:columns, :)
    call MPI_Allreduce(change, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  if (rank == 0) print '(a,es25.17)', 'change ', all
  call MPI_Finalize(error)
end program jacobi
