use super::finding::{Findings, Level};
use super::platform::Volume;
use super::roots::look_at_space;

fn space(free_bytes: u64, free_files: Option<u64>, read_only: bool) -> Vec<(Level, String)> {
    let volume = Volume {
        free_bytes,
        free_files,
        read_only,
        kind: None,
    };
    let mut findings = Findings::default();
    look_at_space(&mut findings, "root x", "/x", &volume);
    let all = findings.all.into_iter();
    all.map(|finding| (finding.level, finding.what)).collect()
}

#[test]
fn a_full_disk_is_a_fault_and_a_nearly_full_one_a_warning() {
    let full = "the disk is full: 0 bytes free at /x".to_owned();
    assert_eq!(space(0, None, false), [(Level::Fault, full)]);
    let few = "the disk is full: 1.0 KiB free at /x".to_owned();
    assert_eq!(space(1024, Some(9), false), [(Level::Fault, few)]);
    let files = "the disk has no room for more files at /x".to_owned();
    assert_eq!(space(1 << 40, Some(0), false), [(Level::Fault, files)]);
    let nearly = "the disk is nearly full: 50.0 MiB free at /x".to_owned();
    assert_eq!(space(50 << 20, None, false), [(Level::Warn, nearly)]);
    let fine = "1.5 TiB free".to_owned();
    assert_eq!(space(3 << 39, Some(1), false), [(Level::Ok, fine)]);
    assert_eq!(space(0, Some(0), true), []);
}

#[test]
fn each_finding_is_one_line_and_one_object() {
    let mut findings = Findings::default();
    findings.ok("a", "fine".to_owned());
    findings.warn("b", "odd".to_owned(), "look at it");
    findings.fault("c", "broken".to_owned(), "mend it");
    assert_eq!(
        findings.text(),
        "ok     a: fine\nwarn   b: odd; look at it\nfault  c: broken; mend it\n"
    );
    let json: serde_json::Value = serde_json::from_str(&findings.json()).unwrap();
    assert_eq!((&json["faults"], &json["warnings"]), (&1.into(), &1.into()));
    assert_eq!(json["findings"][2]["remedy"], "mend it");
    assert_eq!(json["findings"][0].get("remedy"), None);
}
