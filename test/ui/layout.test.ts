// Every page, of an installation with names of 60 characters: accessibility, widths and stillness. It needs a browser, because nothing else
// makes a layout. One page serves all of it: its window is resized.

import assert from "node:assert/strict";
import test from "node:test";
import { share } from "../runner/share.ts";
import { cutOff, expectSound, follow, missing, settled, setUp, type Visit, visit } from "./browser.ts";
import { api, furnish, pathsOf } from "./pages.ts";

/** CSS px. Windows of 320 to 1,920 px at 100 to 200 % are among them: 1,280 at 200 % is 640, 1,920 at 200 % is 960. */
const widths = [320, 640, 768, 960, 1_120, 1_920] as const;

/** 60 characters between which no line can break. */
const long = (name: string) =>
  name.padEnd(60, "_of_the_customer_support_in_the_second_data_centre").slice(0, 60);

/** Gives everything that has a name one of 60 characters, and sends to a recipient that is as long. Returns the paths of all pages. */
async function lengthen(at: Visit): Promise<Record<string, string>> {
  const of = await furnish(at);
  const a = `/accounts/${of.account}`;
  const change = async (method: string, path: string, payload: object) => {
    const { status, body } = await api(at, method, path, payload);
    assert.ok(status < 300, `${method} ${path}: ${JSON.stringify(body)}`);
  };
  await change("PATCH", a, { name: long("acme") });
  await change("PATCH", `${a}/pools/${of.pool}`, { name: long("pool") });
  const member = { name: long("member"), kind: "sandbox", models: [long("model")], priority: 9 };
  await change("POST", `${a}/pools/${of.pool}/members`, member);
  await change("POST", `${a}/pools/${of.pool}/keys`, { name: long("key"), models: [long("model")] });
  await change("POST", `${a}/gateways`, { identifier: long("mails"), channel: "email", kind: "sandbox" });
  await change("POST", `${a}/gateways`, { identifier: long("phones"), channel: "sms", kind: "android" });
  await change("POST", `${a}/api-keys`, { name: long("key"), scopes: ["read"] });
  await change("POST", "/tokens", { name: long("token"), role: "operator", scopes: ["messages:read"] });
  const host = `${long("").replaceAll("_", "a")}.example`;
  await change("POST", `${a}/sending-domains`, { domain: host });
  const to = `${long("ada")}@${host}`;
  await change("POST", `${a}/gateways/${long("mails")}/test`, { to, message: long("text") });
  await change("POST", `${a}/suppressions`, { channel: "email", recipients: [to], note: long("note") });
  await at.it.advance(60_000);
  const paths = pathsOf(of);
  return {
    ...paths,
    "a gateway with a long name": `${paths.gateways}/${long("mails")}`,
    "its settings": `${paths.gateways}/${long("mails")}/settings`,
    "a person with a long address": `${paths.overview}/people/${encodeURIComponent(to)}`,
  };
}

/** What is out of sight at this width: of the page, of a table that scrolls by itself, and controls at the edge. */
const outOfSight = `(() => {
  const beyond = ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth;
  const page = beyond(document.documentElement);
  const tables = [...document.querySelectorAll("section.table")].filter((table) => beyond(table) > 0);
  return [
    ...(page > 0 ? [page + " px of the page"] : []),
    ...tables.map((table) => beyond(table) + " px of the table " + table.ariaLabel),
    ...${cutOff},
  ];
})()`;

