// Putting a pixel and followed links into HTML: exactly the right values change, and not a byte of anything else.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { findInsertionPoints, maxLinks, withTracking } from "#messaging/email/track-links.ts";

const all = { pixelUrl: null, clickUrl: (target: string) => `https://t.test/c/${target.length}` };
const pixelOnly = { pixelUrl: "https://t.test/o/1", clickUrl: () => null };
const targets = (html: string) => findInsertionPoints(html).links.map(({ target }) => target);

test("links to web pages, however they are written", () => {
  const cases: [html: string, expected: string][] = [
    ['<a href="https://a.test/">x</a>', '<a href="https://t.test/c/15">x</a>'],
    ["<A class=x HREF = 'http://a.test/' id=y>x</A>", "<A class=x HREF = 'https://t.test/c/14' id=y>x</A>"],
    ["<a href=https://a.test/ id=y>x</a>", '<a href="https://t.test/c/15" id=y>x</a>'],
    ["<a href=https://a.test/>x</a>", '<a href="https://t.test/c/15">x</a>'],
    ['<a href=" https://a.test/ ">x</a>', '<a href="https://t.test/c/15">x</a>'],
    ['<a\n\thref="https://a.test/"\n/>', '<a\n\thref="https://t.test/c/15"\n/>'],
    [
      '<a href="https://a.test/" href="https://b.test/">',
      '<a href="https://t.test/c/15" href="https://b.test/">',
    ],
  ];
  for (const [html, expected] of cases) assert.equal(withTracking(html, all), expected);
});

test("entities in a target are what a browser makes of them, and our URL is escaped", () => {
  assert.deepEqual(targets('<a href="https://a.test/?a=1&amp;b=2&#38;c&copy=1">'), [
    "https://a.test/?a=1&b=2&c&copy=1",
  ]);
  assert.deepEqual(targets("<a href='&#104;ttps://a.test/&quot;'>"), ['https://a.test/"']);
  const made = withTracking('<a href="https://a.test/">', { pixelUrl: null, clickUrl: () => `/?a&b"'<>` });
  assert.equal(made, '<a href="/?a&amp;b&quot;&#39;&lt;&gt;">');
});

test("everything else is left alone", () => {
  for (const html of [
    '<a href="mailto:a@b.test">',
    '<a href="tel:+49">',
    '<a href="#top">',
    '<a href="/relative">',
    '<a href="//a.test/">',
    '<a href="javascript:x">',
    '<a href="{{ url }}">',
    '<a href="https://">',
    '<a name="https://a.test/">',
    "<a href>",
    '<a data-no-track href="https://a.test/">',
    '<a href="https://a.test/" data-no-track="1">',
    '<area href="https://a.test/">',
    '<link href="https://a.test/">',
    '<img src="https://a.test/">',
    '<!-- <a href="https://a.test/"> -->',
    '<script>"<a href=https://a.test/>"</script>',
    '<style>a:after{content:"<a href=https://a.test/>"}</style>',
    '<textarea><a href="https://a.test/"></textarea>',
    '<title><a href="https://a.test/"></title>',
    '<a href="https://a.test/',
    '<a href="https://a.test/"',
    "a < b https://a.test/ & c",
    "",
  ])
    assert.equal(withTracking(html, all), html);
});

test("a link that is not to be tracked stays byte for byte", () => {
  const html = "<a href='https://a.test/u?x=1&amp;y'>1</a><a href=https://b.test>2</a>";
  const clickUrl = (target: string) => (target.startsWith("https://a.") ? null : "https://t.test/");
  assert.equal(
    withTracking(html, { pixelUrl: null, clickUrl }),
    "<a href='https://a.test/u?x=1&amp;y'>1</a><a href=\"https://t.test/\">2</a>",
  );
});

test("the pixel is before the end of the body, of the document, or at the end", () => {
  const pixel = /<img src="https:\/\/t\.test\/o\/1" width="1" height="1" alt="" [^>]*>/;
  const cases: [html: string, before: string][] = [
    ["<html><body><p>x</p></body></html>", "</body></html>"],
    ["<HTML><BODY>x</BODY ></HTML>", "</BODY ></HTML>"],
    ["<body>x</body><body>y</body>\n", "</body>\n"],
    ["<html>x</html>", "</html>"],
    ["<p>x</p>", ""],
    ["<!-- </body> --><p>x</p>", ""],
    ["", ""],
  ];
  for (const [html, before] of cases) {
    const made = withTracking(html, pixelOnly);
    assert.match(made, pixel);
    assert.ok(made.endsWith(before));
    assert.equal(made.replace(pixel, ""), html);
    assert.ok(made.slice(0, made.length - before.length).endsWith(">"));
  }
});

