//! Moves a column from one array to another of the same device.

use std::ops::Range;

use aiec_device::TileLoc;

use crate::array::Array;
use crate::array::cascade::Cascade;
use crate::array::control_packet::Handler;
use crate::array::core_tile::CoreTile;
use crate::array::dma::Dma;
use crate::array::event::TileEventUnits;
use crate::array::lock::LockBank;
use crate::array::memory::Memory;
use crate::array::pipe::Pipe;
use crate::array::sink::Sink;
use crate::array::stream_switch::Switch;
use crate::bank::Banks;

/// A tile with all that belongs to it but its pipes.
#[derive(Debug)]
struct TileParts {
    memory: Memory,
    banks: Banks,
    locks: LockBank,
    dma: Dma,
    core: Option<Box<CoreTile>>,
    cascade: Cascade,
    control: Handler,
    sink: Sink,
    events: TileEventUnits,
    switch: Switch,
}

/// The tiles of a column, upward, and their pipes.
#[derive(Debug)]
pub(super) struct ColumnParts {
    number: u8,
    tiles: Vec<TileParts>,
    pipes: Vec<Pipe>,
}

impl Array {
    /// The indices of the tiles of a column, and of their pipes.
    fn indices_of(&self, column: u8) -> (Range<usize>, Range<usize>) {
        // tiles are numbered column by column, and pipes tile by tile
        let tile = |column| self.grid.at(TileLoc::new(column, 0));
        let tiles = tile(column)..tile(column + 1);
        let pipe = |tile| self.net.places.partition_point(|place| place.tile < tile);
        let pipes = pipe(tiles.start)..pipe(tiles.end);
        (tiles, pipes)
    }

    /// Takes a column away. What is left there is empty, and must not act.
    pub(super) fn take_column(&mut self, number: u8) -> ColumnParts {
        let (tiles, pipes) = self.indices_of(number);
        let parts = tiles.map(|tile| {
            let info = self.grid.tiles[tile];
            let no_banks = Banks::new(self.device.arch(), info.kind, false);
            let no_events = TileEventUnits::of(info.loc, Vec::new());
            TileParts {
                memory: std::mem::take(&mut self.memory[tile]),
                banks: std::mem::replace(&mut self.banks[tile], no_banks),
                locks: std::mem::take(&mut self.locks[tile]),
                dma: std::mem::take(&mut self.dma[tile]),
                core: self.cores[tile].take(),
                cascade: std::mem::take(&mut self.cascades[tile]),
                control: std::mem::take(&mut self.control[tile]),
                sink: std::mem::take(&mut self.sinks[tile]),
                events: std::mem::replace(&mut self.events.tiles[tile], no_events),
                switch: std::mem::take(&mut self.net.switches[tile]),
            }
        });
        let tiles = parts.collect();
        let pipes = self.net.fabric.pipes[pipes].iter_mut();
        ColumnParts {
            number,
            tiles,
            pipes: pipes.map(std::mem::take).collect(),
        }
    }

    /// Puts a column where another array of the device had it.
    pub(super) fn put_column(&mut self, column: ColumnParts) {
        let (tiles, pipes) = self.indices_of(column.number);
        for (tile, parts) in tiles.zip(column.tiles) {
            self.memory[tile] = parts.memory;
            self.banks[tile] = parts.banks;
            self.locks[tile] = parts.locks;
            self.dma[tile] = parts.dma;
            self.cores[tile] = parts.core;
            self.cascades[tile] = parts.cascade;
            self.control[tile] = parts.control;
            self.sinks[tile] = parts.sink;
            self.events.tiles[tile] = parts.events;
            self.net.switches[tile] = parts.switch;
        }
        let places = self.net.fabric.pipes[pipes].iter_mut();
        for (place, pipe) in places.zip(column.pipes) {
            *place = pipe;
        }
    }
}
