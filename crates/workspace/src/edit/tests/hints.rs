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
        &expect![[
            r#"nearest at line 1; line 3 differs: the file has `\ty := 2`, oldString has `\ty := 99`"#
        ]],
    );
    check(
        GO,
        "func f() {\n    x := 1\n    y := 2\n",
        &expect![[
            r#"nearest at line 1; line 2 differs in indentation: the file has `\tx := 1`, oldString has `    x := 1`"#
        ]],
    );
    check(
        GO,
        "    return x + y",
        &expect![[
            r#"line 4 differs in indentation: the file has `\treturn x + y`, oldString has `    return x + y`"#
        ]],
    );
    check(
        GO,
        "x := 1\n\ty := 2\n\treturn x * y",
        &expect![[
            r#"nearest at line 2; line 4 differs in a character (U+002B in the file, U+002A in oldString): the file has `\treturn x + y`, oldString has `\treturn x * y`"#
        ]],
    );
    check(
        GO,
        "\treturn x - y\n}",
        &expect![[
            r#"line 4 differs in a character (U+002B in the file, U+002D in oldString): the file has `\treturn x + y`, oldString has `\treturn x - y`"#
        ]],
    );
}

#[test]
fn tells_what_kind_of_difference_it_is() {
    check(
        "// c\nproc t\n",
        "// c \nproc t",
        &expect!["line 1 differs in spaces at the end: the file has `// c`, oldString has `// c `"],
    );
    check(
        "foo   bar baz\n",
        "foo bar",
        &expect!["line 1 differs in spaces: the file has `foo   bar baz`, oldString has `foo bar`"],
    );
    check(
        "let Foo = 1;\n",
        "let foo = 1",
        &expect![
            "line 1 differs in letter case: the file has `let Foo = 1;`, oldString has `let foo = 1`"
        ],
    );
    check(
        "it\u{2019}s a nice day\n",
        "it's a nice day",
        &expect![
            "line 1 differs in a character (U+2019 in the file, U+0027 in oldString): the file has `it’s a nice day`, oldString has `it's a nice day`"
        ],
    );
    check(
        "one\nsay \u{201c}hi\u{201d}\n",
        "say \"hi\"",
        &expect!["line 2 differs: the file has `say “hi”`, oldString has `say \"hi\"`"],
    );
    check(
        "one\na\u{a0}= 1\n",
        "a = 1",
        &expect![[r"line 2 differs in spaces: the file has `a\u{a0}= 1`, oldString has `a = 1`"]],
    );
    check(
        "cafe\u{301} au lait\n",
        "caf\u{e9} au lait",
        &expect![
            "line 1 differs in the Unicode form of a character: the file has `café au lait`, oldString has `café au lait`"
        ],
    );
    check(
        "a\u{a0}= b + c;\n",
        "a = b + c;",
        &expect![[
            r#"line 1 differs in spaces: the file has `a\u{a0}= b + c;`, oldString has `a = b + c;`"#
        ]],
    );
    check(
        "key: va\u{200b}lue\n",
        "key: value",
        &expect![[
            r#"line 1 differs: the file has `key: va\u{200b}lue`, oldString has `key: value`"#
        ]],
    );
}

#[test]
fn knows_mistakes_by_name() {
    check(
        GO,
        "2: \tx := 1\n3: \ty := 2",
        &expect![
            "it is at line 2 without the line numbers that read_file puts in front; leave them out of oldString"
        ],
    );
    check(
        GO,
        "x := 1\\n\\ty := 2",
        &expect![
            "it is at line 2 with real line breaks, tabs or quotes; oldString has a backslash in front of them"
        ],
    );
    check(
        "say \"a\"\n",
        "say \\\"a\\\"",
        &expect![
            "it is at line 1 with real line breaks, tabs or quotes; oldString has a backslash in front of them"
        ],
    );
    check(
        "one\rtwo\rthree",
        "two\nthree",
        &expect![[r#"line 1 differs in its line ends: the file has a carriage return alone (\r)"#]],
    );
    check(
        "one\ntwo",
        "two\n",
        &expect!["line 2 is the last one and has no line end; oldString has one"],
    );
    check("", "x", &expect!["the file is empty"]);
}

#[test]
fn never_guesses_across_the_file() {
    let css: String = (1..=300)
        .map(|n| format!(".rule-{n} {{ width: {n}px }}\n"))
        .collect();
    check(
        &css,
        ".rule-10 { width: 10px }\n.rule-290 { width: 290px }",
        &expect![
            "nearest at line 10; line 11 differs: the file has `.rule-11 { width: 11px }`, oldString has `.rule-290 { width: 290px }`"
        ],
    );
    check(&css, "nothing like it at all", &expect!["(nothing)"]);
    check(
        "}\n}\n}\n",
        "if (something_else) {\n  go();\n}\n",
        &expect!["(nothing)"],
    );
    check(
        "a\nb\n",
        "b\nc\nd",
        &expect!["nearest at line 2; the file ends before `c` of oldString"],
    );
}

#[test]
fn quotes_little_and_nothing_hidden() {
    let words = |from: usize| {
        (from..from + 60)
            .map(|n| format!("word{n} "))
            .collect::<String>()
    };
    let long = words(0) + "needle " + &words(60);
    check(
        &long,
        &long.replace("needle", "noodle"),
        &expect![
            "line 1 differs: the file has `…d54 word55 word56 word57 word58 word59 needle word60 word61 word62 word63 word64 word65 word66 word67 word68 word69 word…`, oldString has `…d54 word55 word56 word57 word58 word59 noodle word60 word61 word62 word63 word64 word65 word66 word67 word68 word69 word…`"
        ],
    );
    check(
        "a = \u{202e}evil;\nb = 2;\n",
        "a = evil;\nb = 2;",
        &expect![[
            r#"line 1 differs: the file has `a = \u{202e}evil;`, oldString has `a = evil;`"#
        ]],
    );
    check(
        b"caf\xe9 au lait, s'il vous plait\n",
        "cafe au lait, s'il vous plait",
        &expect![[
            r#"line 1 differs in a character (byte 0xE9 in the file, U+0065 in oldString): the file has `caf\xe9 au lait, s'il vous plait`, oldString has `cafe au lait, s'il vous plait`"#
        ]],
    );
}

#[test]
fn stays_quick_on_hostile_content() {
    let lines = "}\n".repeat(1 << 20);
    check(&lines, &"}\n}\n{\n".repeat(5000), &expect!["(nothing)"]);
    let line = "ab".repeat(1 << 20);
    check(
        &line,
        &("ba".repeat(2000) + "c"),
        &expect![
            "line 1 differs: the file has `…abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab`, oldString has `…babababababababababababababababababababababababababababababababababababababababababababababababababababababababababababa`"
        ],
    );
}
