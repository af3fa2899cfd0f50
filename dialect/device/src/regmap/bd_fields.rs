//! Fields of a buffer descriptor, as a programmer means them.

/// A buffer descriptor. The default is a disabled one that walks memory word by word.
///
/// Address of word (i0, i1, i2, i3): `base + 4·(i0·steps[0] + i1·steps[1] + i2·steps[2] +
/// i3·steps[3] + iteration_current·iteration_step)`. i0 counts to `wraps[0]`, then i1 advances,
/// and so on; a wrap of 0 never ends. The last dimension a tile has is unbounded, steps beyond it
/// must be 1 and wraps 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BdFields {
    /// A channel that loads an invalid descriptor stops with an error.
    pub valid: bool,
    /// Address in bytes: own memory of a core tile, the west/own/east window of a mem tile's DMA,
    /// or host memory. A multiple of 4.
    pub base_address: u64,
    /// Words (32 bits) to transfer, padding not counted.
    pub length: u32,
    /// Distance in words between neighbours in each dimension, innermost first; at least 1, except
    /// for 0 in `steps[3]` of AIE2ps mem tiles.
    pub steps: [u32; 4],
    /// Elements in each dimension but the outermost; 0 = unbounded.
    pub wraps: [u32; 3],
    /// Words by which the base moves from one use of the descriptor to the next; at least 1.
    pub iteration_step: u32,
    /// Uses after which the base is back at the start; 1..=64.
    pub iteration_count: u32,
    /// Uses so far, 0..=63. The hardware counts here.
    pub iteration_current: u32,
    /// Send a packet header in front of the data (MM2S).
    pub packet_enable: bool,
    /// Packet id, 0..=31.
    pub packet_id: u8,
    /// Packet type, 0..=7.
    pub packet_type: u8,
    /// Descriptor that an out-of-order receiver should use, 0..=63.
    pub out_of_order_id: u8,
    /// Go on with `next_bd` when this one is done.
    pub use_next: bool,
    /// The descriptor that follows.
    pub next_bd: u8,
    /// Whether to wait for a lock first.
    pub lock_acq_enable: bool,
    /// The lock, in the DMA's numbering.
    pub lock_acq_id: u8,
    /// -n: wait until the lock is at least n and take n; n >= 0: wait until it equals n.
    pub lock_acq_value: i8,
    /// The lock to release, in the DMA's numbering.
    pub lock_rel_id: u8,
    /// Units added to it; 0 = no release.
    pub lock_rel_value: i8,
    /// Do not mark the last word of the transfer as the end of a packet.
    pub tlast_suppress: bool,
    /// (De)compress the data.
    pub compression: bool,
    /// Padding before each of the three inner dimensions (mem tile, MM2S): words, then rows of
    /// dimension 0, then planes of dimensions 0 and 1.
    pub pad_before: [u32; 3],
    /// Padding after, likewise.
    pub pad_after: [u32; 3],
    /// Code of the burst length (shim).
    pub burst: u8,
    /// AXI attribute (shim), 0..=15.
    pub ax_cache: u8,
    /// AXI attribute (shim), 0..=15.
    pub ax_qos: u8,
    /// AXI stream id (shim, not AIE2ps), 0..=15.
    pub smid: u8,
    /// AXI attribute (shim).
    pub secure: bool,
}

impl Default for BdFields {
    fn default() -> Self {
        BdFields {
            valid: false,
            base_address: 0,
            length: 0,
            steps: [1; 4],
            wraps: [0; 3],
            iteration_step: 1,
            iteration_count: 1,
            iteration_current: 0,
            packet_enable: false,
            packet_id: 0,
            packet_type: 0,
            out_of_order_id: 0,
            use_next: false,
            next_bd: 0,
            lock_acq_enable: false,
            lock_acq_id: 0,
            lock_acq_value: 0,
            lock_rel_id: 0,
            lock_rel_value: 0,
            tlast_suppress: false,
            compression: false,
            pad_before: [0; 3],
            pad_after: [0; 3],
            burst: 0,
            ax_cache: 0,
            ax_qos: 0,
            smid: 0,
            secure: false,
        }
    }
}

impl BdFields {
    /// The following descriptor, if there is one.
    pub fn next(&self) -> Option<u8> {
        self.use_next.then_some(self.next_bd)
    }

    /// Packet id and type of the header to send, if any.
    pub fn packet(&self) -> Option<(u8, u8)> {
        self.packet_enable
            .then_some((self.packet_id, self.packet_type))
    }

    /// Lock and operand of the acquire, if any.
    pub fn acquire(&self) -> Option<(u8, i8)> {
        self.lock_acq_enable
            .then_some((self.lock_acq_id, self.lock_acq_value))
    }

    /// Lock and value of the release, if any.
    pub fn release(&self) -> Option<(u8, i8)> {
        (self.lock_rel_value != 0).then_some((self.lock_rel_id, self.lock_rel_value))
    }
}
