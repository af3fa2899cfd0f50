; A page writes what the next one reads
; RACES: none
START_JOB 0
  WRITE_32 0x00200400, 7
END_JOB
.eop
START_JOB 1
  READ_32 $r0, 0x00200400
END_JOB
EOF
