use super::{Profile, new, read, with};

const ID: &str = "tunnel_0123456789abcdef0123456789abcdef";

#[test]
fn what_was_written_is_read_again() {
    let command = r#"'C:\a b\x.exe' --root "/it's""#;
    let profile = read(&new(ID, command)).unwrap();
    assert_eq!(profile.tunnel_id.as_deref(), Some(ID));
    assert_eq!(profile.command.as_deref(), Some(command));
    assert!(profile.is_ours && !profile.holds_key);
}

#[test]
fn nothing_changes_beside_the_values() {
    let before = "\
# mine\r
config_version: 1\r
control_plane:\r
  api_key: 'sk-x'   # oh no\r
  tunnel_id:   tunnel_old # keep\r
  extra_headers:\r
    tunnel_id: other\r
mcp:\r
  commands:\r
  - channel: tools\r
    command: python -m tools\r
  - command: \"old one\"  # mine too\r
    channel: main\r
  connection_max_ttl: 10m\r
unknown: {a: 1}\r
";
    let profile = read(before).unwrap();
    assert_eq!(
        profile,
        Profile {
            tunnel_id: Some("tunnel_old".to_owned()),
            command: Some("old one".to_owned()),
            is_ours: false,
            holds_key: true,
        }
    );
    let after = with(before, ID, "new").unwrap();
    let expected = before.replace("tunnel_old", &format!("\"{ID}\"")).replace(
        "\"old one\"  # mine too",
        "\"new\" # set by workspace-mcp tunnel 11507a0e2f5e",
    );
    assert_eq!(after, expected);
    assert_eq!(with(&after, ID, "new").unwrap(), after);
    assert!(read(&after).unwrap().is_ours);
}

#[test]
fn a_command_changed_by_hand_is_not_ours_any_more() {
    let by_hand = new(ID, "server --root /a").replace("--root /a", "--root /b");
    assert!(!read(&by_hand).unwrap().is_ours);
}

#[test]
fn other_forms_are_not_understood() {
    let forms = [
        "{mcp: {commands: []}}\n",
        "mcp:\n\tcommands:\n",
        "mcp:\n  commands:\n    - command: |\n        a\n",
        "control_plane:\n  tunnel_id: &a x\n",
        "mcp:\n  commands:\n    - command: a\n    - command: b\n",
        "mcp:\n  commands:\n    - command: 'a' b\n",
    ];
    for form in forms {
        assert!(read(form).is_err(), "{form}");
    }
}

#[test]
fn a_profile_without_a_place_for_a_value_is_not_changed() {
    assert!(with("config_version: 1\n", ID, "a").is_err());
}
