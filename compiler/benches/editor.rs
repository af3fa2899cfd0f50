//! Time from a key to findings, as an editor with the whole-array example (8×4 cores, 47 kB of text) sees it: a change goes to
//! `aiec lsp`, its findings come back.
//!
//! `cargo bench -p aiec --bench editor`

#[allow(dead_code)] // the rest is for tests
#[path = "../tests/client/mod.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod client;

use std::cell::RefCell;
use std::fs;

use client::{Client, URI, at, example, place};
use serde_json::json;

fn main() {
    divan::main();
}

/// A client with the design open.
fn opened() -> (Client, String) {
    let text = fs::read_to_string(example("whole-array")).expect("the example");
    let mut client = Client::start();
    client.open(URI, "mlir", &text);
    (client, text)
}

/// A digit of a constant is typed and taken back.
#[divan::bench(sample_count = 100)]
fn key(bencher: divan::Bencher) {
    let (client, text) = opened();
    let position = place(&text, "arith.constant", 0);
    let line = position["line"].as_u64().unwrap_or_default() as usize;
    let end = text
        .lines()
        .nth(line)
        .map_or(0, |l| l.find(" : ").unwrap_or(0));
    let state = RefCell::new((client, 1));
    bencher.bench_local(|| {
        let (client, version) = &mut *state.borrow_mut();
        *version += 1;
        let (start, stop, digit) = if *version % 2 == 0 {
            (at(line, end), at(line, end), "1")
        } else {
            (at(line, end), at(line, end + 1), "")
        };
        let range = json!({ "start": start, "end": stop });
        client.change(URI, *version, &range, digit);
        client.findings(*version)
    });
}

/// A pointer rests on a tile.
#[divan::bench(sample_count = 100)]
fn hover(bencher: divan::Bencher) {
    let (client, text) = opened();
    let position = place(&text, "%w00", 0);
    let client = RefCell::new(client);
    bencher.bench_local(|| {
        client
            .borrow_mut()
            .ask_at(URI, "textDocument/hover", &position)
    });
}
