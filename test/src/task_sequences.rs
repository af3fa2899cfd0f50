//! Random sequences of tasks between host memory and mem tiles, in all orders that their waits keep
//! sound, and what they mean: copies, one after the other.
//!
//! Buffers lie on the mem tile whose task moves them, or on a neighbour's. A task of the host that
//! feeds or takes a mem tile's may be started before or after it, and several are under way on a
//! channel. A task that touches what one before it writes, or writes what one before it reads,
//! starts after a wait for that one; nothing else keeps tasks apart.

use std::fmt::Write;

use arbitrary::{Result, Unstructured};

/// Elements of each buffer of a mem tile, of the host's input and of its output.
const BUFFER: usize = 64;
const INPUT: usize = 256;
const OUTPUT: usize = 512;

/// Columns of the devices in use, at most.
const COLUMNS: usize = 3;
/// Tasks of a channel that are under way at most; a queue holds four.
const UNDER_WAY: usize = 3;
/// Transfers of a sequence, and buffers, at most.
const TRANSFERS: usize = 10;
const BUFFERS: usize = 4;

/// Devices with mem tiles that reach their neighbours' memory.
const DEVICES: [&str; 3] = ["npu2", "npu1_3col", "xcve3858"];

/// A drawn sequence.
pub struct TaskSequence {
    /// Its device.
    pub device: &'static str,
    /// The design.
    pub text: String,
    /// The host's input.
    pub input: Vec<i32>,
    /// The output; `None` where nothing is written.
    pub output: Vec<Option<i32>>,
}

/// A transfer whose end nothing has waited for yet.
struct UnderWay {
    loads: bool,
    buffer: usize,
    column: usize,
    /// The task that sends a token.
    awaited: String,
}

struct Draw<'a, 'b> {
    random: &'a mut Unstructured<'b>,
    /// The column of each buffer, and what it holds once all before has ended.
    buffers: Vec<(usize, Vec<i32>)>,
    under_way: Vec<UnderWay>,
    input: Vec<i32>,
    output: Vec<Option<i32>>,
    written: usize,
    body: String,
}

impl TaskSequence {
    /// Draws one.
    ///
    /// # Errors
    /// The randomness is used up.
    pub fn draw(random: &mut Unstructured<'_>) -> Result<TaskSequence> {
        let device = *random.choose(&DEVICES)?;
        let count = random.int_in_range(1..=BUFFERS)?;
        let mut buffers = Vec::new();
        for _ in 0..count {
            buffers.push((random.int_in_range(0..=COLUMNS - 1)?, vec![0; BUFFER]));
        }
        let mut input = Vec::new();
        for _ in 0..INPUT {
            input.push(random.arbitrary::<i16>()?.into());
        }
        let mut draw = Draw {
            random,
            buffers,
            under_way: Vec::new(),
            input,
            output: vec![None; OUTPUT],
            written: 0,
            body: String::new(),
        };
        let transfers = draw.random.int_in_range(2..=TRANSFERS)?;
        for number in 0..transfers {
            draw.transfer(number)?;
        }
        while !draw.under_way.is_empty() {
            draw.wait(0);
        }
        let text = draw.text(device);
        Ok(TaskSequence {
            device,
            text,
            input: draw.input,
            output: draw.output,
        })
    }
}

