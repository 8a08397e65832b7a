! SPDX-License-Identifier: BSD-3-Clause
! What is certainly a copy does not compile: it would be gone when it is sent.
subroutine refused(list, u)
  use weft
  implicit none
  type(weft_requests), intent(in) :: list
  real, intent(inout), target :: u(8)
  call list%send(0, 1, u([1, 5]))
  call list%send(0, 2, 2*u)
end subroutine
