; c = a + b for 8 rows of 64 numbers, on four harts.
;
; a has rows of 80 numbers of which 64 count: a 2-D transfer brings them to the TCDM without the gaps.
; The kernel is a function of vector_add.c, run once for each row.

.equ CODE,  0xbff00000          ; where the host loads the kernel
.equ A,     0x40000000
.equ B,     0x40010000
.equ C,     0x40020000
.equ COUNTERS, 0x40030000
.equ ROWS,  8
.equ ROW_ELEMENTS, 64
.equ ROW_BYTES, 256
.equ PADDED_ROW_BYTES, 320

; the kernel is linked at 0x10000: window 0 leads from there to where it is
WRITE_REG64 WINDOW_BASE0, 0x10000
WRITE_REG64 WINDOW_TARGET0, CODE
WRITE_REG64 WINDOW_MODE0, ACTIVE=1 MODE=SHARED PERMS=rx SIZE=0x1000
; each hart has a stack of its own: window 1 leads to another place for each
WRITE_REG64 WINDOW_BASE1, 0x14000000
WRITE_REG64 WINDOW_TARGET1, PER_HART_AREA
WRITE_REG64 WINDOW_SCALE1, SCALE_A=1 SCALE_B=0x80000
WRITE_REG64 WINDOW_MODE1, ACTIVE=1 MODE=PER_HART SIZE=0x80000

; 8 rows of 256 bytes, 320 bytes apart in the source
STORE_IMM64 DMA_SRC_ADDR, A
STORE_IMM64 DMA_DST_ADDR, TCDM
STORE_IMM64 DMA_XFER_SIZE0, ROW_BYTES
STORE_IMM64 DMA_XFER_SIZE1, ROWS
STORE_IMM64 DMA_XFER_SRC_STRIDE0, PADDED_ROW_BYTES
STORE_IMM64 DMA_CTRL, 0xa1      ; start, 2 dimensions, strides in the source
LOAD_REG64  SCRATCH, DMA_START_SEQ
STORE_REG64 SCRATCH, DMA_DONE_SEQ

SYNC_CACHE  DCACHE|ICACHE
WRITE_REG64 ENTRY_PT_FN, 0x10000
WRITE_REG64 STACK_TOP, 0x14080000
WRITE_REG64 RETURN_ADDR, 0x10100
; at most all harts, 4 arguments behind the instance: a, b, c, elements of a row
RUN_INSTANCES 0, 4, ROWS, TCDM, B, C, ROW_ELEMENTS
SYNC_CACHE  DCACHE
; how many instructions and loads hart 1 took
COPY_MEM64  32, PERF_COUNTERS, COUNTERS, hart:1
FINISH
