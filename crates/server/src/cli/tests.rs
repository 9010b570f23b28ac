use super::{Command, CommandLine, OPTIONS, explained, parse};

fn parsed(line: &str) -> Result<CommandLine, String> {
    parse(line.split_whitespace().map(str::to_owned))
}

fn fault(line: &str) -> String {
    parsed(line).unwrap_err()
}

#[test]
fn options_come_in_order_with_their_values() {
    let line = parsed("--root a --workspace=b=c --read-only --root -").unwrap();
    assert_eq!(line.command, Command::Serve);
    let wanted = [
        ("root", "a"),
        ("workspace", "b=c"),
        ("read-only", ""),
        ("root", "-"),
    ];
    assert_eq!(
        line.options,
        wanted.map(|(name, value)| (name, value.to_owned()))
    );
}

#[test]
fn faults_of_form_read_as_people_know_them() {
    assert_eq!(fault("--bogus"), "Unknown option '--bogus'");
    assert_eq!(fault("--bogus=1"), "Unknown option '--bogus'");
    assert_eq!(fault("-x"), "Unknown option '-x'");
    assert_eq!(
        fault("--http=true"),
        "Option '--http' does not take an argument"
    );
    assert_eq!(
        fault("x"),
        "Unexpected argument 'x'. This command does not take positional arguments"
    );
    assert_eq!(
        fault("-- --root"),
        "Unexpected argument '--root'. This command does not take positional arguments"
    );
    assert_eq!(fault("--root"), "Option '--root <value>' argument missing");
    assert!(fault("--workspace --root").starts_with("Option '--workspace' argument is ambiguous."));
    assert_eq!(
        fault("--read-only=true"),
        "Option '--read-only' does not take an argument"
    );
    assert_eq!(
        fault("--help=yes"),
        "Option '-h, --help' does not take an argument"
    );
}

#[test]
fn help_comes_before_version_and_both_only_when_the_line_reads() {
    assert_eq!(parsed("-vh").unwrap().command, Command::Help(""));
    assert_eq!(parsed("tools -h").unwrap().command, Command::Help("tools"));
    assert_eq!(parsed("tools -v").unwrap().command, Command::Version);
    assert_eq!(fault("-h --bogus"), "Unknown option '--bogus'");
}

#[test]
fn call_takes_words_between_its_options() {
    assert_eq!(
        parsed("call grep --root . pattern=TODO path=src").unwrap(),
        CommandLine {
            command: Command::Call {
                tool: "grep".to_owned(),
                words: vec!["pattern=TODO".to_owned(), "path=src".to_owned()],
            },
            options: vec![("root", ".".to_owned())],
        }
    );
    assert_eq!(fault("call"), "call needs the name of a tool");
    assert!(fault("tools x").starts_with("Unexpected argument 'x'"));
}

#[test]
fn every_option_is_explained() {
    let help = explained(&[]).unwrap();
    for option in OPTIONS.iter().copied().flatten() {
        assert!(
            help.contains(&format!("--{}", option.long)),
            "{}",
            option.long
        );
    }
}
