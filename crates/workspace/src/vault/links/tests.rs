use super::find::find;
use super::{Links, links};
use crate::vault::world::World;

fn targets(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    find(text.as_bytes(), &mut |link| {
        found.push(format!("{}:{} -> {}", link.line, link.target, link.path));
    });
    found
}

#[test]
fn links_are_found_as_they_are_written() {
    for (text, link) in [
        ("see [[Alpha]].", "1:Alpha -> Alpha"),
        ("[[Alpha|the plan]]", "1:Alpha -> Alpha"),
        ("| [[Alpha\\|a]] |", "1:Alpha -> Alpha"),
        ("[[p/Alpha#Head|x]]", "1:p/Alpha#Head -> p/Alpha"),
        ("![[Alpha^block]]", "1:Alpha^block -> Alpha"),
        ("\n[a](b.md)", "2:b.md -> b.md"),
        ("[a](<b c.md> \"t)\")", "1:b c.md -> b c.md"),
        ("[a](b%20c.md#x)", "1:b%20c.md#x -> b c.md"),
        ("[a]( ../b(1).md 'title' )", "1:../b(1).md -> ../b(1).md"),
        ("[[1]](b.md)", "1:b.md -> b.md"),
        ("[x]: b.md 'title'", "1:b.md -> b.md"),
        ("[![i](x.png)](b.md)", "1:b.md -> b.md"),
        ("- [ ] [a](b)", "1:b -> b"),
    ] {
        assert!(
            targets(text).contains(&link.to_owned()),
            "{text}: {:?}",
            targets(text)
        );
    }
    for text in [
        "[a](https://x.y/b.md)",
        "[a](mailto:b.md)",
        "[a](#x) [[#x]]",
        "![a](b.png) ![[b.PNG]] [f](f.pdf)",
        "`[[a]]` ``[a](b.md)``",
        "```\n[[a]]\n```",
        "---\nx: '[[a]]'\n---\n",
        "[[]] [[ ]] [a]() [a](b",
        "[^1]: b.md",
        "[a](folder/)",
    ] {
        assert_eq!(targets(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn brackets_are_nested_as_deep_as_commonmark_says() {
    for (depth, n_links) in [(1, 1), (32, 1), (33, 0), (300, 0)] {
        let target = format!("{}b{}.md", "(".repeat(depth), ")".repeat(depth));
        let found = targets(&format!("[a]({target})"));
        assert_eq!(found.len(), n_links, "{depth}: {found:?}");
    }
}

fn links_of(world: &World, note: &str) -> Links {
    links(&world.vault, &world.never, note, None).expect("there")
}

fn told(links: &Links) -> Vec<String> {
    let links = links.links.iter().map(|link| {
        let path = link
            .path
            .as_ref()
            .map_or("-".to_owned(), ToString::to_string);
        format!("{} {} {path}", link.line, link.target)
    });
    links.collect()
}

#[test]
fn links_lead_by_path_and_by_name() {
    let world = World::new(&[
        (
            "x/a.md",
            "[[B]] [[b]] [[y/B]] [[Missing]]\n[m](../y/b.md) [n](no.md) [o](../../out.md) [[./b]] [p](/y/b.md) [q](LICENSE)\n[[../y/b.md]] [[Größe]]",
        ),
        ("x/b.md", "[[b]]"),
        ("y/b.md", ""),
        ("z/z/gr\u{f6}\u{df}e.md", ""),
    ]);
    let found = links_of(&world, "x/a.md");
    assert_eq!(
        told(&found),
        [
            "1 B x/b.md",
            "1 b x/b.md",
            "1 y/B y/b.md",
            "1 Missing -",
            "2 ../y/b.md y/b.md",
            "2 no.md -",
            "2 ../../out.md -",
            "2 ./b x/b.md",
            "2 /y/b.md y/b.md",
            "3 ../y/b.md y/b.md",
            "3 Größe z/z/größe.md",
        ]
    );
    assert_eq!(found.broken, ["Missing", "no.md", "../../out.md"]);
    assert_eq!(found.n_links, 11);
}

#[test]
fn a_name_that_many_notes_have_leads_where_one_of_few_does() {
    let text = "[[index]] [[d3/index]] [[e/d3/index]] [[x/index]] [m](../d5/index.md) [[D7/Index]]";
    for n_more in [0, 30] {
        let world = World::new(&[
            ("d1/a.md", text),
            ("d2/a.md", text),
            ("d2/index.md", ""),
            ("d3/index.md", ""),
            ("d5/index.md", ""),
            ("d7/index.md", ""),
            ("e/d3/index.md", ""),
        ]);
        for n in 0..n_more {
            world.put(&format!("more/n{n}/index.md"), "");
        }
        for (note, nearest) in [("d1/a.md", "d2/index.md"), ("d2/a.md", "d2/index.md")] {
            assert_eq!(
                told(&links_of(&world, note)),
                [
                    &format!("1 index {nearest}"),
                    "1 d3/index d3/index.md",
                    "1 e/d3/index e/d3/index.md",
                    "1 x/index -",
                    "1 ../d5/index.md d5/index.md",
                    "1 D7/Index d7/index.md",
                ]
            );
        }
        world.put("index.md", "");
        let found = links_of(&world, "d1/a.md");
        assert_eq!(told(&found)[0], "1 index index.md");
        assert_eq!(told(&links_of(&world, "d2/a.md"))[0], "1 index d2/index.md");
    }
}

#[test]
fn backlinks_are_told_each() {
    let world = World::new(&[
        ("a.md", "[[a]]"),
        ("b.md", "[[A]] and [[a|x]]\n\n[y](a.md)\n`[[a]]`"),
        ("s/a.md", ""),
        ("s/c.md", "[[a]] [[/a]]"),
    ]);
    let lines = |note: &str| {
        let found = links_of(&world, note);
        let lines = found
            .backlinks
            .iter()
            .map(|link| format!("{}:{}", link.path, link.line));
        assert_eq!(found.n_backlinks, found.backlinks.len());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(lines("a.md"), ["b.md:1", "b.md:1", "b.md:3", "s/c.md:1"]);
    assert_eq!(lines("s/a.md"), ["s/c.md:1"]);
}
