//! Functions in a language. Both have the same functions of numbers in front, so that expressions look alike.

use aiec_npu::txn::Transaction;
use aiec_npu::words;
use rustc_hash::FxHashSet;

use super::{
    Branch, Computation, Notation, Number, ProgramWord, SequenceProgram, Statement, ValueId,
    WordField,
};

/// Functions of numbers that come before the others.
const CPP_PRELUDE: &str = include_str!("prelude.hpp");
const PYTHON_PRELUDE: &str = include_str!("prelude.py");

/// A language of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C++17, without headers but those of the language.
    Cpp,
    /// Python 3, without packages.
    Python,
}

impl Language {
    /// Ends a statement.
    fn end(self) -> &'static str {
        match self {
            Language::Cpp => ";",
            Language::Python => "",
        }
    }

    /// A function of numbers.
    fn function(self, name: &str) -> String {
        match self {
            Language::Cpp => format!("aiec_sequence::{name}"),
            Language::Python => format!("_{name}"),
        }
    }

    /// A choice between two numbers.
    fn choice(self, condition: &str, yes: &str, no: &str) -> String {
        match self {
            Language::Cpp => format!("({condition}) ? {yes} : {no}"),
            Language::Python => format!("{yes} if {condition} else {no}"),
        }
    }

    /// Opens the body of a statement.
    fn opened(self, head: &str) -> String {
        match self {
            Language::Cpp => format!("{head} {{"),
            Language::Python => format!("{head}:"),
        }
    }

    fn quoted(self, text: &str) -> String {
        let mut quoted = String::from("\"");
        for c in text.chars() {
            match c {
                '"' | '\\' => quoted.extend(['\\', c]),
                ' '..='~' => quoted.push(c),
                // Escapes of both languages differ: nothing else is in a message of one line.
                _ => quoted.push('?'),
            }
        }
        quoted.push('"');
        quoted
    }
}

/// Writes functions with what they need.
pub(super) fn write(programs: &[SequenceProgram], language: Language) -> String {
    let (comment, prelude) = match language {
        Language::Cpp => ("//", CPP_PRELUDE),
        Language::Python => ("#", PYTHON_PRELUDE),
    };
    let mut text = format!(
        "{comment} Written by aiec: functions that write the transactions of runtime sequences for \
         Ryzen AI's firmware.\n{prelude}"
    );
    for program in programs {
        let mut writer = FunctionWriter {
            language,
            used: &program.used,
            text: String::new(),
            depth: 1,
        };
        text.push_str(if language == Language::Python {
            "\n\n"
        } else {
            "\n"
        });
        text.push_str(&writer.head(program));
        writer.prologue(program);
        writer.statements(&program.statements);
        text.push_str(&writer.text);
        text.push_str(match language {
            Language::Cpp => "  return transaction.finish();\n}\n",
            Language::Python => "    return transaction.finish()\n",
        });
    }
    text
}

struct FunctionWriter<'a> {
    language: Language,
    used: &'a FxHashSet<ValueId>,
    text: String,
    depth: usize,
}

