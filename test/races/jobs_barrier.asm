; A job writes what another reads behind a barrier
; RACES: none
START_JOB 0
  WRITE_32 0x00200400, 7
  LOCAL_BARRIER $lb0, 2
END_JOB
START_JOB 1
  LOCAL_BARRIER $lb0, 2
  READ_32 $r0, 0x00200400
END_JOB
EOF
