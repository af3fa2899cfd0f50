//! Pointers of accesses, which walk by registers.

use super::address::{ADDRESS_MASK, Dimension, walk_2d, walk_3d};
use super::op::{Walk, WalkMode};
use super::pipeline::Pipeline;
use super::resolve::dimension;

impl Pipeline {
    fn dimension(&self, number: u8) -> Dimension {
        let [modifier, size, jump, count] = dimension(number).map(|register| self.scalar(register));
        Dimension {
            modifier,
            size,
            jump,
            count,
        }
    }

    /// The address of an access; its pointer stays.
    #[inline]
    pub fn address(&self, walk: Walk) -> u32 {
        let pointer = self.scalar(walk.pointer);
        match walk.mode {
            WalkMode::Offset(by) => pointer.wrapping_add(self.source(by)) & ADDRESS_MASK,
            WalkMode::Post(_) | WalkMode::Post2D(_) | WalkMode::Post3D(_) => pointer,
        }
    }

    /// The address of an access; its pointer walks.
    #[inline]
    pub fn walk(&mut self, walk: Walk) -> u32 {
        self.walk_from(self.address(walk), walk)
    }

    /// Same for a pointer at `pointer`.
    #[inline]
    pub fn walk_from(&mut self, pointer: u32, walk: Walk) -> u32 {
        match walk.mode {
            WalkMode::Offset(_) => pointer,
            WalkMode::Post(by) => {
                let next = pointer.wrapping_add(self.source(by));
                self.write(walk.pointer, next, walk.latency);
                pointer
            }
            WalkMode::Post2D(number) => {
                let (next, count) = walk_2d(pointer, self.dimension(number));
                self.write(walk.pointer, next, walk.latency);
                self.write(dimension(number)[3], count, walk.latency);
                pointer
            }
            WalkMode::Post3D(number) => {
                let (inner, outer) = (self.dimension(number), self.dimension(number + 4));
                let (next, inner, outer) = walk_3d(pointer, inner, outer);
                self.write(walk.pointer, next, walk.latency);
                self.write(dimension(number)[3], inner, walk.latency);
                self.write(dimension(number + 4)[3], outer, walk.latency);
                pointer
            }
        }
    }
}
