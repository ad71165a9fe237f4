// People and their sessions: pages of other sites, planted and borrowed sessions, a member who wants more, guessing that
// shall lock no user out, and what proxies say about clients.

import { clientAddress, isLinux, proxyAddress } from "./addresses.ts";
import { type Asked, jsonOf, type Reply } from "./ask.ts";
import { type Attack, tally } from "./attack.ts";
import type { Stage } from "./stage.ts";

const family = "sessions";
const session = "/api/manage/v1/session";
type Headers = NonNullable<Asked["headers"]>;

const passwordOf = (email: string) => `the long password of ${email}`;

async function makeUser(stage: Stage, email: string, account: string | null): Promise<void> {
  const role = account === null ? "operator" : "member";
  await stage.manage("POST", "/users", { email, name: email, role, account, password: passwordOf(email) });
}

const signIn = (stage: Stage, email: string, password: string, more: Partial<Asked> = {}): Promise<Reply> =>
  stage.ask({ path: session, body: { email, password }, ...more });

interface Browser {
  cookie: string;
  csrf: string;
}

function browserOf(reply: Reply): Browser {
  const cookie = String(reply.headers["set-cookie"]?.[0] ?? "").split(";", 1)[0]!;
  return { cookie, csrf: String(jsonOf(reply)?.data?.csrf_token) };
}

