//! `read_file`: a text file or a range of its lines; pictures as pictures.

use workspace::limits;
use workspace::read::{Content, Extent, Lines, ReadRequest, read};

use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::reply::{Image, Reply};
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "read_file",
    title: "Read file",
    description: "Read a text file; each line comes as `N: text`, counted from 1. At most 2000 \
                  lines a call: go on with offset. PNG, JPEG, GIF and WebP come as an image. Other \
                  binary files are refused.",
    args: &[
        Arg::text("path", "File, relative to the workspace root").required(),
        Arg::new(
            "offset",
            Kind::Integer {
                min: None,
                max: None,
            },
            "First line, default 1; negative counts from the end",
        ),
        Arg::integer("limit", 1, "Number of lines, at most 2000"),
        Arg::flag("withHash", "Append the sha256, for expectedSha256"),
        WORKSPACE,
    ],
    hints: Hints::READ,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let offset = args.integer("offset").unwrap_or(1);
    if offset == 0 {
        let fault = "offset: expected a line from 1, or from -1 at the end, got 0";
        return Err(Failure::Arguments(fault.to_owned()));
    }
    let request = ReadRequest {
        path: args.needed_text("path"),
        offset,
        limit: args.count("limit").unwrap_or(limits::READ_LINES),
        max_bytes: ctx.body_bytes,
        with_hash: args.flag("withHash"),
    };
    let answer = read(&ctx.reader(args)?, &request)?;
    let mut reply = match answer.content {
        Content::Lines(lines) => lines_reply(lines),
        Content::Image { media_type, bytes } => Reply {
            text: format!(
                "image: {} ({media_type}, {} bytes)",
                answer.path,
                bytes.len()
            ),
            image: Some(Image {
                mime: media_type,
                bytes,
            }),
            ..Reply::default()
        },
    };
    if let Some(hash) = answer.hash {
        reply.push_line(&format!(
            "... (sha256 {}, {} bytes, {} lines)",
            hash.sha256, hash.n_bytes, hash.n_lines
        ));
    }
    if let Some(name) = answer.found_as {
        reply.push_line(&format!("... (found as {name})"));
    }
    Ok(reply)
}

fn lines_reply(lines: Lines) -> Reply {
    let mut reply = Reply::text(lines.text);
    match lines.extent {
        Extent::Empty => reply.push_line("(file is empty)"),
        Extent::ToTheEnd => {}
        Extent::Cut {
            last,
            total: Some(total),
        } => reply.push_line(&format!("... (truncated at line {last} of {total})")),
        Extent::Cut { last, total: None } => {
            reply.push_line(&format!("... (truncated at line {last}; the file goes on)"));
        }
        Extent::PastTheEnd { offset, total } => {
            let lines = if total == 1 { "line" } else { "lines" };
            reply.push_line(&format!(
                "... (offset {offset} is past the end of file; file has {total} {lines})"
            ));
        }
    }
    match lines.n_invalid {
        0 => {}
        n => reply.push_line(&format!("... ({n} invalid UTF-8 bytes shown as U+FFFD)")),
    }
    reply
}
