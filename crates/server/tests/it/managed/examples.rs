//! The configurations under `examples/managed` start as they are, but for their folder.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::world::{World, create};

#[test]
fn every_example_starts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/managed");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let text = fs::read_to_string(entry.path()).unwrap();
        let world = World::new(&[("target/out", "built"), ("src/main.rs", "fn main() {}\n")]);
        let root = format!("root = {}", json!(world.root().display().to_string()));
        let lines = text.lines().map(|line| {
            if line.starts_with("root = ") {
                root.as_str()
            } else {
                line
            }
        });
        fs::write(world.config(), lines.collect::<Vec<_>>().join("\n")).unwrap();
        let mut talk = world.start();
        talk.apply(&[create("new.txt", "x")]);
        assert_eq!(talk.messages().len(), 3);
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(
        names,
        ["existing-source.toml", "large-source.toml", "minimal.toml"]
    );
}
