//! BD chains that are declared once and started with arguments.

use aiec_aie::ir::{Op, Value};
use aiec_aie::ops::{BdChain, DmaStartBdChain, DmaStartBdChainFor, OpView};
use aiec_diag::Diag;

use super::codes::*;
use super::tasks::TaskRequest;
use super::values::KnownValue;
use super::{Lowering, LoweringResult};

impl Lowering<'_> {
    /// Configures and starts a task of the chain's BDs.
    pub(super) fn start_chain(&mut self, op: Op) -> LoweringResult {
        let module = self.module;
        let count = module.num_operands(op);
        let (name, channel, packet, args) = if let Some(start) = DmaStartBdChain::cast(module, op) {
            // The tile is the last operand.
            let args = count.saturating_sub(1);
            let tile = self.tile_operand(op, args)?;
            let number = start.channel(module).into();
            let channel = self.channel(tile, start.direction(module), number, op)?;
            (start.symbol(module), channel, None, args)
        } else {
            let start = DmaStartBdChainFor(op);
            let (channel, allocation) = self.allocation(&start.alloc(module), op)?;
            (
                start.symbol(module),
                channel,
                allocation.packet(module),
                count,
            )
        };
        let declared = self.symbols.get(&name);
        let Some(declared) = declared.and_then(|op| BdChain::cast(module, op)) else {
            let diag = Diag::error(&BAD_TASK, format!("there is no BD chain `@{name}`"))
                .help("declare it with `aie.bd_chain` in the device");
            return self.refuse(op, diag);
        };
        let entry = module.entry(declared.op(), 0);
        if let Some(entry) = entry {
            let parameters: Vec<Value> = module.block_args(entry).to_vec();
            if parameters.len() != args {
                let message = format!("`@{name}` takes {} arguments, not {args}", parameters.len());
                let diag = Diag::error(&BAD_TASK, message)
                    .label(module.span(op), "started here")
                    .label(module.span(declared.op()), "declared here")
                    .help("pass one value for each parameter");
                return self.refuse(op, diag);
            }
            let values: Vec<Value> = module.operands(op).take(args).collect();
            let mut known = Vec::with_capacity(values.len());
            for value in values {
                known.push(match module.ty(value).as_memref() {
                    Some(_) => Some(KnownValue::Memory(self.place(Some(value), op)?)),
                    None => self.values.get(module, value),
                });
            }
            self.bind(&parameters, &known);
        }
        let request = TaskRequest {
            channel,
            entry,
            repeat: module.int_attr(op, "repeat_count").unwrap_or(0),
            token: module.flag(op, "issue_token"),
            packet,
            interleaved: Vec::new(),
            head: None,
        };
        let task = self.new_task(op, request)?;
        if let Some(result) = module.result(op, 0) {
            self.values.set(result, KnownValue::Task(task));
        }
        self.start(op, task)
    }
}