impl Draw<'_, '_> {
    /// A transfer from the host into a buffer, or from a buffer to the host.
    fn transfer(&mut self, number: usize) -> Result<()> {
        let buffer = self.random.int_in_range(0..=self.buffers.len() - 1)?;
        let at = self.buffers[buffer].0;
        let (first, last) = (at.saturating_sub(1), (at + 1).min(COLUMNS - 1));
        let column = self.random.int_in_range(first..=last)?;
        let count = *self.random.choose(&[4, 8, 16, 32])?;
        let offset = self.random.int_in_range(0..=BUFFER - count)?;
        let loads = self.random.arbitrary()? || self.written + count > OUTPUT;
        let hazard = |other: &UnderWay| other.buffer == buffer && (other.loads || loads);
        while let Some(at) = self.under_way.iter().position(hazard) {
            self.wait(at);
        }
        let same = |other: &UnderWay| other.loads == loads && other.column == column;
        while self.under_way.iter().filter(|other| same(other)).count() >= UNDER_WAY {
            let first = self.under_way.iter().position(same);
            self.wait(first.unwrap_or_default());
        }
        let [host_dir, mem_dir] = if loads {
            ["MM2S", "S2MM"]
        } else {
            ["S2MM", "MM2S"]
        };
        let (name, size, start) = if loads {
            let start = self.random.int_in_range(0..=INPUT - count)?;
            let part = &self.input[start..start + count];
            self.buffers[buffer].1[offset..offset + count].copy_from_slice(part);
            ("in", INPUT, start)
        } else {
            let start = self.written;
            self.written += count;
            let part = &self.buffers[buffer].1[offset..offset + count];
            let written = &mut self.output[start..self.written];
            written
                .iter_mut()
                .zip(part)
                .for_each(|(to, from)| *to = Some(*from));
            ("out", OUTPUT, start)
        };
        // The end that writes tells when all has come.
        let token = |sends: bool| if sends { " {issue_token = true}" } else { "" };
        let host = format!(
            "      %h{number} = aiex.dma_configure_task(%s{column}, {host_dir}, 0) {{\n        \
             aie.dma_bd(%{name} : memref<{size}xi32> offset = {start} len = {count})\n        \
             aie.end\n      }}{}\n      aiex.dma_start_task(%h{number})\n",
            token(!loads)
        );
        let mem = format!(
            "      %m{number} = aiex.dma_configure_task(%t{column}, {mem_dir}, 0) {{\n        \
             aie.dma_bd(%b{buffer} : memref<{BUFFER}xi32> offset = {offset} len = {count})\n        \
             aie.end\n      }}{}\n      aiex.dma_start_task(%m{number})\n",
            token(loads)
        );
        if self.random.arbitrary()? {
            self.body += &(host + &mem);
        } else {
            self.body += &(mem + &host);
        }
        let end = if loads { 'm' } else { 'h' };
        self.under_way.push(UnderWay {
            loads,
            buffer,
            column,
            awaited: format!("%{end}{number}"),
        });
        if self.random.ratio(3, 10)? {
            self.wait(self.under_way.len() - 1);
        }
        Ok(())
    }

    /// Waits for a transfer, and first for those before it on its channel, as their tokens come first.
    fn wait(&mut self, at: usize) {
        let Some(last) = self.under_way.get(at) else {
            return;
        };
        let (loads, column) = (last.loads, last.column);
        let mut kept = Vec::new();
        for (n, transfer) in self.under_way.drain(..).enumerate() {
            if n <= at && transfer.loads == loads && transfer.column == column {
                let _ = writeln!(self.body, "      aiex.dma_await_task({})", transfer.awaited);
            } else {
                kept.push(transfer);
            }
        }
        self.under_way = kept;
    }

    fn text(&self, device: &str) -> String {
        let mut text = format!("module {{\n  aie.device({device}) {{\n");
        for column in 0..COLUMNS {
            let _ = write!(
                text,
                "    %s{column} = aie.tile({column}, 0)\n    %t{column} = aie.tile({column}, 1)\n    \
                 aie.flow(%s{column}, DMA : 0, %t{column}, DMA : 0)\n    \
                 aie.flow(%t{column}, DMA : 0, %s{column}, DMA : 0)\n"
            );
        }
        for (n, (column, _)) in self.buffers.iter().enumerate() {
            let _ = writeln!(
                text,
                "    %b{n} = aie.buffer(%t{column}) {{sym_name = \"b{n}\"}} : memref<{BUFFER}xi32> = dense<0>"
            );
        }
        let _ = write!(
            text,
            "    aie.runtime_sequence(%in: memref<{INPUT}xi32>, %out: memref<{OUTPUT}xi32>) {{\n{}    }}\n  }}\n}}\n",
            self.body
        );
        text
    }
}
