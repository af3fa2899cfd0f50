//! `aiex.configure` and `aiex.run`: sequences of one device that load others and run theirs.
//!
//! A sequence is executed with the state of its device: names, buffer descriptors, tokens. A run
//! enters the device that is loaded, binds the arguments and executes the sequence's body; its
//! operations go on where the caller's stopped. A device that is loaded again starts over, one that
//! is still loaded goes on as it is (`mlir-aie:
//! lib/Dialect/AIEX/Transforms/AIEMaterializeRuntimeSequences.cpp` does the same by inlining).

use aiec_aie::ir::{Module, Op, SymbolTable, Value};
use aiec_aie::ops::{
    Configure, Device, NpuLoadPdi, NpuPreempt, NpuWriteConfig, OpKind, OpView, Run, RuntimeSequence,
};
use aiec_device::ChannelId;
use aiec_diag::Diag;
use rustc_hash::{FxHashMap, FxHashSet};

use super::bd_pool::BdPools;
use super::codes::*;
use super::queues::Queues;
use super::tasks::Proofs;
use super::tokens::TokenCounts;
use super::values::KnownValue;
use super::{Lowering, LoweringResult, out_of_order_channels};
use crate::regops::RegOp;

/// Part of a sequence during which one device is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceRegion {
    /// The device.
    pub device: Op,
    /// Loading operation; `None` for the device that the sequence belongs to.
    pub load: Option<Op>,
    /// Operations in that state.
    pub ops: Vec<RegOp>,
    /// Points at which the context may be switched, in order.
    pub preemptions: Vec<Preemption>,
}

/// A point at which the context may be switched (`aiex.npu.preempt`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preemption {
    /// Number of the span's operations that come before it.
    pub before: usize,
    /// Saved state: 0 nothing, 1 memory tiles, 2 core tiles, 3 registers.
    pub level: u8,
    /// The operation.
    pub op: Op,
}

/// State of a lowering that belongs to a device.
pub(super) struct DeviceState {
    device: Op,
    symbols: SymbolTable,
    pools: BdPools,
    proofs: Proofs,
    tokens: TokenCounts,
    queues: Queues,
    controllers: FxHashSet<ChannelId>,
    out_of_order: FxHashSet<ChannelId>,
}

/// Loads and runs.
#[derive(Default)]
pub(super) struct LoadedDevices {
    /// Loads that happened: the operation, the device, and how many operations came before.
    list: Vec<(Op, Op, usize)>,
    /// The devices that aren't executed at the moment.
    device_states: FxHashMap<Op, DeviceState>,
    /// Sequences that are executed, the innermost last.
    calls: Vec<Op>,
    /// Preemption points, with the number of loads before each.
    preemptions: Vec<(usize, Preemption)>,
}

impl LoadedDevices {
    /// Loads of a lowering of a sequence.
    pub(super) fn of(sequence: Op) -> LoadedDevices {
        LoadedDevices {
            calls: vec![sequence],
            ..LoadedDevices::default()
        }
    }
}

/// Whether an operation means the same whatever device is loaded.
fn needs_no_device(kind: OpKind) -> bool {
    use OpKind as K;
    matches!(
        kind,
        K::Configure
            | K::Run
            | K::NpuLoadPdi
            | K::NpuWriteConfig
            | K::NpuWrite32
            | K::NpuMaskWrite32
            | K::NpuMaskPoll
            | K::NpuReadReg
            | K::NpuBlockWrite
            | K::NpuPreempt
            | K::ScfFor
            | K::ScfIf
            | K::ScfYield
            | K::MemrefGlobal
            | K::MemrefGetGlobal
            | K::MemrefSubview
            | K::MemrefReinterpretCast
            | K::MemrefCast
            | K::MemrefCollapseShape
            | K::MemrefExpandShape
            | K::MemrefView
            | K::MemrefAssumeAlignment
            | K::End
    ) || super::values::folds(kind)
}

impl<'a> Lowering<'a> {
    /// The device that is loaded.
    fn loaded(&self) -> Op {
        let last = self.loads.list.last();
        last.map_or(self.first_device(), |(_, device, _)| *device)
    }

    /// The device that the sequence belongs to.
    fn first_device(&self) -> Op {
        let sequence = self.loads.calls.first().copied();
        let device = sequence.and_then(|s| Device::around(self.module, s));
        device.map_or(self.device, |device| device.op())
    }

