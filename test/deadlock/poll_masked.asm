; A poll that looks at one bit only.
; VERDICT: completed
START_JOB 0
  WRITE_32 0x00300000, 0xFFFFFFEF
  MASK_POLL_32 0x00300000, 0x10, 0x0
END_JOB
EOF
