//! A Homebrew formula, for macOS and Linux.

use super::{ABOUT, NAME, REPOSITORY, Release};
use crate::Result;

pub(super) fn make(release: &Release) -> Result<()> {
    let mut systems = String::new();
    for (os, block) in [("darwin", "on_macos"), ("linux", "on_linux")] {
        let mut cpus = String::new();
        for (cpu, block) in [("arm64", "on_arm"), ("x64", "on_intel")] {
            if let Some(built) = release.for_system(os, cpu) {
                cpus.push_str(&format!(
                    "    {block} do\n      url \"{}\"\n      sha256 \"{}\"\n    end\n",
                    release.url(&built.file),
                    built.sha256
                ));
            }
        }
        if !cpus.is_empty() {
            systems.push_str(&format!("  {block} do\n{cpus}  end\n\n"));
        }
    }
    let version = &release.version;
    let text = format!(
        "class WorkspaceMcp < Formula\n\
         \x20 desc \"{ABOUT}\"\n\
         \x20 homepage \"{REPOSITORY}\"\n\
         \x20 version \"{version}\"\n\
         \x20 license any_of: [\"MIT\", \"Apache-2.0\"]\n\
         \n\
         {systems}\
         \x20 def install\n\
         \x20   bin.install \"{NAME}\"\n\
         \x20   man1.install \"{NAME}.1\"\n\
         \x20   bash_completion.install \"completions/{NAME}.bash\" => \"{NAME}\"\n\
         \x20   zsh_completion.install \"completions/_{NAME}\"\n\
         \x20   fish_completion.install \"completions/{NAME}.fish\"\n\
         \x20 end\n\
         \n\
         \x20 test do\n\
         \x20   assert_match version.to_s, shell_output(\"#{{bin}}/{NAME} --version\")\n\
         \x20 end\n\
         end\n"
    );
    release.write(&format!("homebrew/{NAME}.rb"), text.as_bytes())
}
