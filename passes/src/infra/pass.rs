//! Declaration of passes: name, summary, postconditions, options, and a function on the module or on one device of it.

use aiec_aie::ir::{Module, Op};
use aiec_diag::{Diag, Diags, Reported, internal};
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
    /// The values that it may have.
    values: OptionValues,
}

/// The values that an option of a pass may have.
#[derive(Clone, Copy, Debug)]
enum OptionValues {
    /// Any text.
    Text,
    /// [`flag`].
    Flag,
    /// An integer in decimal.
    Number,
    /// One of these.
    OneOf(&'static [&'static str]),
}

impl OptionDef {
    /// An option of any text.
    pub const fn text(name: &'static str, default: &'static str, summary: &'static str) -> Self {
        OptionDef::new(name, default, summary, OptionValues::Text)
    }

    /// An option that is true or false.
    pub const fn flag(name: &'static str, default: bool, summary: &'static str) -> Self {
        let default = if default { "true" } else { "false" };
        OptionDef::new(name, default, summary, OptionValues::Flag)
    }

    /// An option that is an integer in decimal.
    pub const fn number(name: &'static str, default: &'static str, summary: &'static str) -> Self {
        OptionDef::new(name, default, summary, OptionValues::Number)
    }

    /// An option that is one of some names.
    pub const fn one_of(
        name: &'static str,
        default: &'static str,
        names: &'static [&'static str],
        summary: &'static str,
    ) -> Self {
        OptionDef::new(name, default, summary, OptionValues::OneOf(names))
    }

    const fn new(
        name: &'static str,
        default: &'static str,
        summary: &'static str,
        values: OptionValues,
    ) -> Self {
        OptionDef {
            name,
            default,
            summary,
            values,
        }
    }

    /// Checks a value that is given.
    ///
    /// # Errors
    ///
    /// What is wrong with it and what the option takes. The words for a name that isn't one of those are LLVM's, which
    /// tests of mlir-aie look for (`llvm: include/llvm/Support/CommandLine.h`, `parser::parse`).
    pub fn check(&self, value: &str) -> Result<(), String> {
        let name = self.name;
        match self.values {
            OptionValues::Flag if flag(value).is_none() => Err(format!(
                "option '{name}' takes true or false, not '{value}'"
            )),
            OptionValues::Number if value.parse::<i64>().is_err() => Err(format!(
                "option '{name}' takes a number in decimal, not '{value}'"
            )),
            OptionValues::OneOf(names) if !names.contains(&value) => {
                let names: Vec<&str> = names.iter().copied().filter(|n| !n.is_empty()).collect();
                let names = names.join(", ");
                Err(format!(
                    "for the --{name} option: Cannot find option named '{value}'! There are {names}"
                ))
            }
            _ => Ok(()),
        }
    }
}

/// The value of an option that is true or false.
pub(crate) fn flag(text: &str) -> Option<bool> {
    match text {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// A type of option values.
pub(crate) trait OptionValue: Sized {
    /// The value of a text that [`OptionDef::check`] accepts.
    fn parse(text: &str) -> Option<Self>;
}

impl OptionValue for bool {
    fn parse(text: &str) -> Option<bool> {
        flag(text)
    }
}

impl OptionValue for i64 {
    fn parse(text: &str) -> Option<i64> {
        text.parse().ok()
    }
}

impl OptionValue for String {
    fn parse(text: &str) -> Option<String> {
        Some(text.to_owned())
    }
}

/// The options of a pass as a struct; made by [`pass_options!`].
pub(crate) trait Options: Sized {
    /// The declarations, in the order of the help text.
    const DEFS: &'static [OptionDef];

    /// Reads the values of a run.
    fn read(context: &mut PassContext<'_>) -> Result<Self, Reported>;
}

/// Declares the options of a pass: a struct whose fields have the declarations of their options
/// after `=`. A pass with options has the form
/// `PassDef::of_module(NAME, |module, context| run(module, &context.options()?, context))`.
macro_rules! pass_options {
    ($(#[$meta:meta])* $vis:vis struct $Options:ident {
        $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $ty:ty = $def:expr),* $(,)?
    }) => {
        $(#[$meta])*
        $vis struct $Options {
            $($(#[$field_meta])* $field_vis $field: $ty),*
        }

        impl $crate::infra::pass::Options for $Options {
            const DEFS: &'static [$crate::infra::pass::OptionDef] = &[$($def),*];

            fn read(
                context: &mut $crate::infra::pass::PassContext<'_>,
            ) -> Result<Self, aiec_diag::Reported> {
                Ok($Options { $($field: context.value(&$def)?),* })
            }
        }
    };
}
pub(crate) use pass_options;

/// Scope of a pass.
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
    /// Postconditions, one line each.
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

    /// Sets the postconditions.
    pub const fn postconditions(mut self, lines: &'static [&'static str]) -> PassDef {
        self.postconditions = lines;
        self
    }

    /// Sets the options.
    pub const fn options(mut self, options: &'static [OptionDef]) -> PassDef {
        self.options = options;
        self
    }

    /// The value of a declared option: as given, or its default.
    pub(crate) fn option<'a>(&self, given: &'a PassOptions, name: &str) -> &'a str {
        let default = || self.options.iter().find(|option| option.name == name);
        match given.get(name) {
            Some(value) => value,
            None => default().map_or("", |option| option.default),
        }
    }
}

/// Context of a running pass: findings, statistics and options.
pub struct PassContext<'a> {
    /// The running pass's name, for [`Module::derived_loc`].
    pub pass: &'static str,
    /// Where findings go.
    pub diags: &'a mut Diags,
    /// Counters that the pass wants to show with `--timing`, in the order of first use.
    pub statistics: &'a mut IndexMap<&'static str, u64>,
    options: &'a PassOptions,
    def: &'static PassDef,
}

/// The options given to one pass, by name.
pub type PassOptions = IndexMap<String, String>;

impl<'a> PassContext<'a> {
    /// The context of one run of a pass.
    pub fn new(
        def: &'static PassDef,
        options: &'a PassOptions,
        diags: &'a mut Diags,
        statistics: &'a mut IndexMap<&'static str, u64>,
    ) -> PassContext<'a> {
        PassContext {
            pass: def.name,
            diags,
            statistics,
            options,
            def,
        }
    }

    /// Reads all options of the pass; a pass calls it once, before it does anything.
    ///
    /// # Errors
    ///
    /// An internal one if [`OptionDef::check`] didn't see a value.
    pub(crate) fn options<O: Options>(&mut self) -> Result<O, Reported> {
        O::read(self)
    }

    /// The value of one option; for [`pass_options!`].
    pub(crate) fn value<T: OptionValue>(&mut self, option: &OptionDef) -> Result<T, Reported> {
        let text = self.def.option(self.options, option.name);
        let value = T::parse(text);
        let broken = || internal!("option '{}' of {} is '{text}'", option.name, self.pass);
        value.ok_or_else(broken).map_err(|error| self.fail(error))
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
