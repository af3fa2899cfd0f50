; A job writes what another reads behind a barrier: it reads in front of the barrier
; RACES: found
START_JOB 0
  WRITE_32 0x00200400, 7
  LOCAL_BARRIER $lb0, 2
END_JOB
START_JOB 1
  READ_32 $r0, 0x00200400
  LOCAL_BARRIER $lb0, 2
END_JOB
EOF
