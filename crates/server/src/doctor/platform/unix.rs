//! Unix.

use std::os::fd::AsFd as _;

use rooted::Dir;
use rustix::fs::{StatFs, StatVfsMountFlags, fstatfs, fstatvfs};

use super::super::finding::Findings;
use super::Volume;

/// What the file system of a folder tells of itself.
pub(crate) fn volume(dir: &Dir) -> Option<Volume> {
    let told = fstatvfs(dir.as_fd()).ok()?;
    let kind = fstatfs(dir.as_fd()).ok().as_ref().and_then(kind);
    Some(Volume {
        free_bytes: told.f_bavail.saturating_mul(told.f_frsize),
        // Some file systems have no such limit, and tell of no files at all.
        free_files: (told.f_files > 0).then_some(told.f_favail),
        read_only: told.f_flag.contains(StatVfsMountFlags::RDONLY),
        kind,
    })
}

/// File systems by the number that Linux has for them (`man 2 statfs`).
#[cfg(target_os = "linux")]
const KINDS: [(u64, &str); 21] = [
    (0xef53, "ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683e, "btrfs"),
    (0x0102_1994, "tmpfs"),
    (0x794c_7630, "overlayfs"),
    (0xf2f5_2010, "f2fs"),
    (0x2fc1_2fc1, "zfs"),
    (0xca45_1a4e, "bcachefs"),
    (0x6969, "nfs"),
    (0xfe53_4d42, "smb"),
    (0xff53_4d42, "cifs"),
    (0x6573_5546, "fuse"),
    (0x0102_1997, "9p"),
    (0x4d44, "fat"),
    (0x2011_bab0, "exfat"),
    (0x5346_544e, "ntfs"),
    (0x7366_746e, "ntfs3"),
    (0xf15f, "ecryptfs"),
    (0x7371_7368, "squashfs"),
    (0x9fa0, "proc"),
    (0x6265_6572, "sysfs"),
];

#[cfg(target_os = "linux")]
fn kind(told: &StatFs) -> Option<String> {
    // The width of the field differs between processors; the numbers have 32 bits.
    let number = told.f_type as u64 & 0xffff_ffff;
    let known = KINDS.iter().find(|(one, _)| *one == number);
    Some(known.map_or_else(
        || format!("file system {number:#x}"),
        |(_, name)| (*name).to_owned(),
    ))
}

#[cfg(not(target_os = "linux"))]
fn kind(_told: &StatFs) -> Option<String> {
    None
}

/// Looks at what the server uses of the system.
#[cfg(target_os = "linux")]
pub(crate) fn system(findings: &mut Findings, resolves: bool) {
    if resolves {
        let what = "openat2: paths are opened beneath the root in one call";
        findings.ok("system", what.to_owned());
    } else {
        findings.warn(
            "system",
            "no openat2: paths are opened component by component, as safely and more slowly"
                .to_owned(),
            "use Linux 5.6 or newer, or let the call through the sandbox",
        );
    }
    if rustix::process::child_subreaper().is_ok() {
        let what = "subreaper: what a command leaves behind is found and ended";
        findings.ok("system", what.to_owned());
    } else {
        findings.warn(
            "system",
            "no subreaper: what a command leaves behind is not found once it left its group"
                .to_owned(),
            "use Linux 3.4 or newer",
        );
    }
    let what = "Landlock: not used; a command can reach whatever this user can";
    findings.ok("system", what.to_owned());
}

/// Looks at what the server uses of the system.
#[cfg(not(target_os = "linux"))]
pub(crate) fn system(findings: &mut Findings, _resolves: bool) {
    let what = "paths are opened component by component";
    findings.ok("system", what.to_owned());
    let what = "what a command leaves behind is found in the list of processes and ended";
    findings.ok("system", what.to_owned());
}
