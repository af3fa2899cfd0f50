; A job polls for what it would write itself afterwards.
; VERDICT: deadlock poll
; MISTAKE: poll
START_JOB 0
  MASK_POLL_32 0x00300000, 0x10, 0x10
  WRITE_32 0x00300000, 0x10
END_JOB
EOF
