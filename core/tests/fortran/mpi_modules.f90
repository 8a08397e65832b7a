! SPDX-License-Identifier: BSD-3-Clause
! Communicators and requests of mpi_f08 and as integers, in a program that initialises MPI itself.
module waiting
  use mpi_f08
  use weft
  implicit none
  type :: sums
    integer :: mine = 3, of_all = 0
    type(MPI_Request) :: request
  end type
contains
  subroutine request(context, list)
    class(*), intent(inout), target :: context
    type(weft_requests), intent(in) :: list
    select type (context)
    type is (sums)
      call list%barrier()
    end select
  end subroutine
  subroutine before(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    select type (context)
    type is (sums)
      call MPI_Iallreduce(context%mine, context%of_all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, context%request)
      call step%wait_also(context%request)
    end select
  end subroutine
end module

program mpi_modules
  use waiting
  use testing
  implicit none
  type(MPI_Comm) :: half
  integer :: rank, size
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half)
  call run()
  call requests_of_the_program()
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
  subroutine requests_of_the_program()
    type(weft_comm) :: comm
    type(weft_exchange) :: ring
    type(weft_requests) :: list
    type(weft_step_manager) :: manager
    type(sums), target :: of_steps
    type(MPI_Request), target :: one, copied
    integer, target :: other
    integer, asynchronous :: sum, greatest
    integer :: n
    call comm%create()
    call comm%get_rank(rank, size)
    call ring%create(comm)
    call ring%client('ring', list)
    call list%barrier()
    call ring%commit()
    do n = 1, 3
      call ring%start()
      call MPI_Iallreduce(n, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, one)
      call ring%wait_also(one)
      call MPI_Iallreduce(rank, greatest, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, copied)
      other = copied%MPI_VAL
      call ring%wait_also(other)
      call ring%ready_all(list)
      call ring%wait()
      call expect(sum == n*size .and. greatest == size - 1, 'requests of the program')
    end do
    call manager%create(comm)
    call manager%add('sums', request, before=before, context=of_steps)
    call manager%run_step()
    call manager%run_step()
    call expect(of_steps%of_all == 3*size, 'a request in a step')
  end subroutine
end program
