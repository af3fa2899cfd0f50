; The value is written on the page before.
; VERDICT: completed
START_JOB 0
  WRITE_32 0x00300000, 1
END_JOB
.eop
START_JOB 1
  POLL_32 0x00300000, 1
END_JOB
EOF