const forgery: Attack = {
  family,
  name: "sessions: other sites, planted, borrowed, ended; members who want more",
  expected: "401 or 403, and our own page works",
  short: true,
  async run(stage) {
    const it = tally();
    // From a network of its own: the wrong keys of other attacks count against their client for a minute.
    const from = clientAddress(245);
    const ask = (asked: Asked) => stage.ask({ ...(from === undefined ? {} : { from }), ...asked });
    await makeUser(stage, "member@ours.test", stage.ours.id);
    await makeUser(stage, "other@ours.test", stage.ours.id);
    const planted = "trunkline=planted-by-another-0123456789";
    const mine = browserOf(
      await signIn(stage, "member@ours.test", passwordOf("member@ours.test"), {
        ...(from === undefined ? {} : { from }),
        headers: [["Cookie", planted]],
      }),
    );
    const other = browserOf(await signIn(stage, "other@ours.test", passwordOf("other@ours.test")));
    it.add("fixation", mine.cookie === planted && "the planted session was taken over");
    const at = `/api/manage/v1/accounts/${stage.ours.id}/suppressions`;
    const body = { channel: "sms", recipients: ["+4915112345678"] };
    const change = (headers: Headers, more: Partial<Asked> = {}) =>
      ask({ path: at, body, headers: [["Cookie", mine.cookie], ...headers], ...more });
    const csrf = ["X-CSRF-Token", mine.csrf] as const;
    const same = ["Sec-Fetch-Site", "same-origin"] as const;
    const refused: [label: string, asked: Promise<Reply>, statuses: number[]][] = [];
    const add = (label: string, asked: Promise<Reply>, ...statuses: number[]) =>
      refused.push([label, asked, statuses]);
    for (const site of ["cross-site", "same-site", "", "same-origin, cross-site", "SAME-ORIGIN x"])
      add(`Sec-Fetch-Site: ${site}`, change([csrf, ["Sec-Fetch-Site", site]]), 403);
    for (const origin of [
      "https://evil.example",
      "null",
      "http://trunkline.test.evil.example",
      "http://trunkline.test:81",
      "https://trunkline.test",
      "",
    ])
      add(`Origin: ${origin}`, change([csrf, ["Origin", origin]]), 403);
    add("no header of a browser", change([csrf]), 403);
    add("no token", change([same]), 403);
    add("an empty token", change([same, ["X-CSRF-Token", ""]]), 403);
    add("a token of another session", change([same, ["X-CSRF-Token", other.csrf]]), 403);
    add("a token in the query", change([same], { path: `${at}?csrf_token=${mine.csrf}` }), 403);
    add("a token twice", change([same, csrf, csrf]), 403);
    add(
      "a form",
      change([same, csrf, ["Content-Type", "application/x-www-form-urlencoded"]], { body: "channel=sms" }),
      415,
    );
    add(
      "plain text",
      change([same, csrf, ["Content-Type", "text/plain"]], { body: JSON.stringify(body) }),
      415,
    );
    const get = (headers: Headers, path = session) => ask({ path, headers });
    add("two cookies", get([["Cookie", `${mine.cookie}; ${other.cookie}`]]), 401);
    add("a cookie cut short", get([["Cookie", mine.cookie.slice(0, -1)]]), 401);
    add("a cookie as a token", get([["Authorization", `Bearer ${mine.cookie.slice(10)}`]]), 401);
    add("a cookie of another name", get([["Cookie", mine.cookie.replace("trunkline=", "Trunkline=")]]), 401);
    for (const path of ["users", "tokens", "audit", "installation"])
      add(`a member asks for ${path}`, get([["Cookie", mine.cookie]], `/api/manage/v1/${path}`), 403);
    for (const name of ["_method", "X-HTTP-Method-Override", "X-Method-Override"])
      add(
        `override by ${name}`,
        ask({
          method: "GET",
          path: `/api/manage/v1/users?${name}=POST`,
          headers: [
            ["Cookie", mine.cookie],
            ["X-HTTP-Method-Override", "POST"],
            ["X-Method-Override", "POST"],
          ],
        }),
        403,
      );
    add(
      "a member makes an operator",
      ask({
        path: "/api/manage/v1/users",
        body: { email: "x@x.test", name: "x", role: "operator", account: null, password: passwordOf("x") },
        headers: [["Cookie", mine.cookie], csrf, same],
      }),
      403,
    );
    add(
      "more fields than there are",
      signIn(stage, "member@ours.test", "x", {
        ...(from === undefined ? {} : { from }),
        body: { email: "member@ours.test", password: "x", role: "operator" },
      }),
      422,
    );
    add(
      "a preflight of another site",
      ask({
        method: "OPTIONS",
        path: at,
        headers: [
          ["Origin", "https://evil.example"],
          ["Access-Control-Request-Method", "POST"],
        ],
      }),
      404,
      405,
    );
    for (const [label, asked, statuses] of refused) {
      const reply = await asked;
      it.add(reply.status, !statuses.includes(reply.status) && `${label}: ${reply.status}`);
      if (reply.headers["access-control-allow-origin"] !== undefined)
        it.fault(`${label}: another site may read it`);
    }
    const own = await change([csrf, same]);
    it.add(
      `${own.status} own page`,
      own.status !== 201 && `our own page: ${own.status} ${own.text.slice(0, 200)}`,
    );
    await ask({
      method: "DELETE",
      path: session,
      headers: [["Cookie", other.cookie], ["X-CSRF-Token", other.csrf], same],
    });
    const after = await get([["Cookie", other.cookie]]);
    it.add(after.status, after.status !== 401 && `a session that was ended: ${after.status}`);
    return it;
  },
};

const lockOut: Attack = {
  family,
  name: "wrong passwords from many networks, then the right one",
  expected: "401, and the right password works",
  short: isLinux,
  async run(stage, size) {
    const it = tally();
    const email = "victim@ours.test";
    await makeUser(stage, email, stage.ours.id);
    const networks = size === "whole" ? 30 : 10;
    for (let at = 0; at < networks; at += 1) {
      const from = clientAddress(at);
      const { status } = await signIn(stage, email, `wrong ${at}`, from === undefined ? {} : { from });
      it.add(status, status !== 401 && status !== 429 && `a wrong password: ${status}`);
    }
    for (let at = 0; at < 3; at += 1) {
      const from = clientAddress(240 + at);
      const { status } = await signIn(stage, email, passwordOf(email), from === undefined ? {} : { from });
      it.add(`${status} right`, status !== 200 && `the right password from another network: ${status}`);
    }
    return it;
  },
};

