; The value is written on the next page, which begins when this one is over.
; VERDICT: deadlock poll
; MISTAKE: poll
START_JOB 0
  POLL_32 0x00300000, 1
END_JOB
.eop
START_JOB 1
  WRITE_32 0x00300000, 1
END_JOB
EOF