test("links behind the end of the body are followed too", () => {
  const html = '<a href="https://a.test/">1</a></body><a href="https://b.test/">2</a>';
  const made = withTracking(html, { pixelUrl: "P", clickUrl: () => "C" });
  assert.match(made, /^<a href="C">1<\/a><img src="P"[^>]*><\/body><a href="C">2<\/a>$/);
});

test("what cannot be read goes out as it is", () => {
  const odd = (): never => {
    throw new Error("odd");
  };
  assert.equal(
    withTracking('<a href="https://a.test/">', { pixelUrl: "P", clickUrl: odd }),
    '<a href="https://a.test/">',
  );
});

/** Pieces of HTML, sound and broken, put together at random. */
const piece = fc.constantFrom(
  '<a href="https://a.test/?x=1&amp;y=2">',
  "<a href='http://b.test/'>",
  "<a href=https://c.test/d>",
  "</a>",
  "<p>",
  "</body>",
  "</html>",
  "<!--",
  "-->",
  "<script>",
  "</script>",
  '"',
  "'",
  "<",
  ">",
  "&amp;",
  "<a ",
  "href=",
  "data-no-track ",
  "ü🙂",
  "\r\n",
  "\0",
  "<![CDATA[",
  "]]>",
  "<svg>",
  "<title>",
);

test("in every mail that is put together, only the values of links change", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 40 }), (pieces) => {
      const html = pieces.join("");
      const { links, pixelAt } = findInsertionPoints(html);
      let at = 0;
      for (const { start, end } of links) {
        assert.ok(at <= start && start <= end && end <= html.length);
        at = end;
      }
      assert.ok(pixelAt >= 0 && pixelAt <= html.length);
      assert.equal(withTracking(html, { pixelUrl: null, clickUrl: () => null }), html);
      const marked = withTracking(html, { pixelUrl: null, clickUrl: () => "\u{1F517}" });
      const back = links.map(({ start, end }) => html.slice(start, end));
      let i = 0;
      const restored = marked.replace(/"?\u{1F517}"?/gu, (mark) => {
        const { quoted } = links[i]!;
        const value = back[i++]!;
        return quoted ? mark.replace("\u{1F517}", value) : value;
      });
      assert.equal(restored, html);
      // What was read once is read the same when it is read again, with the new targets.
      const again = findInsertionPoints(
        withTracking(html, { pixelUrl: null, clickUrl: () => "https://t.test/" }),
      );
      assert.deepEqual(again.links.length, links.length);
      assert.ok(again.links.every(({ target }) => target === "https://t.test/"));
    }),
    { numRuns: 2000 },
  );
});

test("deep and broken HTML costs no more than other HTML of its length", () => {
  const html = `${"<div>".repeat(60_000)}<a href=https://a.test/></body>`;
  assert.equal(targets(html).length, 1);
  assert.ok(withTracking(html, pixelOnly).endsWith("</body>"));
  assert.equal(targets("<a ".repeat(200_000)).length, 0);
});

test("the first 1,000 links of a mail are led through us, the others are left as they are", () => {
  const link = '<a href="https://a.test/">x</a>';
  const made = withTracking(`${link.repeat(maxLinks + 200)}</body>`, { pixelUrl: "P", clickUrl: () => "C" });
  assert.equal(made.split('href="C"').length - 1, 1000);
  assert.ok(made.startsWith('<a href="C">x</a>'));
  assert.ok(made.includes(`${link.repeat(200)}<img src="P"`));
  assert.ok(made.endsWith("</body>"));
});

test("links add 256 KiB to a mail at most", () => {
  const html = `${'<a href="https://a.test/">x</a>'.repeat(900)}</body>`;
  const url = `https://t.test/${"c".repeat(1000)}`;
  const made = withTracking(html, { pixelUrl: null, clickUrl: () => url });
  const growth = url.length - "https://a.test/".length;
  assert.equal(made.length - html.length, growth * Math.floor((256 * 1024) / growth));
  assert.ok(made.endsWith('<a href="https://a.test/">x</a></body>'));
});

test("of a mail of megabytes only the beginning is looked through, and the pixel is at its end", () => {
  const link = '<a href="https://a.test/">x</a>';
  const long = `<body>${link}${"<p>word</p>".repeat(100_000)}`;
  const made = withTracking(`${long}${link}</body>`, { pixelUrl: "P", clickUrl: () => "C" });
  assert.ok(made.startsWith('<body><a href="C">x</a><p>'));
  assert.match(made.slice(-200), /<a href="https:\/\/a\.test\/">x<\/a><\/body><img src="P"[^>]*>$/);
  // A link that the cut goes through is left alone.
  for (const before of [524_270, 524_280, 524_287]) {
    const html = `${"x".repeat(before)}${link}`;
    assert.equal(withTracking(html, all), html);
  }
});
