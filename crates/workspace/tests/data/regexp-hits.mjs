// Writes regexp-hits.json: for each pattern the texts that JavaScript's RegExp finds it in, or why
// it is refused. Run with `node regexp-hits.mjs > regexp-hits.json` after adding a row.
// Texts are single lines. Astral characters are left out where code units would show.

const texts = [
  "", "a", "A", "ab", "aab", "abc", "foo", "foobar", "foo bar", "FooBar", "foo.bar()", "foo{bar}",
  "a{", "a{1", "a{1,", "a{,3}", "aaa", "aaaa", "}", "]", "[", "a]b", "x[0](y)", "a[i]", "{{name}}",
  "${value}", "fn main() {", "if (a && b) {", "a -- b", "a ~~ b", "a--", "&&", "~~", "--help", "-",
  "^", "$", "a^b", "a$b", "\\", "\\d", "a\\b", "path/to/file", "//", "/* c */", "\t", "\ttab", " ",
  "a b", "a\u00a0b", "\ufeff", "\u2028", "a\rb", "\r", "\u0001", "\u0008", "\u000b", "\u0000",
  "caf\u00e9", "CAF\u00c9", "\u00df", "\u1e9e", "stra\u00dfe", "STRASSE", "\u017f", "\u212a", "k", "K", "s", "S",
  "\u00b5", "\u03bc", "\u039c", "\u03c3", "\u03c2", "\u03a3", "\u0131", "\u0130", "i", "I", "\u00ff", "\u0178", "\u00e5", "\u212b",
  "2024-01-02", "10px", "10em", "99", "version = \"1.2.3\"", "'a'", "\"a\"", "\"a'", "''", "abab", "abba", "aA",
  "the the cat", "the cat", "exec(x)", ".exec(x)", "xexec(x)", "p{L}", "p{Lu}", "P{L}", "u0041", "uuuu",
  "x4", "x41", "u{61}", "k<name>", "e", "_", "8", "9", "\u0001b", "q", "cA", "\\cA", "\\c", "c1", "\\c1",
  "word_boundary", "end", "end;", "the end", "abcabc", "xyz", "zyx", "a.b", "a-b", "a&b", "a#b", "a\"b",
  "\u00e9a", "a\u00e9a", "\u4e2d\u6587", "\u0416\u0436", "\u0436", "\ufffd", "a,b,c", "a|b", "(a)", "()", "(", ")", "<div>", "</div>",
  "function f(a, b) {", "TODO: x", "todo", "x = y", "x == y", "x=y", "0", "00", "007", "0x1F", "1e10", "-1", "+1",
];

