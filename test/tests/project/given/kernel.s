// A function that machine-code.md's commands assemble, link and stop in.
        .globl  scale
        .type   scale, @function
scale:  lda     r0, [p0], #0
        nop
        nop
        nop
        nop
        nop
        nop
        add     r0, r0, r0
        st      r0, [p0], #0
        ret     lr
        nop
        nop
        nop
        nop
        nop
