//! Loops with the widest vectors of the host: each is compiled for what every host of its kind has, and for AVX2 and FMA of
//! x86-64, which are found when it runs.
//!
//! Both forms give the same bits: the compiler contracts no product and sum by itself, and a loop does so only where the
//! product is exact.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "whether a processor has an instruction is known when the program runs"
    )
)]

/// A loop that is compiled for several kinds of processors, with all that is inlined into it.
pub(super) trait VectorLoop {
    /// Its result.
    type Output;

    /// Runs it. `FUSED`: a product and a sum are one instruction, which rounds once.
    fn run<const FUSED: bool>(self) -> Self::Output;
}

/// Runs a loop with the vectors that the host has.
#[inline(always)]
pub(super) fn run<L: VectorLoop>(vectors: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has the instructions.
        return unsafe { run_with_avx2(vectors) };
    }
    run_plainly(vectors)
}

#[inline(never)]
fn run_plainly<L: VectorLoop>(vectors: L) -> L::Output {
    vectors.run::<false>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_with_avx2<L: VectorLoop>(vectors: L) -> L::Output {
    vectors.run::<true>()
}