impl FunctionWriter<'_> {
    fn line(&mut self, line: &str) {
        let width = match self.language {
            Language::Cpp => 2,
            Language::Python => 4,
        };
        self.text.push_str(&" ".repeat(width * self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn head(&self, program: &SequenceProgram) -> String {
        let parameters = program.parameters.iter().map(|parameter| {
            let name = format!("arg{}", parameter.argument);
            match (self.language, parameter.bits) {
                (Language::Python, _) => name,
                (_, bits) => {
                    let ty = match bits {
                        None => "double",
                        Some(1) => "bool",
                        Some(2..=32) => "int32_t",
                        Some(_) => "int64_t",
                    };
                    let value = parameter.value;
                    if value.is_some_and(|value| program.used.contains(&value)) {
                        format!("{ty} {name}")
                    } else {
                        format!("{ty} /* {name} */")
                    }
                }
            }
        });
        let parameters: Vec<String> = parameters.collect();
        let (name, parameters) = (&program.name, parameters.join(", "));
        match self.language {
            Language::Cpp => {
                format!("inline std::optional<std::vector<uint32_t>> {name}({parameters}) {{\n")
            }
            Language::Python => format!("def {name}({parameters}):\n"),
        }
    }

    fn prologue(&mut self, program: &SequenceProgram) {
        let header = Transaction::new(program.header, []).write();
        let words = words(&header).into_iter();
        let words = words.map(|word| format!("{word:#010x}"));
        let words = words.collect::<Vec<_>>().join(", ");
        match self.language {
            Language::Cpp => self.line(&format!(
                "aiec_sequence::Transaction transaction{{{{{words}}}}};"
            )),
            Language::Python => self.line(&format!("transaction = _Transaction([{words}])")),
        }
        for (at, pool) in program.pools.iter().enumerate() {
            let free = pool.free.iter().map(u8::to_string);
            let (free, tile) = (free.collect::<Vec<_>>().join(", "), pool.tile);
            self.line(&match self.language {
                Language::Cpp => {
                    format!("aiec_sequence::Pool pool{at}{{{{{free}}}}}; // tile {tile}")
                }
                Language::Python => format!("pool{at} = [{free}]  # tile {tile}"),
            });
        }
        for parameter in &program.parameters {
            if let (Some(value), Some(bits)) = (parameter.value, parameter.bits)
                && self.used.contains(&value)
            {
                let argument = match self.language {
                    Language::Cpp => format!("uint64_t(arg{})", parameter.argument),
                    Language::Python => format!("int(arg{})", parameter.argument),
                };
                let low = self.language.function("low");
                self.declare(value, &format!("{low}({argument}, {bits})"));
            }
        }
    }

    fn declare(&mut self, value: ValueId, expression: &str) {
        match self.language {
            Language::Cpp => self.line(&format!("uint64_t v{value} = {expression};")),
            Language::Python => self.line(&format!("v{value} = {expression}")),
        }
    }

    /// Declares a value that changes, and that nothing may use.
    fn variable(&mut self, value: ValueId, start: Number) {
        if self.language == Language::Cpp && !self.used.contains(&value) {
            self.line(&format!(
                "[[maybe_unused]] uint64_t v{value} = {};",
                self.number(start)
            ));
        } else {
            let start = self.number(start);
            self.declare(value, &start);
        }
    }

    fn assign(&mut self, value: ValueId, number: Number) {
        let line = format!("v{value} = {}{}", self.number(number), self.language.end());
        self.line(&line);
    }

    fn number(&self, number: Number) -> String {
        match (number, self.language) {
            (Number::Value(value), _) => format!("v{value}"),
            (Number::Known(n), Language::Cpp) => format!("uint64_t({n}u)"),
            (Number::Known(n), Language::Python) => n.to_string(),
        }
    }

    fn computation(&self, computation: Computation) -> String {
        let language = self.language;
        let call = |name: &str, arguments: &[String]| {
            format!("{}({})", language.function(name), arguments.join(", "))
        };
        match computation {
            Computation::Binary(notation, a, b, bits) => {
                let (a, b) = (self.number(a), self.number(b));
                match notation {
                    Notation::Sign(sign) => format!("{a} {sign} {b}"),
                    Notation::Function(name) => call(name, &[a, b, bits.to_string()]),
                }
            }
            Computation::Compare(predicate, a, b, bits) => {
                let (is_signed, sign) = comparison(predicate);
                let read = |n: Number| {
                    if is_signed {
                        call("sint", &[self.number(n), bits.to_string()])
                    } else {
                        self.number(n)
                    }
                };
                let condition = format!("{} {sign} {}", read(a), read(b));
                language.choice(&condition, "1", "0")
            }
            Computation::Select(condition, yes, no) => {
                let (yes, no) = (self.number(yes), self.number(no));
                language.choice(&self.number(condition), &yes, &no)
            }
            Computation::Signed(n, from, to) => {
                let read = call("sint", &[self.number(n), from.to_string()]);
                let read = match language {
                    Language::Cpp => format!("uint64_t({read})"),
                    Language::Python => read,
                };
                call("low", &[read, to.to_string()])
            }
            Computation::Low(n, bits) => call("low", &[self.number(n), bits.to_string()]),
        }
    }

    fn word(&self, word: &ProgramWord) -> String {
        let field = |field: &WordField| {
            let WordField {
                value,
                right,
                mask,
                left,
            } = field;
            let name = self.language.function("field");
            format!("{name}(v{value}, {right}, {mask:#x}, {left})")
        };
        let mut parts = Vec::new();
        if word.known != 0 || word.fields.is_empty() {
            parts.push(format!("{:#x}", word.known));
        }
        parts.extend(word.fields.iter().map(field));
        parts.join(" | ")
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let language = self.language;
        match statement {
            Statement::Set(value, computation) => {
                let expression = self.computation(*computation);
                self.declare(*value, &expression);
            }
            Statement::Append(words) => {
                let words: Vec<String> = words.iter().map(|word| self.word(word)).collect();
                let words = words.join(", ");
                self.line(&match language {
                    Language::Cpp => format!("transaction.append({{{words}}});"),
                    Language::Python => format!("transaction.append({words})"),
                });
            }
            Statement::Require(condition, message) => {
                let (condition, message) = (self.number(*condition), language.quoted(message));
                match language {
                    Language::Cpp => self.line(&format!(
                        "if (!{condition}) return aiec_sequence::refused({message});"
                    )),
                    Language::Python => {
                        self.line(&format!("if not {condition}:"));
                        self.line(&format!("    raise ValueError({message})"));
                    }
                }
            }
            Statement::Pop(pool, value) => {
                let message = language.quoted("no buffer descriptor is free");
                match language {
                    Language::Cpp => {
                        self.variable(*value, Number::Known(0));
                        self.line(&format!(
                            "if (!pool{pool}.pop(v{value})) return aiec_sequence::refused({message});"
                        ));
                    }
                    Language::Python => {
                        self.line(&format!("if not pool{pool}:"));
                        self.line(&format!("    raise ValueError({message})"));
                        self.line(&format!("v{value} = pool{pool}.pop(0)"));
                    }
                }
            }
            Statement::Push(pool, id) => {
                let id = self.number(*id);
                self.line(&match language {
                    Language::Cpp => format!("pool{pool}.push({id});"),
                    Language::Python => format!("pool{pool}.append({id})"),
                });
            }
            Statement::For {
                index,
                bits,
                is_signed,
                from,
                until,
                step,
                carried,
                body,
            } => {
                for (value, start) in carried {
                    self.variable(*value, *start);
                }
                let (from, step) = (self.number(*from), self.number(*step));
                let rounds = format!(
                    "{}({from}, {}, {step}, {bits}, {})",
                    language.function("rounds"),
                    self.number(*until),
                    u8::from(*is_signed)
                );
                self.line(&language.opened(&match language {
                    Language::Cpp => format!(
                        "for (uint64_t r{index} = 0, n{index} = {rounds}; r{index} < n{index}; ++r{index})"
                    ),
                    Language::Python => format!("for r{index} in range({rounds})"),
                }));
                self.depth += 1;
                let at = format!(
                    "{}({from} + r{index} * {step}, {bits})",
                    language.function("low")
                );
                if self.used.contains(index) {
                    self.declare(*index, &at);
                }
                self.statements(&body.statements);
                // All are read before the first is written.
                for (n, value) in body.values.iter().enumerate().take(carried.len()) {
                    let value = self.number(*value);
                    self.line(&match language {
                        Language::Cpp => format!("const uint64_t next{n} = {value};"),
                        Language::Python => format!("next{n} = {value}"),
                    });
                }
                for (n, (value, _)) in carried.iter().enumerate().take(body.values.len()) {
                    self.line(&format!("v{value} = next{n}{}", language.end()));
                }
                self.close();
            }
            Statement::If {
                condition,
                then,
                otherwise,
                results,
            } => {
                for value in results {
                    self.variable(*value, Number::Known(0));
                }
                let condition = self.number(*condition);
                let head = match language {
                    Language::Cpp => format!("if ({condition})"),
                    Language::Python => format!("if {condition}"),
                };
                self.line(&language.opened(&head));
                self.branch(then, results);
                if *otherwise != Branch::default() {
                    self.line(&language.opened("else"));
                    self.branch(otherwise, results);
                }
            }
        }
    }

    fn branch(&mut self, branch: &Branch, results: &[ValueId]) {
        self.depth += 1;
        self.statements(&branch.statements);
        for (value, number) in results.iter().zip(&branch.values) {
            self.assign(*value, *number);
        }
        if self.language == Language::Python && branch.statements.is_empty() && results.is_empty() {
            self.line("pass");
        }
        self.close();
    }

    fn close(&mut self) {
        self.depth -= 1;
        if self.language == Language::Cpp {
            self.line("}");
        }
    }
}

/// Whether a predicate of `arith.cmpi` reads signs, and its operator
/// (`mlir: include/mlir/Dialect/Arith/IR/ArithBase.td`).
fn comparison(predicate: i64) -> (bool, &'static str) {
    match predicate {
        0 => (false, "=="),
        1 => (false, "!="),
        2 => (true, "<"),
        3 => (true, "<="),
        4 => (true, ">"),
        5 => (true, ">="),
        6 => (false, "<"),
        7 => (false, "<="),
        8 => (false, ">"),
        // The reader admits 0 to 9.
        _ => (false, ">="),
    }
}
