; A poll for a value that nobody writes.
; VERDICT: deadlock poll
; MISTAKE: poll
START_JOB 0
  POLL_32 0x00300000, 1
END_JOB
START_JOB 1
  WRITE_32 0x00300000, 2
END_JOB
EOF
