; A wait for no tokens at all.
; VERDICT: completed
START_JOB 0
  WAIT_TCTS TILE_1_0, SHIM_S2MM_0, 0
END_JOB
EOF
