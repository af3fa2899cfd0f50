//! The shell of `RUN:` lines: splits a line into commands and runs them.
//!
//! Streams are byte buffers; the commands of a pipe run one after the other. As in LLVM's lit, a
//! pipe fails if any of its commands does.

use std::fs;
use std::io::{self, Write};

use super::stream::Stream;
use super::tools;

/// A line that the shell cannot read; the text says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError(pub String);

/// Outcome of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Exit code; 0 is success.
    pub code: u8,
    /// Standard output that wasn't redirected.
    pub stdout: Vec<u8>,
    /// Standard error that wasn't redirected.
    pub stderr: Vec<u8>,
}

/// A word or operator of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Operator(&'static str),
}

/// Operators, each before its own prefixes.
const OPERATORS: [&str; 10] = ["2>&1", "&&", "||", "2>>", "2>", ">>", ">", "<", "|", ";"];

fn tokens(line: &str) -> Result<Vec<Token>, SyntaxError> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        // `2>` redirects only where a word could start
        let operator = OPERATORS
            .iter()
            .find(|op| rest.starts_with(**op) && (word.is_none() || !op.starts_with('2')));
        if let Some(operator) = operator {
            out.extend(word.take().map(Token::Word));
            out.push(Token::Operator(operator));
            rest = &rest[operator.len()..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            ' ' | '\t' => out.extend(word.take().map(Token::Word)),
            '\'' => {
                let end = rest.find('\'').ok_or_else(unbalanced)?;
                word.get_or_insert_default().push_str(&rest[..end]);
                rest = &rest[end + 1..];
            }
            '"' => rest = double_quoted(rest, word.get_or_insert_default())?,
            '\\' => {
                let escaped = rest.chars().next().ok_or_else(unbalanced)?;
                word.get_or_insert_default().push(escaped);
                rest = &rest[escaped.len_utf8()..];
            }
            '&' | '$' | '`' => {
                return Err(SyntaxError(format!(
                    "'{c}' is not known to the shell of tests"
                )));
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    out.extend(word.map(Token::Word));
    Ok(out)
}

fn unbalanced() -> SyntaxError {
    SyntaxError("unbalanced quote or trailing backslash".into())
}

fn double_quoted<'a>(mut rest: &'a str, word: &mut String) -> Result<&'a str, SyntaxError> {
    loop {
        let c = rest.chars().next().ok_or_else(unbalanced)?;
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => return Ok(rest),
            '\\' if rest.starts_with(['"', '\\']) => {
                word.push_str(&rest[..1]);
                rest = &rest[1..];
            }
            _ => word.push(c),
        }
    }
}

/// One command with its redirections.
#[derive(Debug, Default)]
struct Command {
    words: Vec<String>,
    input: Option<String>,
    /// Path and whether to append.
    output: Option<(String, bool)>,
    error: Option<(String, bool)>,
    error_to_output: bool,
}

/// Join of a pipe to the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    Always,
    IfDone,
    IfFailed,
}

fn parse(line: &str) -> Result<Vec<(Join, Vec<Command>)>, SyntaxError> {
    let mut pipes = vec![(Join::Always, vec![Command::default()])];
    let mut tokens = tokens(line)?.into_iter();
    while let Some(token) = tokens.next() {
        let Some((_, pipe)) = pipes.last_mut() else {
            break;
        };
        let Some(command) = pipe.last_mut() else {
            break;
        };
        let operator = match token {
            Token::Word(word) => {
                command.words.push(word);
                continue;
            }
            Token::Operator(operator) => operator,
        };
        let mut path = || match tokens.next() {
            Some(Token::Word(word)) => Ok(word),
            _ => Err(SyntaxError(format!("'{operator}' needs a file"))),
        };
        match operator {
            "|" => pipe.push(Command::default()),
            "&&" => pipes.push((Join::IfDone, vec![Command::default()])),
            "||" => pipes.push((Join::IfFailed, vec![Command::default()])),
            ";" => pipes.push((Join::Always, vec![Command::default()])),
            "<" => command.input = Some(path()?),
            ">" => command.output = Some((path()?, false)),
            ">>" => command.output = Some((path()?, true)),
            "2>" => command.error = Some((path()?, false)),
            "2>>" => command.error = Some((path()?, true)),
            _ => command.error_to_output = true,
        }
    }
    if pipes
        .iter()
        .any(|(_, pipe)| pipe.iter().any(|command| command.words.is_empty()))
    {
        return Err(SyntaxError("a command is missing".into()));
    }
    Ok(pipes)
}

