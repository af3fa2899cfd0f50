//! Findings of strict execution of machine code (`--core-strict`).

/// Bundles from the last one that sets a hardware loop up to the last one of its body (`llvm-aie:
/// AIE2PSInstrInfo.cpp` getZOLSupport: LoopSetupDistance), and the lines of 16 bytes between
/// them: none of 18,132 loops of AMD's
/// compiler has less.
pub(super) const LOOP_SETUP: u64 = 7;

/// Why strict execution stops.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrictFinding {
    /// A register is read while a result is under way to it.
    #[error(
        "it reads {register} while an earlier result is still under way to it: that of {writer:#x}, \
         {bundles} bundles too early. Issue it later, or run without --core-strict if the old value \
         is meant"
    )]
    OldValue {
        /// The register.
        register: String,
        /// Address of the bundle whose result it is.
        writer: u32,
        /// Bundles until it would be read.
        bundles: u64,
    },
    /// The delay slots of a call read its return address.
    #[error(
        "it reads lr in the delay slots of the call at {call:#x}, whose return address is already \
         there: read it before the call, or in one of the first slots"
    )]
    OwnReturnAddress {
        /// Address of the call.
        call: u32,
    },
    /// Two results come to a register in one cycle.
    #[error(
        "its result and that of {other:#x} come to {register} in the same cycle: issue one of them a \
         bundle earlier or later"
    )]
    SameCycle {
        /// The register.
        register: String,
        /// Address of the bundle with the other result.
        other: u32,
    },
    /// A result comes to a register before an earlier issued one does.
    #[error(
        "its result overtakes that of {other:#x} on the way to {register}, and the earlier issued one \
         stays. Issue it {bundles} bundles later, or take another register"
    )]
    Overtakes {
        /// The register.
        register: String,
        /// Address of the bundle with the other result.
        other: u32,
        /// Bundles by which it is too early.
        bundles: u64,
    },
    /// Two instructions hold a port in one cycle.
    #[error(
        "it and {other:#x} need port {port} in the same cycle: issue one of them a bundle earlier or \
         later"
    )]
    Port {
        /// The port's name.
        port: &'static str,
        /// Address of the other bundle.
        other: u32,
    },
    /// A lock operation comes too soon after an access to memory.
    #[error(
        "the access to memory of {access:#x} may not have happened when its lock operation does: they \
         are {distance} bundles apart, {least} are needed"
    )]
    LockAfterAccess {
        /// Address of the bundle with the access.
        access: u32,
        /// Bundles between them.
        distance: u64,
        /// The least distance.
        least: u8,
    },
    /// An access to memory comes too soon after a lock is acquired.
    #[error(
        "its access to memory may happen before {lock:#x} has acquired the lock: they are {distance} \
         bundles apart, {least} are needed"
    )]
    AccessAfterLock {
        /// Address of the bundle that acquires.
        lock: u32,
        /// Bundles between them.
        distance: u64,
        /// The least distance.
        least: u8,
    },
    /// A branch to an address within a line of program memory.
    #[error(
        "it branches to {target:#x}, which isn't a multiple of 16: put `.p2align 4` before the label"
    )]
    BranchTarget {
        /// The target.
        target: u32,
    },
    /// The start or the last bundle of a hardware loop is not aligned.
    #[error(
        "{register} of its hardware loop is {address:#x}, which isn't a multiple of 16: put \
         `.p2align 4` before that bundle"
    )]
    LoopAlignment {
        /// `ls` or `le`.
        register: &'static str,
        /// Its value.
        address: u32,
    },
    /// The last bundle of a hardware loop is short.
    #[error(
        "the last bundle of its hardware loop has {bytes} bytes, not 16: give it all slots (`nopa`, \
         `nopb`, `nops`, `nopx`, `nopm`, `nopv`)"
    )]
    LoopEnd {
        /// Its bytes.
        bytes: u8,
    },
    /// A hardware loop is set up too late.
    #[error(
        "{setup:#x} sets its hardware loop up too late: {distance} {unit} before the last bundle, \
         {LOOP_SETUP} are needed. Set it up earlier, or lengthen the body"
    )]
    LoopSetup {
        /// Address of the last bundle that sets it up.
        setup: u32,
        /// Its distance from the last bundle.
        distance: u64,
        /// The unit that is counted.
        unit: &'static str,
    },
    /// A part-word store in the last bundle of a hardware loop.
    #[error(
        "the last bundle of its hardware loop stores a part of a word, which silicon drops (llvm-aie \
         issue 1012): move the store to another bundle"
    )]
    LoopPartWord,
    /// A register is read that nothing has written.
    #[error("it reads {register}, which nothing has written: write it before")]
    Undefined {
        /// The register.
        register: String,
    },
}
