use expect_test::{Expect, expect};

use super::{fault, one};
use crate::edit::EditFault;

fn check(content: impl AsRef<[u8]>, old: &str, wanted: &Expect) {
    let EditFault::NotFound { nearest } = fault(content.as_ref(), one(old, "new")) else {
        panic!("the text is absent");
    };
    wanted.assert_eq(&nearest.unwrap_or_else(|| "(nothing)".to_owned()));
}

const GO: &str = "func f() {\n\tx := 1\n\ty := 2\n\treturn x + y\n}\n";

#[test]
fn tells_the_line_that_differs() {
    check(
        GO,
        "func f() {\n\tx := 1\n\ty := 99\n\treturn x + y\n}\n",
        &expect![[]],
    );
    check(GO, "func f() {\n    x := 1\n    y := 2\n", &expect![[]]);
    check(GO, "    return x + y", &expect![[]]);
    check(GO, "x := 1\n\ty := 2\n\treturn x * y", &expect![[]]);
    check(GO, "\treturn x - y\n}", &expect![[]]);
}

#[test]
fn tells_what_kind_of_difference_it_is() {
    check("// c\nproc t\n", "// c \nproc t", &expect![[]]);
    check("foo   bar baz\n", "foo bar", &expect![[]]);
    check("let Foo = 1;\n", "let foo = 1", &expect![[]]);
    check("it\u{2019}s a nice day\n", "it's a nice day", &expect![[]]);
    check("cafe\u{301} au lait\n", "caf\u{e9} au lait", &expect![[]]);
    check("a\u{a0}= b + c;\n", "a = b + c;", &expect![[]]);
    check("key: va\u{200b}lue\n", "key: value", &expect![[]]);
}

#[test]
fn knows_mistakes_by_name() {
    check(GO, "2: \tx := 1\n3: \ty := 2", &expect![[]]);
    check(GO, "x := 1\\n\\ty := 2", &expect![[]]);
    check("say \"a\"\n", "say \\\"a\\\"", &expect![[]]);
    check("one\rtwo\rthree", "two\nthree", &expect![[]]);
    check("one\ntwo", "two\n", &expect![[]]);
    check("", "x", &expect![[]]);
}

#[test]
fn never_guesses_across_the_file() {
    let css: String = (1..=300)
        .map(|n| format!(".rule-{n} {{ width: {n}px }}\n"))
        .collect();
    check(
        &css,
        ".rule-10 { width: 10px }\n.rule-290 { width: 290px }",
        &expect![[]],
    );
    check(&css, "nothing like it at all", &expect![[]]);
    check(
        "}\n}\n}\n",
        "if (something_else) {\n  go();\n}\n",
        &expect![[]],
    );
    check("a\nb\n", "b\nc\nd", &expect![[]]);
}

#[test]
fn quotes_little_and_nothing_hidden() {
    let long = "x".repeat(500) + "-needle-" + &"y".repeat(500);
    check(&long, &long.replace("needle", "noodle"), &expect![[]]);
    check(
        "a = \u{202e}evil;\nb = 2;\n",
        "a = evil;\nb = 2;",
        &expect![[]],
    );
    check(
        b"caf\xe9 au lait, s'il vous plait\n",
        "cafe au lait, s'il vous plait",
        &expect![[]],
    );
}

#[test]
fn stays_quick_on_hostile_content() {
    let lines = "}\n".repeat(1 << 20);
    check(&lines, &"}\n}\n{\n".repeat(5000), &expect![[]]);
    let line = "ab".repeat(1 << 20);
    check(&line, &("ba".repeat(2000) + "c"), &expect![[]]);
}