const patterns = [
  "foo", "foo|bar", "^foo", "foo$", "^$", "", "a*", "a+", "a?b", "a{2}", "a{2,}", "a{1,2}b", "^a{3}$", "a{,3}", "a{",
  "a{1", "a{1,", "{", "}", "]", "{{name}}", "x{}", "{a}", "fn main() {", "if \\(a && b\\) {", "\\${value}", "[{}]", "a{b}",
  "[[]", "[a[]", "[\\]]", "[]]", "[]", "[^]", "a[^]b", "[&&]", "[a&&b]", "[a--b]x", "[~~]", "[a~~b]", "[--]", "[a-]", "[-a]", "[a-c-e]",
  "[\\w-]", "[\\w-x]", "[+--]", "[\\d-z]", "[^\\d\\s]", "[^a]", "[^\\w]", "[\\s\\S]", "[\\b]", "[\\B]", "[\\-]", "[.]", "[\\.]", "[*+?]", "[|]",
  "[^]]", "[$]", "[\\^]", "[\\cA]", "[\\c]", "[\\c1]", "[\\1]", "[\\8]", "[\\x41-\\x43]", "[\\u0041-\\u0043]", "[\\u00e0-\\u00ff]", "[\\u4e00-\\u9fff]",
  "\\d+", "\\D", "^\\D+$", "\\w+", "\\W", "^\\w+$", "\\s", "^\\s$", "\\S", "^\\S+$", "\\bfoo\\b", "\\bend", "\\Bend", "oo\\B", "^\\B", "a\\B", "\\B\\(", "\\B", "a\\b", "\\b\u00e9",
  ".", "^.$", "^..$", "a.b", "a\\.b", "\\/", "/", "\\-", "\\_", "\\e", "\\\"", "\\&", "\\#", "\\ ", "\\8", "\\9", "\\0", "\\01", "\\1", "\\11", "\\101", "\\377", "\\400",
  "\\cA", "\\ca", "\\c", "\\c1", "\\x41", "\\x4", "\\xg", "\\u0041", "\\u004", "\\u{61}", "\\u{4}", "\\p{L}", "\\P{L}", "\\p", "[\\p{L}]", "\\k", "\\k<name>", "\\q",
  "\\t", "\\v", "\\f", "\\r", "\\n", "a|\\n", "\\u2028", "\\ufeff", "\n",
  "(a)(b)", "(?:a|b)c", "(?<x>a)b", "(?<year>\\d{4})-(?<m>\\d\\d)", "(?<$a_1>a)", "(a)\\1", "(['\"]).*\\1", "(['\"])a\\1", "(a)|\\1b", "\\1(a)", "(a\\1)", "(\\w+) \\1", "(?<w>\\w+) \\k<w>", "\\k<w>(?<w>a)", "(a)\\2",
  "(a)(b)?\\2c", "(ab)\\1", "(a)\\1{2}", "(a)(b)(c)\\3", "(a)\\10", "(?:a)\\1",
  "foo(?=bar)", "foo(?!bar)", "(?<=foo)bar", "(?<!foo)bar", "(?<!\\.)\\bexec\\(", "\\d+(?!px)", "\\d+(?=px)", "(?=a)*b", "(?=a)?b", "(?!a)*b", "(?=a){2}a", "^(?!.*foo)", "^(?!.*foo).*bar", "(?<=a+)b", "(?<=^|,)c", "(?<![\\w.])end", "(?=.*b)(?=.*c)a", "(?<=\\$)\\w", "(?=end)e", "a(?=$)", "(?<=^)a",
  "a**", "*a", "+", "?", "a|*", "^*", "$+", "\\b+", "(?<=a)*", "a{1}{2}", "{1}", "{1,2}a", "a{3,1}", "(", "(a", ")", "a)", "(?", "(?x)", "(?i)a", "(?i:a)", "(?a", "(?<", "(?<a", "(?<1a>b)", "(?<>a)", "(?<a>.)(?<a>.)", "(?<a>.)\\k", "(?<a>.)\\k<b>", "(?<a>.)\\k<a", "[", "[a", "[a-", "[z-a]", "[\\d-a]", "[a\\]", "\\", "a\\", "(?<a>.)[\\k]", "(?:", "(?=", "(?=a", "(?#a)",
  "^", "$", "^^a", "a$$", "a^b", "a$b", "a\\$b", "(^a)", "(a$)", "(^|x)y", "^*?", "a+?", "a??b", "a*?b", "a{2,3}?", "a{2}?", "(?:)", "()", "|", "a|", "|a", "(|a)", "(?:|)+",
  "#", "a#b", "&", "~", "-", "--help", "a b", "<div>", "\\<div\\>", "=", "x ?== ?y", "\"", "'", "`", "%", ",", ";", ":", "!", "@", "_", "a,b", "\\'", "\\,", "\\=", "\\:", "\\!", "\\%", "\\@", "\\~", "\\`", "\\;", "\\<", "\\>",
  "a{0}", "a{0}b", "(?:ab){2}", "(ab|cd)+$", "[a-z]+\\(\\)", "^[A-Z][a-z]+[A-Z]", "0[xX][0-9a-fA-F]+", "[+-]\\d", "\\d{4}-\\d{2}-\\d{2}", "function\\s+\\w+\\s*\\(", "TODO|FIXME", "\\(.*\\)", "\\(\\)", "x\\[0\\]", "x[0]", "\"[^\"]*\"", "\\\\", "\\\\d", "[\\\\]", "\u00e9", "caf.$", "[^\\x00-\\x7F]", "[\\u0080-\\uFFFF]", "\\u4e2d", "[\\0]", "[\\n]", "[^\\n]", "[\\r\\n]", "[^\\r]$", "\ufffd",
];

const folded = [
  "foo", "FOO", "foobar", "[a-z]+", "[^a]", "^[^a]+$", "caf\u00e9", "CAF\u00c9", "k", "K", "\u212a", "s", "\u017f", "\u00df", "\u1e9e", "ss", "\u00b5", "\u03bc", "\u03c3", "\u03c2", "\u0131", "\u0130", "i", "I", "\u00ff", "\u00e5", "\u212b",
  "[\u0430-\u044f]", "\u0416", "[^\u0416]$", "^[^k]$", "\\w", "\\W", "[\\W]", "[^\\W]", "(a)\\1", "(?<=A)b", "\\x41", "\\cA", "[A-_]", "[Z-a]", "todo", "\\bTHE\\b", "(?!FOO)bar", "\\u{61}", "\\u00e9", "[\\u00e0-\\u00fe]",
];

const row = (pattern, ignoreCase) => {
  try {
    const regexp = new RegExp(pattern, ignoreCase ? "i" : "");
    const hits = texts.flatMap((text, index) => (regexp.test(text) ? [index] : []));
    return { pattern, ignoreCase, hits };
  } catch (error) {
    const source = pattern === "" ? "(?:)" : pattern;
    const reason = error.message.replace(/^Invalid regular expression: /, "").slice(source.length + 2);
    return { pattern, ignoreCase, error: reason.replace(/^[a-z]*: /, "") };
  }
};

const rows = [...patterns.map((p) => row(p, false)), ...folded.map((p) => row(p, true))];
const lines = rows.map((r) => `    ${JSON.stringify(r)}`).join(",\n");
process.stdout.write(`{\n  "texts": ${JSON.stringify(texts)},\n  "rows": [\n${lines}\n  ]\n}\n`);
