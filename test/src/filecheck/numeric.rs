//! Numeric substitution blocks: `[[#X:]]`, `[[#X+1]]`, `[[#%.8x,ADDR:]]`, `[[@LINE+1]]`.

use std::collections::BTreeMap;

/// The variables known so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    pub strings: BTreeMap<String, String>,
    pub numbers: BTreeMap<String, Value>,
}

impl Variables {
    /// Forgets the variables whose name does not start with `$`.
    pub fn clear_local(&mut self) {
        self.strings.retain(|name, _| name.starts_with('$'));
        self.numbers.retain(|name, _| name.starts_with('$'));
    }
}

/// Written form of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    base: Base,
    /// Least number of digits; `None` for no leading zeros.
    precision: Option<usize>,
    /// Whether `0x` is before the digits.
    alternate: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Unsigned,
    Signed,
    HexLower,
    HexUpper,
}

impl Format {
    const DEFAULT: Format = Format {
        base: Base::Unsigned,
        precision: None,
        alternate: false,
    };

    /// Reads the text between `%` and the comma.
    fn parse(text: &str) -> Result<Format, String> {
        let wrong = || format!("invalid format specifier '%{text}'");
        let (flags, base) = text
            .split_at_checked(text.len().wrapping_sub(1))
            .ok_or_else(wrong)?;
        let base = match base {
            "u" => Base::Unsigned,
            "d" => Base::Signed,
            "x" => Base::HexLower,
            "X" => Base::HexUpper,
            _ => return Err(wrong()),
        };
        let alternate = flags.starts_with('#');
        if alternate && !matches!(base, Base::HexLower | Base::HexUpper) {
            return Err("'#' is only for hexadecimal formats".into());
        }
        let precision = match flags.trim_start_matches('#') {
            "" => None,
            rest => {
                let digits = rest.strip_prefix('.').ok_or_else(wrong)?;
                Some(digits.parse().map_err(|_| wrong())?)
            }
        };
        Ok(Format {
            base,
            precision,
            alternate,
        })
    }

    /// The regex that any number of this format matches.
    fn wildcard(self) -> String {
        let (digit, nonzero) = match self.base {
            Base::Unsigned | Base::Signed => ("[0-9]", "[1-9]"),
            Base::HexLower => ("[0-9a-f]", "[1-9a-f]"),
            Base::HexUpper => ("[0-9A-F]", "[1-9A-F]"),
        };
        let sign = if self.base == Base::Signed { "-?" } else { "" };
        let prefix = if self.alternate { "0x" } else { "" };
        match self.precision {
            None | Some(0) => format!("{sign}{prefix}{digit}+"),
            Some(n) => format!("{sign}{prefix}(?:{nonzero}{digit}*)?{digit}{{{n}}}"),
        }
    }

    /// The text of a number; `None` if the format cannot hold it.
    fn print(self, number: i128) -> Option<String> {
        let magnitude = number.unsigned_abs();
        let digits = match self.base {
            Base::Unsigned | Base::Signed => format!("{magnitude}"),
            Base::HexLower => format!("{magnitude:x}"),
            Base::HexUpper => format!("{magnitude:X}"),
        };
        let sign = match (self.base, number < 0) {
            (_, false) => "",
            (Base::Signed, true) => "-",
            _ => return None,
        };
        let prefix = if self.alternate { "0x" } else { "" };
        let width = self.precision.unwrap_or(0);
        Some(format!("{sign}{prefix}{digits:0>width$}"))
    }

    /// The number that a text matched by [`Format::wildcard`] denotes.
    fn read(self, text: &str) -> Option<i128> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let text = if self.alternate {
            text.strip_prefix("0x")?
        } else {
            text
        };
        let radix = if matches!(self.base, Base::Unsigned | Base::Signed) {
            10
        } else {
            16
        };
        let magnitude = i128::from_str_radix(text, radix).ok()?;
        Some(if negative { -magnitude } else { magnitude })
    }
}

