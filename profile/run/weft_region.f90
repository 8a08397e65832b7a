! SPDX-License-Identifier: BSD-3-Clause
!
! Names parts of an MPI program for `weft run` (see weft_region.h). Compile this file with the program:
!
!     use weft_region
!     call region_begin("halo")
!     ...
!     call region_end("halo")
!
! The program needs no library of weft; without `weft run` the calls do nothing.
module weft_region
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char, c_null_ptr, c_ptr, c_funptr, c_associated, c_f_procpointer
  implicit none
  private
  public :: region_begin, region_end

  interface
    function dlsym(handle, name) bind(c)  ! a null handle: the whole process
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: dlsym
    end function
    subroutine mark_region(name, enters) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: enters
    end subroutine
  end interface

  procedure(mark_region), pointer :: weft_region_mark => look_up  ! one variable, so that no thread sees half of an answer

contains

  subroutine region_begin(name)
    character(*), intent(in) :: name
    call tell(name, 1_c_int)
  end subroutine

  subroutine region_end(name)
    character(*), intent(in) :: name
    call tell(name, 0_c_int)
  end subroutine

  subroutine tell(name, enters)
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: enters
    procedure(mark_region), pointer :: known
    known => weft_region_mark
    if (associated(known)) call known(trim(name) // c_null_char, enters)
  end subroutine

  subroutine look_up(name, enters) bind(c, name="")
    character(kind=c_char), intent(in) :: name(*)
    integer(c_int), value :: enters
    type(c_funptr) :: found
    procedure(mark_region), pointer :: known
    found = dlsym(c_null_ptr, "weft_mark_region" // c_null_char)
    known => null()
    if (c_associated(found)) call c_f_procpointer(found, known)
    weft_region_mark => known
    if (associated(known)) call known(name, enters)
  end subroutine

end module