    /// The device that an operation is about, if it isn't the one whose sequence is executed: as
    /// `@device::@name` says it, or that of the operation's task.
    pub(super) fn other_device(&mut self, op: Op) -> LoweringResult<Option<Op>> {
        use OpKind as K;
        let m = self.module;
        let device = match m.kind(op) {
            K::Configure | K::Run | K::NpuLoadPdi | K::NpuWriteConfig => None,
            K::DmaStartTask | K::DmaAwaitTask | K::DmaFreeTask => self.device_of_task(op),
            _ => match m.nested_root(op) {
                Some(root) => Some(self.device_named(root, op)?),
                None => None,
            },
        };
        Ok(device.filter(|device| *device != self.device))
    }

    /// Executes an operation that is about another device, which must be loaded.
    pub(super) fn in_device(&mut self, op: Op, device: Op) -> LoweringResult {
        let (there, wanted) = (self.loaded(), Device(device));
        if device != there {
            let name = |device: Op| Device(device).name(self.module);
            let (wanted, there) = (name(wanted.op()), name(there));
            let message = format!("this is of device `@{wanted}`, but `@{there}` is loaded here");
            let diag = Diag::error(&NOT_LOADED, message)
                .label(self.module.span(op), format!("of `@{wanted}`"))
                .label(
                    self.loads.list.last().and_then(|l| self.module.span(l.0)),
                    format!("loads `@{there}`"),
                )
                .help(format!("put it into an `aiex.configure @{wanted}`"));
            return self.refuse(op, diag);
        }
        let device_state = self.loads.device_states.remove(&device);
        let device_state = device_state.unwrap_or_else(|| self.device_state(device));
        let before = self.enter(device_state);
        let done = self.run_op(op);
        let after = self.enter(before);
        self.loads.device_states.insert(device, after);
        done
    }

    /// Refuses what needs a device that isn't there any more.
    pub(super) fn needs_loaded(&mut self, op: Op) -> LoweringResult {
        if self.loads.list.is_empty()
            || self.device == self.loaded()
            || needs_no_device(self.module.kind(op))
        {
            return Ok(());
        }
        let name = |device: Op| Device(device).name(self.module);
        let (mine, there) = (name(self.device), name(self.loaded()));
        let message = format!("this needs device `@{mine}`, but `@{there}` is loaded here");
        let diag = Diag::error(&NOT_LOADED, message)
            .label(self.module.span(op), format!("an operation of `@{mine}`"))
            .label(
                self.loads.list.last().and_then(|l| self.module.span(l.0)),
                format!("loads `@{there}`"),
            )
            .help(format!(
                "put it into a sequence of `@{there}` and `aiex.run` that, or in front of the load"
            ));
        self.refuse(op, diag)
    }

    /// Loads a device, unless it is loaded, and executes the body: its runs.
    pub(super) fn configure(&mut self, op: Op) -> LoweringResult {
        let m = self.module;
        if let Some(around) = m.ancestor(op, OpKind::Configure) {
            let diag = Diag::error(&NESTED, "an `aiex.configure` can't be in another one")
                .label(m.span(op), "this one")
                .label(m.span(around), "inside this one")
                .help("write it after the other: loading a device ends what was loaded before");
            return self.refuse(op, diag);
        }
        let name = Configure(op).symbol(m).to_string();
        let device = self.device_named(&name, op)?;
        if device != self.loaded() {
            self.load(device, op)?;
        }
        if let Some(body) = self.module.entry(op, 0) {
            self.run_block(body);
        }
        Ok(())
    }

    /// Loads a device, also if it is loaded.
    pub(super) fn load_pdi(&mut self, op: Op) -> LoweringResult {
        let Some(name) = NpuLoadPdi(op).device_ref(self.module) else {
            let diag = Diag::error(&UNSUPPORTED, "a load by number names no device")
                .help("name the device that is meant: `aiex.npu.load_pdi {device_ref = @name}`");
            return self.refuse(op, diag);
        };
        let device = self.device_named(&name, op)?;
        // Nothing happened since it was loaded.
        let done = self.loads.list.last().map_or(0, |(_, _, done)| *done);
        if device == self.loaded() && done == self.ops.len() {
            return Ok(());
        }
        self.load(device, op)
    }

    /// Writes the configuration of a device into the array, which a load of an empty device has reset: from here on
    /// that device is there.
    pub(super) fn write_config(&mut self, op: Op) -> LoweringResult {
        let name = NpuWriteConfig(op).device_ref(self.module).to_string();
        let device = self.device_named(&name, op)?;
        self.load(device, op)
    }

