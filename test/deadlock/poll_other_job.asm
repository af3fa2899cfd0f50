; A poll for a value that another job writes later.
; VERDICT: completed
START_JOB 0
  POLL_32 0x00300000, 2
END_JOB
START_JOB 1
  SLEEP 3
  WRITE_32 0x00300000, 2
END_JOB
EOF
