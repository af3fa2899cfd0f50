//! Control code.
//! Source of the forms: `mlir-aie: include/aie/Dialect/AIEX/IR/CERTOps.td`.

use super::part::{Part::*, Syntax, T};
use super::region_style;
use super::sequence::ONLY_DICT;
use crate::ir::{Attr, Op};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, Stop, symbol_name};
use crate::text::print::Printer;

#[rustfmt::skip]
pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::parts(OpKind::CertSection, Rule::aiex_cert_section, &[Lit(" "), SymName, Region, Dict]),
    Syntax::parts(OpKind::CertPage, Rule::aiex_cert_page, &[Region, Dict]),
    Syntax::parts(OpKind::CertJob, Rule::aiex_cert_job, &[
        Lit("("), Int("job_id", T::I32), Lit(")"), Region, Dict,
    ]),
    Syntax::parts(OpKind::CertAttachToGroup, Rule::aiex_cert_attach_to_group, &[
        Lit("("), Int("group_id", T::I32), Lit(")"), Region, Dict,
    ]),
    Syntax::own(OpKind::CertUcDmaChain, Rule::aiex_cert_uc_dma_chain, parse_uc_chain, print_uc_chain),
    Syntax::parts(OpKind::CertUcDmaBd, Rule::aiex_cert_uc_dma_bd, &[
        Lit(" "), Sym("remote_address"), Lit(", "), Int("local_address", T::I32), Lit(", "),
        Int("length", T::I32), Lit(", "), Bool("next_bd"), Dict,
    ]),
    Syntax::parts(OpKind::CertWrite32, Rule::aiex_cert_write32, &[
        Lit("("), Int("address", T::UI32), Lit(", "), Int("value", T::UI32), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertMaskWrite32, Rule::aiex_cert_maskwrite32, &[
        Lit("("), Int("address", T::UI32), Lit(", "), Int("mask", T::UI32), Lit(", "), Int("value", T::UI32),
        Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertMaskPoll32, Rule::aiex_cert_mask_poll_32, &[
        Lit("("), Int("address", T::UI32), Lit(", "), Int("mask", T::UI32), Lit(", "), Int("value", T::UI32),
        Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertRead32, Rule::aiex_cert_read_32, &[
        Lit("("), Int("register", T::I32), Lit(", "), Int("address", T::UI32), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertAdd, Rule::aiex_cert_add, &[
        Lit("("), Int("register", T::I32), Lit(", "), Int("value", T::UI32), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertWrite32D, Rule::aiex_cert_write_32_d, &[
        Lit("("), Int("address", T::UI32), Lit(", "), Int("register", T::I32), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertApplyOffset57, Rule::aiex_cert_apply_offset_57, &[
        Lit("("), Sym("symbol"), Lit(", "), Int("num_entries", T::I16), Lit(", "), Int("offset", T::I16),
        Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertUcDmaWriteDesSync, Rule::aiex_cert_uc_dma_write_des_sync, &[
        Lit("("), Sym("symbol"), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertUcDmaWriteDes, Rule::aiex_cert_uc_dma_write_des, &[
        Lit("("), Int("wait_handle", T::I32), Lit(", "), Sym("symbol"), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertWaitUcDma, Rule::aiex_cert_wait_uc_dma, &[
        Lit("("), Int("wait_handle", T::I32), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertWaitTcts, Rule::aiex_cert_wait_tcts, &[
        Lit("("), Int("tile_id", T::I32), Lit(", "), Int("channel_id", T::I32), Lit(", "),
        Int("target_tcts", T::I32), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertLocalBarrier, Rule::aiex_cert_local_barrier, &[
        Lit("("), Int("local_barrier_id", T::I32), Lit(", "), Int("num_participants", T::I32), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertLaunchJob, Rule::aiex_cert_launch_job, &[
        Lit("("), Int("job_id", T::I32), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertRemoteBarrier, Rule::aiex_cert_remote_barrier, &[
        Lit("("), Int("remote_barrier_id", T::I32), Lit(", "), Int("party_mask", T::I32), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertLoadPdi, Rule::aiex_cert_load_pdi, &[
        Lit("("), Int("pdi_id", T::UI32), Lit(", "), Sym("symbol"), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertPreempt, Rule::aiex_cert_preempt, &[
        Lit("("), Int("id", T::I32), Lit(", "), Sym("save_section"), Lit(", "), Sym("restore_section"),
        Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CertNop, Rule::aiex_cert_nop, ONLY_DICT),
];

fn parse_uc_chain(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    if let Some(name) = p.fields.take(Rule::symbol) {
        p.build
            .attr("sym_name", Attr::str(symbol_name(name.as_str())));
    }
    let op = p.create()?;
    p.parser
        .region(op, &[], region_style(OpKind::CertUcDmaChain))?;
    p.parser.trailing_dict(op)?;
    Ok(op)
}

fn print_uc_chain(printer: &mut Printer<'_>, op: Op) {
    if let Some(name) = printer.m.str_attr(op, "sym_name") {
        printer.text(" ");
        printer.symbol(name);
    }
    printer.text(" ");
    printer.region(op, 0);
    printer.dict(op, &["sym_name"]);
}