/// The value of a numeric variable, with the format it is printed in by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub number: i128,
    pub format: Format,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Expression {
    Literal(i128),
    Line,
    Variable(String),
    Binary(Operator, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Minimum,
    Maximum,
}

const FUNCTIONS: [(&str, Operator); 6] = [
    ("add", Operator::Add),
    ("sub", Operator::Subtract),
    ("mul", Operator::Multiply),
    ("div", Operator::Divide),
    ("min", Operator::Minimum),
    ("max", Operator::Maximum),
];

/// A numeric substitution block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Numeric {
    /// The variable it sets.
    pub defines: Option<String>,
    format: Option<Format>,
    expression: Option<Expression>,
}

impl Numeric {
    /// Reads the text between `[[#` and `]]`.
    pub fn parse(text: &str) -> Result<Numeric, String> {
        let mut rest = text.trim();
        let mut format = None;
        if let Some(after) = rest.strip_prefix('%') {
            let (specifier, after) = after.split_once(',').unwrap_or((after, ""));
            format = Some(Format::parse(specifier.trim())?);
            rest = after.trim_start();
        }
        let mut defines = None;
        if let Some((name, after)) = rest.split_once(':') {
            let name = name.trim();
            if !is_variable(name) {
                return Err(format!(
                    "invalid name '{name}' in numeric variable definition"
                ));
            }
            defines = Some(name.to_string());
            rest = after.trim_start();
        }
        rest = rest.strip_prefix("==").map_or(rest, str::trim_start);
        let expression = if rest.is_empty() {
            None
        } else {
            Some(parse_expression(rest)?)
        };
        Ok(Numeric {
            defines,
            format,
            expression,
        })
    }

    /// Reads the text of the old spelling `[[@LINE+1]]`, from the `@` on.
    pub fn parse_line(text: &str) -> Result<Numeric, String> {
        Ok(Numeric {
            defines: None,
            format: None,
            expression: Some(parse_expression(text)?),
        })
    }

    /// The names of the variables used.
    pub fn uses(&self) -> Vec<&str> {
        fn walk<'a>(expression: &'a Expression, names: &mut Vec<&'a str>) {
            match expression {
                Expression::Variable(name) => names.push(name),
                Expression::Binary(_, left, right) => {
                    walk(left, names);
                    walk(right, names);
                }
                Expression::Literal(_) | Expression::Line => {}
            }
        }
        let mut names = Vec::new();
        if let Some(expression) = &self.expression {
            walk(expression, &mut names);
        }
        names
    }

    /// Whether the text it matches depends on variables.
    pub fn is_fixed(&self) -> bool {
        self.uses().is_empty()
    }

    /// The regex to match and the format to read the match with. `line` is the 1-based line of
    /// the directive.
    pub fn regex(&self, variables: &Variables, line: usize) -> Result<(String, Format), String> {
        match &self.expression {
            None => {
                let format = self.format.unwrap_or(Format::DEFAULT);
                Ok((format.wildcard(), format))
            }
            Some(expression) => {
                let (number, implied) = evaluate(expression, &variables.numbers, line)?;
                let format = self.format.or(implied).unwrap_or(Format::DEFAULT);
                let text = format
                    .print(number)
                    .ok_or_else(|| format!("{number} cannot be printed in an unsigned format"))?;
                Ok((fancy_regex::escape(&text).into_owned(), format))
            }
        }
    }
}

/// The value read from a match.
pub(super) fn read(text: &str, format: Format) -> Option<Value> {
    format.read(text).map(|number| Value { number, format })
}

/// Evaluates a definition from the command line; `name` may start with a format (`%x,N`).
pub(super) fn define(
    name: &str,
    value: &str,
    known: &[(String, Value)],
) -> Result<(String, Value), String> {
    let (format, name) = match name.strip_prefix('%') {
        Some(rest) => {
            let (format, name) = rest.split_once(',').ok_or("',' missing after the format")?;
            (Some(Format::parse(format)?), name.trim())
        }
        None => (None, name),
    };
    if !is_variable(name) {
        return Err(format!("invalid variable name '{name}'"));
    }
    let known = known.iter().cloned().collect();
    let (number, implied) = evaluate(&parse_expression(value)?, &known, 0)?;
    let format = format.or(implied).unwrap_or(Format::DEFAULT);
    Ok((name.to_string(), Value { number, format }))
}

