; A job writes what a job that it launches reads: it launches before it writes
; RACES: found
START_JOB 0
  LAUNCH_JOB 1
  WRITE_32 0x00200400, 7
END_JOB
START_JOB_DEFERRED 1
  READ_32 $r0, 0x00200400
END_JOB
EOF
