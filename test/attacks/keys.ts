// Keys in odd places, wrong keys by the thousand, and guessed sessions: nothing but the right key where a key belongs
// lets anybody in.

import { createHash } from "node:crypto";
import type { Asked } from "./ask.ts";
import { type Attack, spread, tally } from "./attack.ts";
import { apiKey, secrets } from "./installation.ts";
import { head } from "./line.ts";

const right = secrets.ourKey;
const full = (text: string) =>
  [...text].map((char) => String.fromCodePoint(char.charCodeAt(0) + 0xfee0)).join("");

/** Values that are near the right key, or near what a careless comparison takes for it. */
const wrongs = [
  "null",
  "undefined",
  "true",
  "0",
  "[]",
  "{}",
  "*",
  "%",
  "_",
  "' or '1'='1",
  '" or 1=1 --',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the attack is that text.
  "${jndi:ldap://x}",
  "{{key}}",
  right.slice(0, -1),
  `${right}x`,
  right.slice(0, 8),
  right.slice(3),
  right.toUpperCase(),
  right.replace("tl_", "TL_"),
  createHash("sha256").update(right).digest("hex"),
  createHash("sha256").update(right).digest("base64"),
  Buffer.from(right).toString("base64"),
  [...right].reverse().join(""),
  `Bearer ${right}`,
  `${right},${right}`,
  `${right}, x`,
  `${right};`,
  `x ${right}`,
  `"${right}"`,
  `${right}%00`,
  secrets.poolKey,
  secrets.operator,
  secrets.member,
  "a".repeat(7000),
];

const contact = [{ number: "+15550000001", message: "Hi" }];
const send = "/api/sms/send";
const multipart = (part: string) => Buffer.from(`--XX\r\n${part}\r\n--XX--\r\n`);

/** Requests that carry no right key where one belongs. */
function oddKeys(): [label: string, asked: Asked][] {
  const list: [string, Asked][] = [];
  const q = encodeURIComponent;
  for (const wrong of wrongs) {
    if (!/[^\x20-\x7e]/.test(wrong))
      list.push([`header ${wrong.slice(0, 30)}`, { path: "/api/account", headers: apiKey(wrong) }]);
    list.push([`query ${wrong.slice(0, 30)}`, { path: `/api/account?api_key=${q(wrong)}` }]);
    list.push([`JSON ${wrong.slice(0, 30)}`, { path: send, body: { api_key: wrong, contact } }]);
    list.push([
      `form ${wrong.slice(0, 30)}`,
      {
        path: send,
        headers: [["Content-Type", "application/x-www-form-urlencoded"]],
        body: `api_key=${q(wrong)}&contact[0][number]=%2B15550000001&contact[0][message]=Hi`,
      },
    ]);
  }
  for (const wide of [
    full(right),
    `\u00a0${right}x`,
    `${right}\u00e9`,
    `${right.slice(0, 9)}\u200b${right.slice(9)}`,
    "\ud800",
  ])
    list.push([`odd characters`, { path: send, body: { api_key: wide, contact } }]);
  for (const value of [
    [right],
    { 0: right },
    { key: right },
    1e300,
    true,
    [[right]],
    { toString: right },
    null,
    [],
    {},
  ])
    list.push([`JSON ${JSON.stringify(value)}`, { path: send, body: { api_key: value, contact } }]);
  for (const name of ["Api_key", "API_KEY", "apikey", "api_key ", "api_key[]", "api-key", "apiKey"])
    list.push([`JSON name ${name}`, { path: send, body: { [name]: right, contact } }]);
  for (const text of [
    `{"__proto__":{"api_key":"${right}"},"contact":[]}`,
    `{"constructor":{"prototype":{"api_key":"${right}"}},"contact":[]}`,
    `{"contact":[{"api_key":"${right}"}]}`,
    `[{"api_key":"${right}"}]`,
    `"${right}"`,
    `{"api_key":"${right}"`,
    `{"api_key":"${right}"}}`,
    `{'api_key':'${right}'}`,
  ])
    list.push([
      `JSON ${text.slice(0, 40)}`,
      { path: send, headers: [["Content-Type", "application/json"]], body: text },
    ]);
  for (const name of [
    "Api-key[]",
    "Api_key",
    "API_KEY",
    "apikey",
    "api_key[]",
    "api_key[0]",
    "api_key.",
    "%00api_key",
    "key",
    "token",
    "access_token",
  ])
    list.push([`query name ${name}`, { path: `/api/account?${name}=${right}` }]);
  for (const name of [
    "X-Api-Key",
    "Authorization",
    "Cookie",
    "Proxy-Authorization",
    "X-Auth-Token",
    "Apikey",
    "X-Original-URL",
    "X-HTTP-Method-Override",
    "Referer",
  ])
    for (const value of [right, `Bearer ${right}`, `api_key=${right}`])
      list.push([`header ${name}`, { path: "/api/account", headers: [[name, value]] }]);
  const pair = (one: string, other: string): Asked => ({
    path: "/api/account",
    headers: [
      ["Api-key", one],
      ["Api-key", other],
    ],
  });
  list.push(
    ["two headers", pair(right, right)],
    ["right and wrong header", pair(right, "x")],
    ["wrong and right header", pair("x", right)],
  );
  list.push(["two in the query", { path: `/api/account?api_key=${right}&api_key=${right}` }]);
  list.push([
    "wrong header, right query",
    { path: `/api/account?api_key=${right}`, headers: apiKey("wrong") },
  ]);
  list.push([
    "wrong query, right body",
    { path: `${send}?api_key=wrong`, body: { api_key: right, contact } },
  ]);
  list.push(["body of a GET", { method: "GET", path: "/api/account", body: { api_key: right } }]);
  list.push([
    "a charset",
    {
      path: send,
      headers: [["Content-Type", "application/json; charset=utf-16"]],
      body: Buffer.from(JSON.stringify({ api_key: right, contact }), "utf16le"),
    },
  ]);
  list.push([
    "gzip that is not gzip",
    {
      path: send,
      headers: [
        ["Content-Type", "application/json"],
        ["Content-Encoding", "gzip"],
      ],
      body: { api_key: right, contact },
    },
  ]);
  const form: [string, string][] = [["Content-Type", "multipart/form-data; boundary=XX"]];
  for (const part of [
    `Content-Disposition: form-data; name="api_key"; filename="k.txt"\r\n\r\n${right}`,
    `Content-Disposition: form-data; name="attachments"; filename="api_key"\r\n\r\n${right}`,
    `Content-Disposition: form-data; name="contact"\r\n\r\n[]\r\n--XY\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n${right}`,
    `Content-Disposition: attachment; name="api_key"\r\n\r\n${right}`,
    `X: form-data; name="api_key"\r\n\r\n${right}`,
  ])
    list.push(["multipart", { path: "/api/email/send", headers: form, body: multipart(part) }]);
  for (const path of [
    "//api/account",
    "/api//account",
    "/API/account",
    "/api/account;x",
    "/api/%61ccount%2f",
    "/api/../api/account/..",
    "/api/get/sms/..%2f..%2faccount",
    "/health/live/../../api/account",
    "/api/account%00",
  ])
    list.push([`path ${path}`, { path }]);
  for (const method of ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "SEARCH"])
    list.push([`method ${method}`, { method, path: "/api/account" }]);
  return list;
}