/// Runs a line (substitutions made). Errors are of the line or of the files it redirects to.
pub fn run(line: &str) -> Result<Outcome, SyntaxError> {
    let mut outcome = Outcome::default();
    for (join, pipe) in parse(line)? {
        let wanted = match join {
            Join::Always => true,
            Join::IfDone => outcome.code == 0,
            Join::IfFailed => outcome.code != 0,
        };
        if wanted {
            run_pipe(&pipe, &mut outcome)?;
        }
    }
    Ok(outcome)
}

fn run_pipe(pipe: &[Command], outcome: &mut Outcome) -> Result<(), SyntaxError> {
    outcome.code = 0;
    let mut input = Vec::new();
    for command in pipe {
        if let Some(path) = &command.input {
            input = fs::read(path).map_err(|error| file_error(path, &error))?;
        }
        let stdout = Stream::default();
        let stderr = if command.error_to_output {
            stdout.clone()
        } else {
            Stream::default()
        };
        let code = tools::run(&command.words, &input, &stdout, &stderr);
        if code != 0 {
            outcome.code = code;
        }
        input = stdout.take();
        let error = stderr.take();
        match &command.error {
            Some((path, append)) => write_file(path, *append, &error)?,
            None => outcome.stderr.extend(error),
        }
        if let Some((path, append)) = &command.output {
            write_file(path, *append, &input)?;
            input.clear();
        }
    }
    outcome.stdout.append(&mut input);
    Ok(())
}

fn write_file(path: &str, append: bool, bytes: &[u8]) -> Result<(), SyntaxError> {
    let result = if append {
        let file = fs::OpenOptions::new().append(true).create(true).open(path);
        file.and_then(|mut file| file.write_all(bytes))
    } else {
        fs::write(path, bytes)
    };
    result.map_err(|error| file_error(path, &error))
}

fn file_error(path: &str, error: &io::Error) -> SyntaxError {
    SyntaxError(format!("{path}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn out(line: &str) -> (u8, String) {
        let outcome = run(line).expect("a line that the shell reads");
        (
            outcome.code,
            String::from_utf8_lossy(&outcome.stdout).into_owned(),
        )
    }

    #[test]
    fn pipes_lists_and_quotes() {
        assert_eq!(
            out("echo a 'b  c' \"d'e\" f\\ g"),
            (0, "a b  c d'e f g\n".into())
        );
        assert_eq!(out("echo a | cat"), (0, "a\n".into()));
        assert_eq!(out("echo a ; echo b"), (0, "a\nb\n".into()));
        assert_eq!(out("false && echo b"), (1, "".into()));
        assert_eq!(out("false || echo b"), (0, "b\n".into()));
        assert_eq!(out("not false && echo b"), (0, "b\n".into()));
        assert_eq!(out("false | echo a"), (1, "a\n".into()));
    }

    #[test]
    fn errors_follow_their_redirection() {
        assert_eq!(out("cat /no/such/file").1, "");
        let (code, text) = out("cat /no/such/file 2>&1");
        assert!(code == 1 && text.contains("/no/such/file"), "{text}");
    }

    #[test]
    fn what_it_does_not_know_is_refused() {
        for line in ["echo $HOME", "echo 'a", "| cat", "echo >", "sleep 1 & echo"] {
            assert!(run(line).is_err(), "{line}");
        }
        assert_eq!(
            run("sleep 1").map(|outcome| outcome.code),
            Ok(tools::UNKNOWN_TOOL)
        );
    }
}