    fn device_named(&mut self, name: &str, op: Op) -> LoweringResult<Op> {
        match device_named(self.module, name) {
            Ok(device) => Ok(device.op()),
            Err(diag) => self.refuse(op, diag),
        }
    }

    fn load(&mut self, device: Op, op: Op) -> LoweringResult {
        let model = Device(device).model(self.module);
        if model.map(|m| m.name()) != Some(self.model.name()) {
            let other = model.map_or("another kind", |m| m.name());
            let message = format!(
                "`@{}` is for {other}, this sequence for {}",
                Device(device).name(self.module),
                self.model.name()
            );
            let diag = Diag::error(&NO_DEVICE, message)
                .help("a sequence loads devices of its own kind only");
            return self.refuse(op, diag);
        }
        self.loads.list.push((op, device, self.ops.len()));
        self.loads.device_states.remove(&device);
        if device == self.device {
            let fresh = self.device_state(device);
            self.enter(fresh);
        }
        Ok(())
    }

    /// State of a device that was just loaded.
    fn device_state(&self, device: Op) -> DeviceState {
        let mut tokens = TokenCounts::default();
        tokens.add_static(self.module, device);
        DeviceState {
            device,
            symbols: SymbolTable::of(self.module, device),
            pools: BdPools::of(self.module, device, self.model, device),
            proofs: Proofs::default(),
            tokens,
            queues: Queues::default(),
            controllers: FxHashSet::default(),
            out_of_order: out_of_order_channels(self.module, device),
        }
    }

    /// Goes on with a device; gives the one before.
    fn enter(&mut self, device_state: DeviceState) -> DeviceState {
        DeviceState {
            device: std::mem::replace(&mut self.device, device_state.device),
            symbols: std::mem::replace(&mut self.symbols, device_state.symbols),
            pools: std::mem::replace(&mut self.pools, device_state.pools),
            proofs: std::mem::replace(&mut self.proofs, device_state.proofs),
            tokens: std::mem::replace(&mut self.tokens, device_state.tokens),
            queues: std::mem::replace(&mut self.queues, device_state.queues),
            controllers: std::mem::replace(&mut self.controllers, device_state.controllers),
            out_of_order: std::mem::replace(&mut self.out_of_order, device_state.out_of_order),
        }
    }

    /// Executes a sequence of the loaded device.
    pub(super) fn run_sequence(&mut self, op: Op) -> LoweringResult {
        let m = self.module;
        let name = Run(op).runtime_sequence_symbol(m).to_string();
        let loaded = self.loaded();
        let device = match m.parent_op(op).and_then(|p| Configure::cast(m, p)) {
            Some(configure) => self.device_named(&configure.symbol(m), op)?,
            None => loaded,
        };
        if device != loaded {
            // A load inside another sequence came between.
            let name = |device: Op| Device(device).name(m);
            let (mine, there) = (name(device), name(loaded));
            let message = format!("this runs on `@{mine}`, but `@{there}` is loaded here");
            let help = "load the device again, by an `aiex.configure` of its own";
            return self.refuse(op, Diag::error(&NOT_LOADED, message).help(help));
        }
        let Some(sequence) = self.sequence_named(device, &name, op)? else {
            return Ok(());
        };
        if self.loads.calls.contains(&sequence) {
            let message = format!("`@{name}` runs itself, so it would never end");
            let diag = Diag::error(&RECURSION, message)
                .label(m.span(op), "runs it again")
                .label(m.span(sequence), "this sequence")
                .help("a sequence can run others, but not one that waits for it to end");
            return self.refuse(op, diag);
        }
        let operands: Vec<Value> = m.operands(op).collect();
        let block = m.entry(sequence, 0);
        let parameters = block.map_or(Vec::new(), |block| m.block_args(block).to_vec());
        self.same_types(op, sequence, &operands, &parameters)?;
        let known: Vec<Option<KnownValue>> =
            operands.iter().map(|v| self.values.get(m, *v)).collect();
        let same = device == self.device;
        let caller = if same {
            None
        } else {
            let device_state = self.loads.device_states.remove(&device);
            let device_state = device_state.unwrap_or_else(|| self.device_state(device));
            Some(self.enter(device_state))
        };
        self.bind(&parameters, &known);
        self.loads.calls.push(sequence);
        if let Some(block) = block {
            self.run_block(block);
        }
        self.loads.calls.pop();
        if let Some(caller) = caller {
            let callee = self.enter(caller);
            // A device that was loaded again meanwhile starts over.
            if self.loaded() == callee.device {
                self.loads.device_states.insert(callee.device, callee);
            }
        }
        Ok(())
    }

