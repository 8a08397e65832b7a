// SPDX-License-Identifier: BSD-3-Clause
// MPI's functions as jumps through weft_slots. Arguments and return address stay unchanged, so the target sees the
// program's call. A slot that is not filled yet jumps to weft_resolve.
  .macro SLOT number, name
  .text
  .globl \name
  .type \name, @function
  .p2align 4
\name:
  endbr64
  jmp *weft_slots+8*\number(%rip)
  .size \name, .-\name
resolve_\number:
  pushq $\number
  jmp resolve
  .section .data.rel.slots, "aw", @progbits
  .quad resolve_\number
  .endm

  .section .data.rel.slots, "aw", @progbits
  .p2align 4
  .globl weft_slots
  .hidden weft_slots
  .hidden weft_resolve
weft_slots:

  .text
  .type resolve, @function
resolve:
  .cfi_startproc
  .cfi_adjust_cfa_offset 8
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  subq $136, %rsp
  .cfi_adjust_cfa_offset 192
  movups %xmm0, 0(%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movl 192(%rsp), %edi
  call weft_resolve
  movq %rax, %r11
  movups 0(%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $136, %rsp
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  addq $8, %rsp
  .cfi_adjust_cfa_offset -200
  jmp *%r11
  .cfi_endproc
  .size resolve, .-resolve

#include "advise/slots.S"

  .section .note.GNU-stack, "", @progbits
