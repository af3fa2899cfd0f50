//! Entries of SAVE_TIMESTAMPS and SAVE_REGISTER until they are in host memory.

use crate::host::BufferId;

/// Entries of one controller.
#[derive(Clone, Debug, Default)]
pub struct SavedRecords {
    /// In shared memory.
    pub(super) words: Vec<u32>,
    /// The buffer in host memory, with its address, once there is one.
    pub(super) host: Option<(BufferId, u64)>,
    /// Where the next entry goes in it.
    pub(super) next: usize,
}

impl SavedRecords {
    /// The buffer in host memory, if anything was moved there.
    pub fn buffer(&self) -> Option<BufferId> {
        self.host.map(|(id, _)| id)
    }
}
