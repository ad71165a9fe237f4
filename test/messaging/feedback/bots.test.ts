// Machines by what they say of themselves, people by what mail programs and browsers say.

import assert from "node:assert/strict";
import test from "node:test";
import { isBot } from "#messaging/feedback/bots.ts";

const machines = [
  "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
  "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
  "Mozilla/5.0",
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0) Chrome/103.0 Safari/537.36",
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0 Safari/537.36",
  "curl/8.5.0",
  "python-requests/2.31",
  "Go-http-client/2.0",
  "Barracuda Sentinel (EE)",
  "Microsoft Office Existence Discovery",
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
  "facebookexternalhit/1.1",
  "",
  "   ",
];
const people = [
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36 Edg/124.0",
  "Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Thunderbird/115.10.1",
  "Mozilla/4.0 (compatible; ms-office; MSOffice 16)",
  "Mozilla/5.0 (Linux; Android 13; CUBOT X50) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0 Mobile Safari/537.36",
];

test("proxies, scanners and programs", () => {
  for (const userAgent of machines) assert.ok(isBot({ userAgent, purpose: null }), userAgent);
  assert.ok(isBot({ userAgent: null, purpose: null }));
});

test("people's programs, unless they load ahead", () => {
  for (const userAgent of people) {
    assert.ok(!isBot({ userAgent, purpose: null }), userAgent);
    assert.ok(isBot({ userAgent, purpose: "prefetch;prerender" }), userAgent);
  }
});

test("a name of any length is judged", () => {
  assert.ok(!isBot({ userAgent: `Mozilla/5.0 (${"a".repeat(100_000)})`, purpose: null }));
});
