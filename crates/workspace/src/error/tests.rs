use std::io;

use rooted::{ErrorKind, RelPath};

use super::Error;

#[test]
fn a_fault_of_the_system_is_told_as_the_system_tells_it() {
    let told = |source: io::Error| {
        let path = RelPath::root().join("a.txt");
        let kind = ErrorKind::Other(source);
        Error::from(rooted::Error { kind, path }).to_string()
    };
    let system = io::Error::from_raw_os_error(24).to_string();
    assert_eq!(
        told(io::Error::from_raw_os_error(24)),
        format!("unexpected internal error: {system}: a.txt")
    );
    // What is made up on the way may name places of the machine.
    assert_eq!(
        told(io::Error::other("cannot read /home/me/a.txt")),
        "unexpected internal error: a.txt"
    );
}
