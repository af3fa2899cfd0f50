; A wait for an actor that the tile does not have.
; VERDICT: deadlock token-count
; MISTAKE: extra-wait
START_JOB 0
  WAIT_TCTS TILE_1_0, 12, 1
END_JOB
EOF
