//! Operations that are read only inside certain others, however deep: elsewhere no pass looks for
//! them, and they would be dropped without a word.

use super::{Context, codes};
use crate::ir::Op;
use crate::ops::{OpKind, Traits};

/// The operation that must enclose another, and its name in messages.
struct Enclosing {
    /// One of these must be around the operation.
    kinds: &'static [OpKind],
    /// Where the operation has no meaning.
    message: &'static str,
    /// The way out.
    help: &'static str,
}

/// Streams, cascades and the like belong to a core, or to a function that one calls.
const IN_CORE: Enclosing = Enclosing {
    kinds: &[OpKind::Core, OpKind::FuncFunc],
    message: "is outside of a core",
    help: "put it into an aie.core",
};

const IN_DMA_PROGRAM: Enclosing = Enclosing {
    kinds: &[
        OpKind::Mem,
        OpKind::MemTileDma,
        OpKind::ShimDma,
        OpKind::BdChain,
        OpKind::DmaConfigureTask,
        OpKind::DmaConfigureTaskFor,
    ],
    message: "is outside of a DMA program",
    help: "put it into an aie.mem, aie.memtile_dma, aie.shim_dma or a DMA task",
};

const IN_LOCK_USER: Enclosing = Enclosing {
    kinds: &[
        OpKind::Core,
        OpKind::FuncFunc,
        OpKind::Mem,
        OpKind::MemTileDma,
        OpKind::ShimDma,
        OpKind::BdChain,
        OpKind::DmaConfigureTask,
        OpKind::DmaConfigureTaskFor,
    ],
    message: "is outside of a program",
    help: "put it into an aie.core or a DMA program",
};

const IN_SEQUENCE: Enclosing = Enclosing {
    kinds: &[OpKind::RuntimeSequence],
    message: "is outside of a runtime sequence, where nothing runs it",
    help: "put it into an aie.runtime_sequence; one that is written as a func.func, the form \
           before mid-2024, becomes `aie.runtime_sequence @name(…) { … }` without the return",
};

fn enclosing(kind: OpKind) -> Option<&'static Enclosing> {
    use OpKind::*;
    Some(match kind {
        Event
        | Debug
        | GetStream
        | PutStream
        | GetCascade
        | PutCascade
        | ObjectFifoAcquire
        | ObjectFifoRelease
        | ObjectFifoSubviewAccess => &IN_CORE,
        DmaBd | DmaBdPacket | DmaStart | NextBd => &IN_DMA_PROGRAM,
        UseLock => &IN_LOCK_USER,
        NpuDmaMemcpyNd
        | NpuDmaWait
        | NpuRtpWrite
        | NpuPushQueue
        | NpuWrite32
        | NpuMaskWrite32
        | NpuMaskPoll
        | NpuReadReg
        | NpuBlockWrite
        | NpuSync
        | NpuAddressPatch
        | NpuPreempt
        | NpuLoadPdi
        | NpuWriteConfig
        | NpuWriteBd
        | NpuCreateScratchpad
        | NpuUpdateFromScratchpad
        | NpuAssertBdField
        | NpuAssertBdDivisible
        | DmaConfigureTask
        | DmaConfigureTaskFor
        | DmaStartTask
        | DmaAwaitTask
        | DmaFreeTask
        | DmaStartBdChain
        | DmaStartBdChainFor
        | DmaBdPoolPop
        | DmaBdPoolPush
        | SetLock
        | DmaChannelReset
        | DmaChannelResetFor
        | CoreReset
        | Configure
        | Run
        | SyncScratchpadParametersFromHost
        | TraceStartConfig
        | TraceHostConfig => &IN_SEQUENCE,
        _ => return None,
    })
}

pub(super) fn check(cx: &mut Context<'_>) {
    let m = cx.module;
    for op in m.walk(cx.device).collect::<Vec<_>>() {
        if cx.is_bad(op) {
            continue;
        }
        if let Some(rule) = enclosing(m.kind(op)) {
            is_enclosed(cx, op, rule);
        }
        only_read_operations(cx, op);
    }
}

fn is_enclosed(cx: &mut Context<'_>, op: Op, rule: &Enclosing) {
    let m = cx.module;
    let mut at = m.parent_op(op);
    let direct = at.map(|op| m.kind(op));
    while let Some(outer) = at {
        let kind = m.kind(outer);
        if rule.kinds.contains(&kind) || kind == OpKind::Unknown {
            return;
        }
        at = m.parent_op(outer);
    }
    // Reported as mlir-aie does.
    let reported = matches!(m.kind(op), OpKind::UseLock)
        && matches!(direct, Some(OpKind::Device | OpKind::BuiltinModule))
        || matches!(
            m.kind(op),
            OpKind::ObjectFifoAcquire | OpKind::ObjectFifoRelease
        );
    if reported {
        return;
    }
    let message = format!("`{}` {}", m.op_name(op), rule.message);
    match m.kind(op) {
        OpKind::GetStream | OpKind::PutStream | OpKind::GetCascade | OpKind::PutCascade => {
            let text = "expects parent op 'aie.core'";
            cx.shared(op, &codes::PARENT, (message, rule.help), text);
        }
        _ => cx.problem(op, &codes::PARENT, message, rule.help),
    }
}

/// DMA programs and devices are descriptions: an operation in them that would have to be executed
/// never is.
fn only_read_operations(cx: &mut Context<'_>, op: Op) {
    use OpKind::*;
    let m = cx.module;
    let described = matches!(
        m.kind(op),
        Device
            | Mem
            | MemTileDma
            | ShimDma
            | Dma
            | BdChain
            | DmaConfigureTask
            | DmaConfigureTaskFor
    );
    if !described {
        return;
    }
    for inner in m.ops_inside(op) {
        let kind = m.kind(inner);
        let name = m.op_name(inner);
        let executed = kind != Unknown
            && !name.starts_with("aie.")
            && !name.starts_with("aiex.")
            && ![Traits::PURE, Traits::TERMINATOR, Traits::SYMBOL]
                .iter()
                .any(|t| kind.has(*t))
            && kind != BuiltinModule;
        if executed {
            let message = format!("nothing executes `{name}` in `{}`", m.op_name(op));
            let help = "computing is for aie.core and aie.runtime_sequence: move it there";
            cx.problem(inner, &codes::PARENT, message, help);
        }
    }
}
