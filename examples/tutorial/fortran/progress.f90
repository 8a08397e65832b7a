! SPDX-License-Identifier: BSD-3-Clause
!
! The kinds of progress by name, for the stages that overlap.
module progress_kinds
  use settings, only: progress_name, stop_all
  use weft
  implicit none
contains
  integer function progress_kind()
    progress_kind = weft_polling
    select case (progress_name)
    case ('polling')
    case ('passive'); progress_kind = weft_passive
    case ('thread'); progress_kind = weft_thread
    case ('send_receive_threads'); progress_kind = weft_send_receive_threads
    case default
      call stop_all('unknown progress '''//trim(progress_name)//'''. Use passive, polling, thread or send_receive_threads.')
    end select
  end function
end module
