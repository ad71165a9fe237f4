// The text part is what blind readers, watches and spam filters see: words, lines and links survive, nothing hidden shows.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { htmlOfText, isHtml, maxTextLength, textOfHtml } from "#messaging/email/html-text.ts";

describe("isHtml", () => {
  it("knows a body with a tag from one with angle brackets", () => {
    for (const html of ["<p>Hi", "a<br>b", "a<br/>b", '<A HREF="x">y</A>', "<!DOCTYPE html>x", "x</b>"])
      assert.equal(isHtml(html), true, html);
    for (const text of ["Hi", "a < b > c", "Joe <joe@example.com>", "<3", "if (a <b) c>d", "<pre", "</ p>"])
      assert.equal(isHtml(text), false, text);
  });
});

describe("textOfHtml", () => {
  const cases: [html: string, text: string][] = [
    ["<h1>Big &amp; small</h1><p>One<br>two</p><p>Three</p>", "Big & small\n\nOne\ntwo\n\nThree"],
    ["<ul><li>x<li>y</ul>", "- x\n- y"],
    ["<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"],
    ['see <a href="https://a.test/c?x=1&amp;y=2">this</a>.', "see this (https://a.test/c?x=1&y=2)."],
    ['<a href="https://a.test/">https://a.test/</a>', "https://a.test/"],
    ["<a href=mailto:x@y.test>x@y.test</a>", "x@y.test"],
    ['<a href="javascript:alert(1)">press</a>', "press"],
    ['<a href="https://a.test/"><img src="i.png" alt="The shop"></a>', "The shop (https://a.test/)"],
    ["<head><title>T</title><style>p{}</style></head><body>shown<script>hidden()</script></body>", "shown"],
    ["<pre>a\n  b</pre>c", "a\n  b\n\nc"],
    ["a\n   b\u200b\t c", "a b c"],
    ["f<b>oo</b>bar", "foobar"],
    ["1 &lt; 2 &euro; &#8364;", "1 < 2 € €"],
    ["a<br><br><br><br>b", "a\n\nb"],
    ["a<hr>b", `a\n${"-".repeat(40)}\nb`],
  ];
  for (const [html, text] of cases) it(html, () => assert.equal(textOfHtml(html), text));

  it("takes anything, and leaves no tag of it", () => {
    const piece = fc.constantFrom(
      "<p>",
      "</p>",
      "<a href='https://x.test/'>",
      "</a>",
      "<!--",
      "-->",
      "<",
      ">",
      "&",
      "&#0;",
    );
    const html = fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 }).map((parts) => parts.join(""));
    fc.assert(fc.property(html, (each) => typeof textOfHtml(each) === "string"));
  });

  it("does not mind depth", () => {
    assert.equal(textOfHtml(`${"<div>".repeat(100_000)}end`), "end");
  });
});

describe("the text of a very long mail", () => {
  const ending = "\n\n[…]";

  it("is that of its beginning, and says that there is more", () => {
    const paragraph = "<p>twelve chars</p>";
    const count = Math.ceil(maxTextLength / paragraph.length) + 1;
    const text = textOfHtml(paragraph.repeat(count));
    assert.ok(text.startsWith("twelve chars\n\ntwelve chars\n\n"));
    assert.ok(text.endsWith(ending));
    const read = text.split("twelve chars").length - 1;
    assert.equal(read, Math.floor(maxTextLength / paragraph.length));
    assert.ok(!textOfHtml(paragraph.repeat(count - 3)).includes("…"));
  });

  it("is no longer than its HTML may be, for every tag", () => {
    const text = textOfHtml("<hr>".repeat(50_000));
    assert.equal(text.length, maxTextLength + ending.length);
    assert.ok(text.endsWith(ending));
  });

  it("is cut between characters and not inside a tag", () => {
    const odd = textOfHtml(`<p>${"🙂".repeat(maxTextLength)}`);
    assert.ok(odd.isWellFormed());
    const cut = textOfHtml(`${"<p>".padEnd(maxTextLength - 10, "x")}<a href="https://x.test/">shown</a>`);
    assert.ok(!cut.includes("https") && !cut.includes("<a"));
  });
});

describe("htmlOfText", () => {
  it("says the same, and nothing of it is a tag", () => {
    const text = 'a <script> & "b"\nhttps://x.test/y?a=1&b=2.';
    const html = htmlOfText(text);
    assert.ok(!html.includes("<script>"));
    assert.ok(html.includes('<a href="https://x.test/y?a=1&amp;b=2">'));
    assert.equal(textOfHtml(html), text);
  });

  it("keeps its lines, with every line end", () => {
    assert.match(htmlOfText("a\r\nb\rc\n\nd"), /<p>a<br>\nb<br>\nc<br>\n<br>\nd<\/p>/);
  });

  it("links the first 1,000 addresses, and leaves the others as text", () => {
    const html = htmlOfText("http://x.test/ ".repeat(1500));
    assert.equal(html.split("<a href=").length - 1, 1000);
    assert.equal(html.split("http://x.test/").length - 1, 2500);
  });
});