/** Numbers that are read without groups; in code, fields and their hints they are as they are typed. */
const ungrouped = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (/[+]\\d{9,}/.test(data) && parentElement.closest("pre, code, textarea, script, .hint") === null) found.push(data);
  }
  return found;
})()`;

/**
 * Shows each answer of the API in a frame of its own, in the order of the questions, as a slow network may: nothing moves because one comes.
 * `moves` returns what the browser saw moving since it was called last.
 */
const watched = `{
  const real = fetch;
  let last = Promise.resolve();
  window.fetch = (...input) => {
    const answer = real(...input);
    const ended = answer.then(() => {}, () => {});
    const shown = last.then(() => ended).then(() => new Promise(requestAnimationFrame));
    if (!String(input[0]).endsWith("/events")) last = shown;
    return shown.then(() => answer);
  };
  const seen = [];
  const observer = new PerformanceObserver((list) => seen.push(...list.getEntries()));
  observer.observe({ type: "layout-shift" });
  // What the window's own change moves is of its frame, which may come late on a busy machine.
  addEventListener("resize", async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    seen.splice(0);
    observer.takeRecords();
  });
  const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
  window.moves = async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    return [...seen.splice(0), ...observer.takeRecords()].flatMap(({ value, sources }) =>
      sources.map(({ node, previousRect, currentRect }) => {
        const part = node?.closest ? node : node?.parentElement;
        return [value.toFixed(3), part?.outerHTML.slice(0, 80), place(previousRect), place(currentRect)].join(" | ");
      }),
    );
  };
}`;

test("every page is sound in light and dark, in sight at every width, and still while its answers arrive", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await setUp(at);
  const paths = await lengthen(at);
  // Times of today are the longest: they say how long ago, too.
  await page.clock.setFixedTime(at.it.clock.now());
  await page.addInitScript(watched);
  const found: string[] = [];
  const look = async (what: string, script: string) => {
    for (const fault of (await page.evaluate(script)) as string[]) found.push(`${what}: ${fault}`);
  };
  for (const [colours, isLoaded] of [
    ["light", true],
    ["dark", false],
  ] as const) {
    await page.emulateMedia({ colorScheme: colours, reducedMotion: "reduce" });
    const pages = share(`pages in ${colours}`, ["ui/", "src/http/pages/", "test/ui/"], Object.entries(paths));
    for (const [name, path] of pages) {
      if (isLoaded) await page.goto(`${at.url}${path}`);
      else await follow(at, path);
      await settled(at);
      await look(`${name} moves`, "moves()");
      await look(`a number on ${name}`, ungrouped);
      for (const width of isLoaded ? widths : []) {
        await page.setViewportSize({ width, height: 800 });
        await look(`out of sight on ${name} at ${width} px`, outOfSight);
      }
      await page.setViewportSize({ width: isLoaded ? 1_280 : 320, height: 800 });
      await expectSound(at, `${name}, ${colours}`);
      await page.setViewportSize({ width: 1_280, height: 800 });
      // The moves that the window caused do not count.
      await page.evaluate("moves()");
    }
  }
  assert.deepEqual(found, []);
});

/** Shows these pages, each loaded anew, and returns what moved on them. */
async function movedOn(at: Visit, state: string, paths: readonly string[]): Promise<string[]> {
  const moved: string[] = [];
  for (const path of paths) {
    await at.page.goto(`${at.url}${path}`);
    await settled(at);
    for (const each of (await at.page.evaluate("moves()")) as string[])
      moved.push(`${state}: ${path} moves: ${each}`);
  }
  return moved;
}

test("nothing moves while the answers arrive of an account that has nothing, and of one in trouble", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await setUp(at);
  await page.clock.setFixedTime(it.clock.now());
  await page.addInitScript(watched);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const lists = ["", "/messages", "/gateways", "/webhooks", "/pools", "/hooks"];
  const empty = await movedOn(
    at,
    "empty",
    [...lists, "/gateways/sandbox-sms"].map((page) => `/a/${account}${page}`),
  );
  const paths = pathsOf(await furnish(at));
  const a = `/accounts/${account}`;
  // The receiver fails, the first member of the pool is down, two gateways have stopped, and a message waits behind one of them.
  await api(at, "POST", `${a}/gateways/sandbox-sms/pause`);
  await api(at, "POST", `${a}/gateways/sandbox-email/pause`);
  const contact = [{ number: "+15550000001", message: "Hi", gateway_identifier: "sandbox-sms" }];
  await api(at, "POST", `${a}/messages`, { channel: "sms", contact });
  await it.advance(28 * 60_000);
  await page.clock.setFixedTime(it.clock.now());
  const waiting = (await api(at, "GET", `${a}/messages?status=queued`)).body.data[0]?.id;
  assert.ok(waiting, "a message waits behind the stopped gateway");
  const troubled = await movedOn(at, "in trouble", [
    ...["overview", "messages", "gateways", "gateway", "pools", "pool", "webhooks", "webhook"].map(
      (name) => paths[name] ?? "",
    ),
    `${paths.messages}/${waiting}`,
  ]);
  assert.deepEqual([...empty, ...troubled], []);
});