const family = "keys";

const oddPlaces: Attack = {
  family,
  name: "keys in odd places",
  expected: "4xx, and the right key in its place works",
  short: true,
  async run(stage) {
    const it = tally();
    const list = oddKeys();
    await spread(list.length, 8, async (at) => {
      const [label, asked] = list[at]!;
      const { status, text } = await stage.ask(asked);
      const held = status >= 400 && status < 500 && !text.includes(right) && !text.includes('"plan"');
      it.add(status, !held && `${label}: ${status}`);
    });
    for (const [label, asked] of [
      ["header", { path: "/api/account", headers: apiKey(right) }],
      ["query", { path: `/api/account?api_key=${right}` }],
      ["empty header, then query", { path: `/api/account?api_key=${right}`, headers: apiKey("") }],
      ["body", { path: send, body: { api_key: right, contact } }],
    ] as [string, Asked][]) {
      const { status } = await stage.ask(asked);
      if (status !== 200) it.fault(`the right key in its place (${label}): ${status}`);
    }
    return it;
  },
};

const flood: Attack = {
  family,
  name: "wrong keys of 500 characters",
  expected: "403 each",
  short: true,
  async run(stage, size) {
    const it = tally();
    const [lines, each] = size === "whole" ? [20, 1000] : [5, 100];
    await spread(lines, lines, async (line) => {
      const wire = await stage.line();
      if (wire === null) return it.fault("no connection");
      // Ten at a time: unread answers are another attack.
      for (let sent = 0; sent < each; sent += 10) {
        const requests = Array.from({ length: 10 }, (_, at) =>
          head("GET", "/api/account", [`Api-key: ${`${line}x${sent + at}`.padEnd(500, "k")}`]),
        );
        await wire.write(requests.join(""));
        await wire.until(/(?:HTTP\/1\.1 [\s\S]*?Invalid Api Key"\}){10}/, 30_000);
        const statuses = wire.statuses();
        for (const status of statuses) it.add(status, status !== 403 && `${status} to a wrong key`);
        if (statuses.length !== 10) it.fault(`${statuses.length} answers to 10 requests`);
        wire.clear();
      }
      wire.end();
    });
    return it;
  },
};

const guessed: Attack = {
  family,
  name: "guessed session cookies",
  expected: "401, then 429",
  short: true,
  async run(stage, size) {
    const it = tally();
    const count = size === "whole" ? 300 : 120;
    let refused = 0;
    for (let at = 0; at < count; at += 1) {
      const cookie = `trunkline=${"guess".padEnd(40, String(at))}`;
      const { status } = await stage.ask({ path: "/api/manage/v1/session", headers: [["Cookie", cookie]] });
      if (status === 429) refused += 1;
      it.add(status, status !== 401 && status !== 429 && `${status} to a guess`);
    }
    if (refused === 0) it.fault("guessing was never slowed down");
    return it;
  },
};

export const keyAttacks: readonly Attack[] = [oddPlaces, flood, guessed];
