; One controller loads a configuration, the other loads none.
; VERDICT: deadlock barrier-count
; MISTAKE: barrier-count
.attach_to_group 0
START_JOB 0
  LOAD_PDI 1, @cfg
END_JOB
cfg:
START_JOB 0
  NOP
END_JOB
EOF
.endl cfg
EOF
.attach_to_group 1
START_JOB 0
  NOP
END_JOB
EOF
