//! The order in which a module is walked.

use aiec_aie::text::parse_text;
use aiec_diag::Diags;
use aiec_diag::FileId;

#[test]
fn everything_inside_comes_in_the_order_of_the_text_and_nothing_behind() {
    let text = "\"a.a\"() ({\n^x:\n\"b.b\"() : () -> ()\n^y:\n^z:\n\"c.c\"() ({\n}, {\n\
                \"d.d\"() : () -> ()\n}) : () -> ()\n\"e.e\"() ({\n}) : () -> ()\n}, {\n\
                \"f.f\"() : () -> ()\n}) : () -> ()\n\"g.g\"() : () -> ()\n";
    let mut diags = Diags::new();
    let m = parse_text(FileId(0), text, &mut diags);
    assert!(diags.is_empty(), "{:?}", diags.iter().next());
    let names = |root| {
        let list: Vec<_> = m.walk(root).map(|op| m.op_name(op)).collect();
        list.join(" ")
    };
    assert_eq!(names(m.top()), "builtin.module a.a b.b c.c d.d e.e f.f g.g");
    let first = m.ops_in(m.body())[0];
    assert_eq!(names(first), "a.a b.b c.c d.d e.e f.f");
}