/** What X-Forwarded-For may be, by number. */
const spellings: Record<string, (at: number) => string> = {
  "its own address": (at) => `203.0.113.${at}`,
  "a port": (at) => `203.0.113.8:${1000 + at}`,
  "brackets and a port": (at) => `[2001:db8::1]:${1000 + at}`,
  "one /64": (at) => `2001:db8:1:1::${at.toString(16)}`,
  mapped: (at) => `::ffff:203.0.113.9${" ".repeat(at % 2)}`,
  garbage: (at) => `garbage-${at}`,
  "quoted garbage": (at) => `"for=${at}"`,
  "an octal": (at) => `0${at}.0.0.1`,
  "a prefix": (at) => `198.51.100.${at}, 203.0.113.77`,
};

/** How many of so many tries at one email address were judged (401), and how many may be. */
async function judged(stage: Stage, value: (at: number) => string, from: string | undefined) {
  const started = performance.now();
  const email = `unknown-${Math.random().toString(36).slice(2)}@x.test`;
  let count = 0;
  for (let at = 0; at < tries; at += 1) {
    const headers = [["X-Forwarded-For", value(at)]] as const;
    const { status } = await signIn(stage, email, "wrong", {
      headers,
      ...(from === undefined ? {} : { from }),
    });
    if (status === 401) count += 1;
  }
  // Ten a minute come back while a slow machine tries.
  return { count, max: 10 + Math.floor((performance.now() - started) / 6_000) };
}

const tries = 14;
/** Spellings of many clients that are clients of their own behind a proxy that is believed. */
const manyClients = ["its own address"];

const forwarded: Attack = {
  family,
  name: "X-Forwarded-For, spelt in many ways",
  expected: "at most 10 sign-ins a minute are judged for one client and email address",
  short: false,
  async run(stage) {
    const it = tally();
    const see = async (label: string, value: (at: number) => string, from: string | undefined) => {
      const { count, max } = await judged(stage, value, from);
      const fault = `${label}: ${count} of ${tries} judged`;
      it.add(count > max ? `more than ${max} judged` : "at most 10 judged", count > max && fault);
    };
    let network = 0;
    for (const [label, value] of Object.entries(spellings)) {
      network += 1;
      await see(`not trusted, ${label}`, value, clientAddress(network));
      if (isLinux && !manyClients.includes(label))
        await see(`through the proxy, ${label}`, value, proxyAddress);
    }
    return it;
  },
};

const setUp: Attack = {
  family,
  name: "guessed set-up codes",
  expected: "401, then 429",
  short: true,
  async run(stage) {
    const it = tally();
    for (let at = 0; at < 25; at += 1) {
      const body = {
        code: `guess-${at}`,
        email: `x${at}@x.test`,
        name: "x",
        password: "a long enough password",
      };
      const { status } = await stage.ask({ path: "/api/manage/v1/setup", body });
      it.add(status, status !== 401 && status !== 429 && `${status}`);
    }
    if ((it.counts.get("401") ?? 0) > 10) it.fault("more than ten guesses were judged");
    return it;
  },
};

const metrics: Attack = {
  family,
  name: "/metrics without a token, by other names and through proxies",
  expected: "403; the machine itself under its own name: 200",
  short: true,
  async run(stage) {
    const it = tally();
    const cases: (readonly (readonly [string, string])[])[] = [
      [["Host", "evil.example"]],
      [["Host", "evil.example:8080"]],
      [["Host", "127.0.0.1.evil.example"]],
      [["Host", "localhost.evil.example"]],
      ...["Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP"].map(
        (name) => [[name, "203.0.113.7"]] as const,
      ),
    ];
    for (const headers of cases) {
      const { status } = await stage.ask({ path: "/metrics", headers });
      it.add(status, status !== 403 && `${headers[0]!.join(": ")}: ${status}`);
    }
    const { status } = await stage.ask({ path: "/metrics" });
    it.add(`${status} own`, status !== 200 && `directly: ${status}`);
    return it;
  },
};

export const sessionAttacks: readonly Attack[] = [forgery, lockOut, forwarded, setUp, metrics];
