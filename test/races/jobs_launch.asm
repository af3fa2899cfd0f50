; A job writes what a job that it launches reads
; RACES: none
START_JOB 0
  WRITE_32 0x00200400, 7
  LAUNCH_JOB 1
END_JOB
START_JOB_DEFERRED 1
  READ_32 $r0, 0x00200400
END_JOB
EOF
