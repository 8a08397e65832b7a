// SPDX-License-Identifier: BSD-3-Clause
// dlsym, for programs that look up MPI functions themselves (Julia, Python's ctypes). The system's dlsym depends on its
// caller, so all other look-ups jump to it with an unchanged return address.
  .text
  .globl dlsym
  .type dlsym, @function
  .p2align 4
dlsym:
  .cfi_startproc
  endbr64
  cmpq $-1, %rdi  // RTLD_NEXT: called by another tool, which depends on the search order
  je 2f
  testq %rsi, %rsi
  je 2f
  movzbl 0(%rsi), %eax
  orl $0x20, %eax
  cmpl $'m', %eax
  jne 2f
  movzbl 1(%rsi), %eax
  orl $0x20, %eax
  cmpl $'p', %eax
  jne 2f
  movzbl 2(%rsi), %eax
  orl $0x20, %eax
  cmpl $'i', %eax
  jne 2f
  cmpb $'_', 3(%rsi)
  jne 2f
  jmp weft_dlsym
2:
  movq weft_real_dlsym(%rip), %rax
  testq %rax, %rax
  je 3f
  jmp *%rax
3:  // called before this library was initialised
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call weft_find_dlsym
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size dlsym, .-dlsym

  .hidden weft_dlsym
  .hidden weft_real_dlsym
  .hidden weft_find_dlsym
  .section .note.GNU-stack, "", @progbits
