use super::Time;

fn check(text: &str, wanted: Option<&str>) {
    let seen = Time::parse(text).map(|time| time.to_string());
    assert_eq!(seen.as_deref(), wanted, "for {text}");
}

#[test]
fn a_time_is_read_with_its_zone() {
    check("1970-01-01T00:00:00Z", Some("1970-01-01T00:00:00.000Z"));
    check("2026-09-18T07:50:12.000Z", Some("2026-09-18T07:50:12.000Z"));
    check("2026-09-18T07:50:12.5Z", Some("2026-09-18T07:50:12.500Z"));
    check(
        "2026-09-18T07:50:12.123987Z",
        Some("2026-09-18T07:50:12.123Z"),
    );
    check(
        "2026-09-18T00:30:00+02:00",
        Some("2026-09-17T22:30:00.000Z"),
    );
    check(
        "2024-02-28T23:30:00-01:30",
        Some("2024-02-29T01:00:00.000Z"),
    );
    check("2000-02-29T00:00:00Z", Some("2000-02-29T00:00:00.000Z"));
    check("0001-01-01T00:00:00Z", Some("0001-01-01T00:00:00.000Z"));
    check("9999-12-31T23:59:59Z", Some("9999-12-31T23:59:59.000Z"));
}

#[test]
fn what_is_no_time_is_refused() {
    for text in [
        "",
        "yesterday",
        "2026-09-18",
        "2026-09-18T07:50Z",
        "2026-09-18T07:50:12",
        "2026-09-18 07:50:12Z",
        "2026-09-18T07:50:12z",
        "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00+2:00",
        "2026-01-01T00:00:00+0200",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00Zoo",
        "26-01-01T00:00:00Z",
        "+026-01-01T00:00:00Z",
        "2026-01-01T00:00:00é",
    ] {
        check(text, None);
    }
}

#[test]
fn every_day_of_four_centuries_comes_back() {
    const DAY: i64 = 86_400_000;
    for day in -146_097..146_097 {
        let time = Time::from_ms(day * DAY + 1);
        assert_eq!(Time::parse(&time.to_string()), Some(time));
    }
}