/// Whether a text is a variable's name (`$` first for a global one).
pub(super) fn is_variable(name: &str) -> bool {
    let name = name.strip_prefix('$').unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn evaluate(
    expression: &Expression,
    numbers: &std::collections::BTreeMap<String, Value>,
    line: usize,
) -> Result<(i128, Option<Format>), String> {
    match expression {
        Expression::Literal(number) => Ok((*number, None)),
        Expression::Line => Ok((line as i128, None)),
        Expression::Variable(name) => {
            let value = numbers.get(name).ok_or_else(|| undefined(name))?;
            Ok((value.number, Some(value.format)))
        }
        Expression::Binary(operator, left, right) => {
            let (a, left) = evaluate(left, numbers, line)?;
            let (b, right) = evaluate(right, numbers, line)?;
            let number = match operator {
                Operator::Add => a.checked_add(b),
                Operator::Subtract => a.checked_sub(b),
                Operator::Multiply => a.checked_mul(b),
                Operator::Divide => a.checked_div(b),
                Operator::Minimum => Some(a.min(b)),
                Operator::Maximum => Some(a.max(b)),
            };
            let number = number.ok_or("overflow in a numeric expression")?;
            match (left, right) {
                (Some(a), Some(b)) if a != b => {
                    Err("operands of different formats need an explicit format".into())
                }
                (a, b) => Ok((number, a.or(b))),
            }
        }
    }
}

/// The message for a variable without a value.
pub(super) fn undefined(name: &str) -> String {
    format!("uses undefined variable: \"{name}\"")
}

fn parse_expression(text: &str) -> Result<Expression, String> {
    let mut parser = ExpressionParser { rest: text.trim() };
    let expression = parser.sum()?;
    match parser.rest {
        "" => Ok(expression),
        rest => Err(format!("unexpected '{rest}' in a numeric expression")),
    }
}

struct ExpressionParser<'a> {
    rest: &'a str,
}

impl ExpressionParser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Result<Expression, String> {
        let mut left = self.operand()?;
        loop {
            let operator = if self.eat("+") {
                Operator::Add
            } else if self.eat("-") {
                Operator::Subtract
            } else {
                return Ok(left);
            };
            left = Expression::Binary(operator, Box::new(left), Box::new(self.operand()?));
        }
    }

    fn operand(&mut self) -> Result<Expression, String> {
        if self.eat("@LINE") {
            return Ok(Expression::Line);
        }
        if self.eat("(") {
            let inner = self.sum()?;
            return self.close().map(|()| inner);
        }
        let negative = self.eat("-");
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "_$".contains(c)));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            self.rest = rest.trim_start();
            let number = match word.strip_prefix("0x") {
                Some(hex) => i128::from_str_radix(hex, 16),
                None => word.parse(),
            };
            let number = number.map_err(|_| format!("invalid number '{word}'"))?;
            return Ok(Expression::Literal(if negative { -number } else { number }));
        }
        if !is_variable(word) || negative {
            return Err(format!(
                "invalid operand '{}' in a numeric expression",
                self.rest
            ));
        }
        self.rest = rest.trim_start();
        if !self.eat("(") {
            return Ok(Expression::Variable(word.to_string()));
        }
        let function = FUNCTIONS.iter().find(|(name, _)| *name == word);
        let (_, operator) = function.ok_or_else(|| format!("unknown function '{word}'"))?;
        let left = self.sum()?;
        if !self.eat(",") {
            return Err(format!("'{word}' takes two arguments"));
        }
        let right = self.sum()?;
        self.close()?;
        Ok(Expression::Binary(
            *operator,
            Box::new(left),
            Box::new(right),
        ))
    }

    fn close(&mut self) -> Result<(), String> {
        if self.eat(")") {
            Ok(())
        } else {
            Err("missing ')' in a numeric expression".into())
        }
    }
}
