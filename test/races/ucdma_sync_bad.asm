; The uC-DMA writes what a job reads behind a barrier, in one instruction: the instruction does not wait
; RACES: found
START_JOB 0
  UC_DMA_WRITE_DES $r1, @chain
  LOCAL_BARRIER $lb0, 2
END_JOB
START_JOB 1
  LOCAL_BARRIER $lb0, 2
  READ_32 $r0, 0x00200404
END_JOB
EOF
.align 16
chain:
  UC_DMA_BD 0, 0x00200400, @words, 4, 0, 0
.align 4
words:
  .long 1
  .long 2
  .long 3
  .long 4