    /// Whether a cast only makes a part of a memory an argument of runs. There mlir-aie adds its
    /// offset to that of the part, and its designs, which run on hardware so, rely on it
    /// (`mlir-aie: test/npu-xrt/reconfigure_loadpdi`).
    pub(super) fn is_for_runs(&self, result: Value) -> bool {
        let users = self.module.users(result);
        !users.is_empty() && users.iter().all(|op| self.module.kind(*op) == OpKind::Run)
    }

    fn sequence_named(&mut self, device: Op, name: &str, op: Op) -> LoweringResult<Option<Op>> {
        let m = self.module;
        let sequences = m.children::<RuntimeSequence>(device);
        if let Some(found) = sequences.iter().find(|s| s.name(m) == name) {
            return Ok(Some(found.op()));
        }
        let message = format!(
            "device `@{}` has no runtime sequence `@{name}`",
            Device(device).name(m)
        );
        let names: Vec<String> = sequences
            .iter()
            .map(|s| format!("`@{}`", s.name(m)))
            .collect();
        let help = if names.is_empty() {
            "it has none: write an `aie.runtime_sequence` into it".to_string()
        } else {
            format!("it has {}", names.join(", "))
        };
        self.refuse(op, Diag::error(&NO_SEQUENCE, message).help(help))
    }

    fn same_types(
        &mut self,
        op: Op,
        sequence: Op,
        given: &[Value],
        wanted: &[Value],
    ) -> LoweringResult {
        let m = self.module;
        if given.len() != wanted.len() {
            let given = match given.len() {
                1 => "1 argument is".to_string(),
                n => format!("{n} arguments are"),
            };
            let message = format!("{given} given, the sequence takes {}", wanted.len());
            let diag = Diag::error(&BAD_ARGUMENT, message)
                .label(m.span(op), "this run")
                .label(m.span(sequence), "this sequence")
                .help("give one for each argument of the sequence, in their order");
            return self.refuse(op, diag);
        }
        let differ = given
            .iter()
            .zip(wanted)
            .position(|(a, b)| m.ty(*a) != m.ty(*b));
        let Some(at) = differ else {
            return Ok(());
        };
        let text = |value: Value| m.ty(value).to_string();
        let message = format!(
            "argument {at} is {}, the sequence takes {}",
            text(given[at]),
            text(wanted[at])
        );
        let diag = Diag::error(&BAD_ARGUMENT, message)
            .label(m.span(op), "this run")
            .label(m.span(sequence), "this sequence")
            .help("`memref.subview` and `memref.reinterpret_cast` make a part of an argument one of another shape");
        self.refuse(op, diag)
    }

    /// Notes a point at which the context may be switched.
    pub(super) fn preempt(&mut self, op: Op) {
        let load = self.loads.list.last();
        let point = Preemption {
            before: self.ops.len() - load.map_or(0, |(_, _, from)| *from),
            level: NpuPreempt(op).level(self.module) as u8,
            op,
        };
        self.loads.preemptions.push((self.loads.list.len(), point));
    }

    /// The operations, by the device that is loaded while they are done.
    pub(super) fn into_regions(self) -> Vec<DeviceRegion> {
        let first = (None, self.first_device(), 0);
        let (mut ops, points) = (self.ops, self.loads.preemptions);
        let loads = self.loads.list.into_iter();
        let loads = loads.map(|(load, device, from)| (Some(load), device, from));
        let starts: Vec<_> = std::iter::once(first).chain(loads).collect();
        let mut spans = Vec::with_capacity(starts.len());
        for (loads, (load, device, from)) in starts.into_iter().enumerate().rev() {
            let ops = ops.split_off(from.min(ops.len()));
            let own = points.iter().filter(|(before, _)| *before == loads);
            let preemptions = own.map(|(_, point)| *point).collect();
            spans.push(DeviceRegion {
                device,
                load,
                ops,
                preemptions,
            });
        }
        spans.reverse();
        spans
    }
}

/// The device of a name.
///
/// # Errors
/// There is none; the caller reports the reference.
pub(crate) fn device_named(module: &Module, name: &str) -> Result<Device, Diag> {
    let devices = module.children::<Device>(module.top());
    let found = devices.iter().find(|d| d.name(module) == name).copied();
    found.ok_or_else(|| {
        let names = devices.iter().map(|d| format!("`@{}`", d.name(module)));
        let names: Vec<String> = names.collect();
        Diag::error(&NO_DEVICE, format!("there is no device `@{name}`"))
            .help(format!("devices of this module: {}", names.join(", ")))
    })
}
