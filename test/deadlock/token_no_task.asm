; A wait for a token of a channel on which no task was started.
; VERDICT: deadlock token-count
; MISTAKE: transfer-missing
START_JOB 0
  WAIT_TCTS TILE_1_0, SHIM_S2MM_0, 1
END_JOB
EOF
