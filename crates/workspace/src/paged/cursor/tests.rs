use super::{Bound, Codec, scope};
use crate::paged::fault::Fault;
use crate::paged::scan::Pause;

const BOUND: Bound<'_> = Bound {
    scope: "00",
    state: "11",
};

fn codec() -> Codec {
    Codec::new(&[1; 32])
}

fn signed(json: &str) -> String {
    use base64::Engine as _;
    let payload = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(json);
    format!("{payload}.{}", codec().sign(&payload))
}

#[test]
fn a_cursor_comes_back() {
    let cursor = codec().encode(BOUND, &7_u64);
    assert_eq!(codec().decode(BOUND, Some(&cursor), 0_u64), Ok(7));
    assert_eq!(codec().decode(BOUND, None, 3_u64), Ok(3));
    let pause = Pause {
        file: 1,
        offset: 20,
        line_start: 10,
        line: 4,
        matched: true,
    };
    let cursor = codec().encode(BOUND, &pause);
    assert_eq!(
        codec().decode(BOUND, Some(&cursor), Pause::before(0)),
        Ok(pause)
    );
}

#[test]
fn what_is_wrong_with_a_cursor_is_told_in_order() {
    let good = codec().encode(BOUND, &7_u64);
    let (payload, signature) = good.split_once('.').unwrap();
    // The last letter holds bits that no byte of the signature has.
    let other_spelling = format!("{payload}.{}", respell(signature));
    let long = "a".repeat(4097);
    for bad in [
        "",
        ".",
        "a",
        "a.b.c",
        "a.",
        ".b",
        "a=.b",
        &long,
        &format!("{payload}=.{signature}"),
        &format!("{payload}.{}", &signature[1..]),
        &other_spelling,
        &signed("no json"),
        &signed("[]"),
        &signed(r#"{"v":2,"s":"00","t":"11","p":7}"#),
        &signed(r#"{"v":1,"s":"00","t":"11"}"#),
        &signed(r#"{"v":1,"s":"00","t":"11","p":7,"q":1}"#),
        &signed(r#"{"v":1,"s":"00","t":"11","p":-1}"#),
        &signed(r#"{"v":1,"s":"00","t":"11","p":9007199254740992}"#),
        &signed(r#"{"v":1,"s":"00","t":"11","p":"7"}"#),
        &signed(r#"{"v":1,"s":"00","t":"11","p":null}"#),
        &Codec::new(&[2; 32]).encode(BOUND, &7_u64),
    ] {
        assert_eq!(
            codec().decode(BOUND, Some(bad), 0_u64),
            Err(Fault::CURSOR),
            "{bad}"
        );
    }
    let other = Bound {
        scope: "22",
        state: "33",
    };
    assert_eq!(
        codec().decode(other, Some(&good), 0_u64),
        Err(Fault::OTHER_TRAVERSAL)
    );
    let later = Bound {
        scope: "00",
        state: "33",
    };
    assert_eq!(
        codec().decode(later, Some(&good), 0_u64),
        Err(Fault::SINCE_CURSOR)
    );
    assert_eq!(
        codec().decode(
            later,
            Some(&signed(r#"{"v":1,"s":"00","t":"11","p":"bad"}"#)),
            0_u64
        ),
        Err(Fault::SINCE_CURSOR)
    );
}

#[test]
fn a_pause_of_another_shape_is_none() {
    for position in [
        "7",
        r#"{"file":0,"offset":1,"lineStart":2,"line":1,"matched":false}"#,
        r#"{"file":0,"offset":1,"lineStart":0,"line":0,"matched":false}"#,
        r#"{"file":0,"offset":1,"lineStart":0,"line":1,"matched":0}"#,
        r#"{"file":0,"offset":1,"lineStart":0,"line":1}"#,
        r#"{"file":0,"offset":1,"lineStart":0,"line":1,"matched":false,"x":1}"#,
        r#"{"file":0.5,"offset":1,"lineStart":0,"line":1,"matched":false}"#,
    ] {
        let cursor = signed(&format!(r#"{{"v":1,"s":"00","t":"11","p":{position}}}"#));
        let read = codec().decode(BOUND, Some(&cursor), Pause::before(0));
        assert_eq!(read, Err(Fault::CURSOR), "{position}");
    }
}

#[test]
fn a_scope_is_tool_and_arguments() {
    assert_eq!(
        scope("list_directory", r#"{"path":""}"#),
        "8b353771412cd7153d94820f478a63674f6450493e74d5242e1dd1ab9464b367"
    );
}

/// The same signature by another spelling of its last letter.
fn respell(signature: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let last = *signature.as_bytes().last().unwrap();
    let place = LETTERS.iter().position(|&letter| letter == last).unwrap();
    let other = char::from(LETTERS[place ^ 1]);
    format!("{}{other}", &signature[..signature.len() - 1])
}
