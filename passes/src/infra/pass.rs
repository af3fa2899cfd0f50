//! What a pass is: a declaration, and a function on the module or on one device of it.

use aiec_aie::ir::{Module, Op};
use aiec_diag::{Diag, Diags, Reported};
use indexmap::IndexMap;

/// An option of a pass, as `--PASS=name=value` or `--PASS="name=value other=value"` give it.
#[derive(Clone, Copy, Debug)]
pub struct OptionDef {
    /// Its name.
    pub name: &'static str,
    /// Its value when it isn't given.
    pub default: &'static str,
    /// One line for the help text.
    pub summary: &'static str,
}

/// What a pass works on.
#[derive(Clone, Copy)]
pub enum PassScope {
    /// The whole module, once.
    Module(fn(&mut Module, &mut PassContext<'_>) -> Result<(), Reported>),
    /// Each `aie.device`, in textual order.
    Device(fn(&mut Module, Op, &mut PassContext<'_>) -> Result<(), Reported>),
    /// Another pass, run before, does most of this work and takes this one's options; the function
    /// does the rest.
    PartOf(
        &'static PassDef,
        fn(&mut Module, &mut PassContext<'_>) -> Result<(), Reported>,
    ),
}

/// The declaration of a pass: a row of [`crate::pipelines`].
#[derive(Clone, Copy)]
pub struct PassDef {
    /// Name on the command line, mlir-aie's where a pass does the same job.
    pub name: &'static str,
    /// One line for the help text.
    pub summary: &'static str,
    /// What holds afterwards, one line each.
    pub postconditions: &'static [&'static str],
    /// Its options.
    pub options: &'static [OptionDef],
    /// Does it.
    pub run: PassScope,
}

impl PassDef {
    /// A pass on each device, without options yet.
    pub const fn of_device(
        name: &'static str,
        run: fn(&mut Module, Op, &mut PassContext<'_>) -> Result<(), Reported>,
    ) -> PassDef {
        PassDef::new(name, PassScope::Device(run))
    }

    /// A pass on the whole module, without options yet.
    pub const fn of_module(
        name: &'static str,
        run: fn(&mut Module, &mut PassContext<'_>) -> Result<(), Reported>,
    ) -> PassDef {
        PassDef::new(name, PassScope::Module(run))
    }

    const fn new(name: &'static str, run: PassScope) -> PassDef {
        PassDef {
            name,
            summary: "",
            postconditions: &[],
            options: &[],
            run,
        }
    }

    /// Sets the line for the help text.
    pub const fn summary(mut self, summary: &'static str) -> PassDef {
        self.summary = summary;
        self
    }

    /// Sets what holds afterwards.
    pub const fn postconditions(mut self, lines: &'static [&'static str]) -> PassDef {
        self.postconditions = lines;
        self
    }

    /// Sets the options.
    pub const fn options(mut self, options: &'static [OptionDef]) -> PassDef {
        self.options = options;
        self
    }
}

/// What a running pass sees beside the module.
pub struct PassContext<'a> {
    /// The running pass's name, for [`Module::derived_loc`].
    pub pass: &'static str,
    /// Where findings go.
    pub diags: &'a mut Diags,
    /// Counters that the pass wants to show with `--timing`, in the order of first use.
    pub statistics: &'a mut IndexMap<&'static str, u64>,
    options: &'a PassOptions,
    defs: &'static [OptionDef],
}

/// The options given to one pass, by name.
pub type PassOptions = IndexMap<String, String>;

impl<'a> PassContext<'a> {
    /// The context of one run of a pass.
    pub fn new(
        def: &PassDef,
        options: &'a PassOptions,
        diags: &'a mut Diags,
        statistics: &'a mut IndexMap<&'static str, u64>,
    ) -> PassContext<'a> {
        PassContext {
            pass: def.name,
            diags,
            statistics,
            options,
            defs: def.options,
        }
    }

    /// The value of a declared option: as given, or its default.
    pub fn option(&self, name: &str) -> &str {
        let given = self.options.get(name).map(String::as_str);
        let default = || {
            self.defs
                .iter()
                .find(|d| d.name == name)
                .map_or("", |d| d.default)
        };
        given.unwrap_or_else(default)
    }

    /// A boolean option: `true`, `1` or nothing after the name mean yes.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.option(name), "true" | "1" | "yes" | "on")
    }

    /// Adds a finding.
    pub fn report(&mut self, diag: Diag) {
        self.diags.push(diag);
    }

    /// Adds a finding that ends the pass.
    pub fn fail(&mut self, diag: impl Into<Diag>) -> Reported {
        self.diags.fail(diag)
    }

    /// Counts something for the statistics.
    pub fn count(&mut self, what: &'static str, n: u64) {
        *self.statistics.entry(what).or_default() += n;
    }
}
