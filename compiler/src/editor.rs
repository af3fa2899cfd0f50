//! `aiec lsp`: the language server of designs and control code, on the standard streams.

use std::io;
use std::path::Path;

use aiec_aie::ir::Module;
use aiec_diag::{Diags, FileId, SourceFile, SourceMap};
use aiec_lsp::{Analysis, Analyst};
use clap::Args;

use crate::analysis::{self, AnalysedDesign};
use crate::args::{CorePrograms, DesignArgs};
use crate::asm;
use crate::design_compiler::Compiler;
use crate::fmt;
use crate::io::{Exit, Io};
use crate::library::silently;
use crate::session::Session;

/// `aiec lsp`
#[derive(Args, Debug)]
#[command(mut_arg("diagnostics", |arg| arg.hide(true)))]
pub struct LspArgs {
    /// Messages are on the standard streams, as always; editors say so
    #[arg(long, hide = true)]
    pub stdio: bool,
    /// Options of the compilation
    #[command(flatten)]
    pub design: DesignArgs,
}

/// Serves an editor until it is done; the exit code.
pub fn run(args: &LspArgs, io: &mut Io<'_>) -> Exit {
    let analyst = CompilerAnalyst {
        design: &args.design,
    };
    match aiec_lsp::serve(io.stdin, io.stdout, &analyst) {
        Ok(()) => Exit::Done,
        Err(error) => {
            // A closed error stream stops nothing.
            let _ = writeln!(io.stderr, "error: {error}");
            Exit::BadInput
        }
    }
}

/// The compiler, for texts in memory.
pub struct CompilerAnalyst<'a> {
    /// Options by which designs are compiled.
    pub design: &'a DesignArgs,
}

impl Analyst for CompilerAnalyst<'_> {
    fn design(&self, path: &Path, text: &str, is_thorough: bool) -> Analysis {
        let mut session = Session::default();
        let core = (!is_thorough).then_some(CorePrograms::Model);
        let bytes = text.as_bytes().to_vec();
        let found = silently(&mut io::sink(), |io| {
            let mut compiler = Compiler::new(self.design, &mut session, io);
            analysis::design(path, bytes, core, &mut compiler)
        });
        let AnalysedDesign { parsed, routed } = found;
        let file = session.design_file.unwrap_or_default();
        found_in(session, file, (parsed, routed))
    }

    fn assembly(&self, path: &Path, text: &str) -> Analysis {
        let mut session = Session::default();
        // The findings say why it failed.
        let _ = asm::check_text(path, text.as_bytes().to_vec(), &mut session);
        found_in(session, FileId::default(), (None, None))
    }

    fn format(&self, text: &str) -> Option<String> {
        let mut sources = SourceMap::new();
        let file = sources.add(SourceFile::new("", text));
        fmt::formatted(file, &sources, &mut Diags::new()).ok()
    }
}

fn found_in(session: Session, file: FileId, modules: (Option<Module>, Option<Module>)) -> Analysis {
    let Session { sources, diags, .. } = session;
    Analysis {
        sources,
        file,
        diags: analysis::in_order(diags),
        parsed: modules.0,
        routed: modules.1,
    }
}
