! SPDX-License-Identifier: BSD-3-Clause
! Uses weft in Fortran wrongly, in the way that the argument names (table.py). Prints `CODE: SENTENCE`.
module misused
  use weft
  use, intrinsic :: iso_fortran_env
  implicit none
  integer :: rank, stat
  character(4000) :: text
  type(weft_comm) :: world
  ! Each of the two ranks sends numbers to the other one.
  real(real64), target :: out(4) = 0, in(4) = 0
  integer(int64), target :: whole_numbers(4) = 0
  type(weft_exchange) :: ring
  type(weft_requests) :: list
  type(weft_part) :: sent, received
contains
  ! Prints the error of the last call, which should have failed: rank 0 to stdout and rank 1 to stderr, so that their
  ! lines can't mix.
  subroutine refused()
    character(*), parameter :: names(0:6) = [character(19) :: 'none', 'weft_err', 'weft_err_handle', &
      'weft_err_everywhere', 'weft_err_peer', 'weft_err_input', 'weft_err_memory']
    if (stat == weft_ok) text = 'no error'
    write (merge(output_unit, error_unit, rank == 0), '(3a)') trim(names(stat)), ': ', trim(text)
  end subroutine

  subroutine make_ring()
    call ring%create(world)
    call ring%client('ring', list)
    call list%send(1 - rank, 1, out, sent)
  end subroutine
  subroutine make_whole_ring()
    call make_ring()
    call list%receive(1 - rank, 1, in, received)
  end subroutine
  subroutine start_ring()
    call make_whole_ring()
    call ring%commit()
    call ring%start()
  end subroutine
  subroutine end_ring()
    call ring%ready_all(list)
    call ring%wait()
  end subroutine

  subroutine wrong_rank_of_array()
    call make_whole_ring()
    call list%send(0, 2, out, first=[1, 1, 1], last=[1, 1, 1], stat=stat, errmsg=text)
    call refused()
  end subroutine

  subroutine wrong_kind()
    call start_ring()
    call ring%ready(received, stat=stat, errmsg=text)
    call refused()
    call end_ring()
  end subroutine

  subroutine never_made()
    call ring%commit(stat, text)
    call refused()
  end subroutine

  subroutine freed()
    call make_whole_ring()
    call ring%free()
    call list%send(0, 2, out, stat=stat, errmsg=text)
    call refused()
  end subroutine

  subroutine after_finalize()
    call make_whole_ring()
    call ring%commit()
    call weft_finalize()
    call ring%start(stat=stat, errmsg=text)
    call refused()
  end subroutine

  subroutine sizes_differ()
    call make_ring()
    call list%receive(1 - rank, 1, in(:3), received)
    call ring%commit(stat, text)
    call refused()
  end subroutine

  subroutine types_differ()
    call make_ring()
    call list%receive(1 - rank, 1, whole_numbers, received)
    call ring%commit(stat, text)
    call refused()
  end subroutine

  subroutine no_other_end()
    call make_whole_ring()
    if (rank == 0) call list%send(1, 2, out)
    call ring%commit(stat, text)
    call refused()
  end subroutine

  subroutine not_committed()
    call make_whole_ring()
    call ring%start(stat=stat, errmsg=text)
    call refused()
  end subroutine

  subroutine not_ready()
    call start_ring()
    call ring%wait(stat=stat, errmsg=text)
    call refused()
    call end_ring()
  end subroutine

  subroutine ready_twice()
    call start_ring()
    call ring%ready(sent)
    call ring%ready(sent, stat=stat, errmsg=text)
    call refused()
    call end_ring()
  end subroutine

  subroutine start_twice()
    call start_ring()
    call ring%start(stat=stat, errmsg=text)
    call refused()
    call end_ring()
  end subroutine

  subroutine finish_without_start()
    type(weft_grid) :: grid
    type(weft_halo) :: halo
    type(weft_halo_exchange) :: exchange
    integer :: first(3), last(3)
    real(real64), allocatable, target :: u(:, :)
    call grid%create(world, [8, 8])
    call grid%block(first, last)
    allocate(u(first(1) - 1:last(1) + 1, first(2) - 1:last(2) + 1))
    call halo%create(grid)
    call halo%add(u)
    call exchange%create(world, halo)
    call exchange%finish(stat=stat, errmsg=text)
    call refused()
    call exchange%free()
  end subroutine

  subroutine wrong_peer()
    call make_whole_ring()
    call list%send(7, 2, out)
    call ring%commit(stat, text)
    call refused()
  end subroutine

  subroutine receives_overlap()
    call make_whole_ring()
    call list%send(1 - rank, 2, out)
    call list%receive(1 - rank, 2, in, op=weft_sum)
    call ring%commit(stat, text)
    call refused()
  end subroutine

  subroutine nobodys_number()
    type(weft_graph) :: graph
    integer :: i
    call graph%create(world, [int(rank, int64)], [(77_int64, i=rank, 0)], stat, text)
    call refused()
  end subroutine

  subroutine request(context, requests)
    class(*), intent(inout), target :: context
    type(weft_requests), intent(in) :: requests
    select type (context)
    type is (integer)
      call requests%all_reduce(out(1), in(1), weft_sum)
    end select
  end subroutine
  subroutine before(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    select type (context)
    type is (integer)
      if (context == 1) call weft_raise('The pressure is negative.')
    end select
    if (.false.) call step%progress()
  end subroutine
  subroutine callback_fails()
    type(weft_step_manager) :: manager
    integer, target :: this_rank
    this_rank = rank
    call manager%create(world)
    call manager%add('pressure', request, before=before, context=this_rank)
    call manager%run_step(stat=stat, errmsg=text)
    call refused()
    call manager%free()
  end subroutine
end module

program misuse
  use misused
  implicit none
  character(40) :: name
  call weft_init()
  call world%create()
  call world%get_rank(rank)
  call get_command_argument(1, name)
  select case (name)
  case ('wrong_rank_of_array'); call wrong_rank_of_array()
  case ('wrong_kind'); call wrong_kind()
  case ('never_made'); call never_made()
  case ('freed'); call freed()
  case ('after_finalize'); call after_finalize()
  case ('sizes_differ'); call sizes_differ()
  case ('types_differ'); call types_differ()
  case ('no_other_end'); call no_other_end()
  case ('not_committed'); call not_committed()
  case ('not_ready'); call not_ready()
  case ('ready_twice'); call ready_twice()
  case ('start_twice'); call start_twice()
  case ('finish_without_start'); call finish_without_start()
  case ('wrong_peer'); call wrong_peer()
  case ('receives_overlap'); call receives_overlap()
  case ('nobodys_number'); call nobodys_number()
  case ('callback_fails'); call callback_fails()
  case default; stop 1
  end select
  call ring%free()
  call world%free()
  call weft_finalize()
end program
