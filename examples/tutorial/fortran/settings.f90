! SPDX-License-Identifier: BSD-3-Clause
!
! The arguments of the stages and the lines that they print, the same for all, and the same as in C++.
module settings
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  implicit none
  integer :: rows = 512, columns = 512, steps = 300  ! cells around and along the tube
  integer :: rank, ranks, up, down
  character(64) :: progress_name = 'polling', clients = 'aggregated', trace = ''
contains
  !> Starts MPI and reads [N or ROWSxCOLUMNS [STEPS [PROGRESS [aggregated|separate [TRACE]]]]]; N is NxN.
  subroutine start()
    integer :: by, provided
    logical :: is_right
    character(64) :: word
    call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    up = modulo(rank - 1, ranks)
    down = modulo(rank + 1, ranks)
    is_right = command_argument_count() <= 5
    word = argument(1, '512')
    by = index(word, 'x')
    if (by > 0) then
      call read_number(word(:by - 1), rows)
      call read_number(word(by + 1:), columns)
    else
      call read_number(word, rows)
      columns = rows
    end if
    call read_number(argument(2, '300'), steps)
    progress_name = argument(3, progress_name)
    clients = argument(4, clients)
    trace = argument(5, trace)
    if (is_right .and. min(rows, columns) >= 3 .and. rows >= ranks .and. max(rows, columns) <= 2**20 .and. &
      rows * int(columns, int64) <= 2**30 .and. steps >= 1 .and. (clients == 'aggregated' .or. clients == 'separate')) return
    call stop_all('usage: [N or ROWSxCOLUMNS [STEPS [PROGRESS [aggregated|separate [TRACE]]]]], with at least 3 rows and '// &
      'columns, one row per rank, and at most 2^30 cells.')
  contains
    subroutine read_number(word, value)
      character(*), intent(in) :: word
      integer, intent(out) :: value
      integer :: status
      value = 0
      if (len_trim(word) == 0 .or. len_trim(word) > 9 .or. verify(trim(word), '0123456789') /= 0) then
        is_right = .false.
      else
        read(word, *, iostat=status) value
      end if
    end subroutine
    function argument(i, otherwise) result(word)
      integer, intent(in) :: i
      character(*), intent(in) :: otherwise
      character(64) :: word
      word = otherwise
      if (command_argument_count() >= i) call get_command_argument(i, word)
    end function
  end subroutine

  subroutine stop_all(why)
    character(*), intent(in) :: why
    if (rank == 0) write(error_unit, '(a)') 'error: '//why
    call MPI_Finalize()
    stop 2, quiet=.true.
  end subroutine

  subroutine print_change(step, largest)
    integer, intent(in) :: step
    real(real64), intent(in) :: largest
    character(32) :: text
    write(text, '(es15.9)') largest
    print '(a, i0, 2a)', 'step ', step, ': largest change ', lower(trim(text))
  end subroutine

  !> Prints the sum of all ranks' fingerprints.
  subroutine print_end(name, fingerprint)
    character(*), intent(in) :: name
    integer(int64), intent(in) :: fingerprint
    integer(int64) :: halves(2), sums(2)
    character(16) :: text
    halves = [ishft(fingerprint, -32), iand(fingerprint, int(z'ffffffff', int64))]  ! their sums can't overflow
    call MPI_Reduce(halves, sums, 2, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD)
    write(text, '(z16.16)') ishft(sums(1) + ishft(sums(2), -32), 32) + iand(sums(2), int(z'ffffffff', int64))
    if (rank == 0) print '(3a)', name, ': ', lower(text)
  end subroutine

  subroutine print_time(seconds)
    real(real64), intent(in) :: seconds
    character(32) :: text
    write(text, '(f20.3)') 1e3 * seconds / steps
    if (rank == 0) print '(2a)', trim(adjustl(text)), ' ms per step'
  end subroutine

  pure function lower(text)
    character(*), intent(in) :: text
    character(len(text)) :: lower
    integer :: i
    lower = text
    do i = 1, len(text)
      if (text(i:i) >= 'A' .and. text(i:i) <= 'F') lower(i:i) = achar(iachar(text(i:i)) + 32)
    end do
  end function
end module
