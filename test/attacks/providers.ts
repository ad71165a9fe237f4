// Hostile providers of AI and of SMS, callers' upstream choices, and one caller who would hurt the others of a pool.

import { type Asked, jsonOf, type Reply } from "./ask.ts";
import { type Attack, spread, tally } from "./attack.ts";
import { hostileAnswers } from "./hostile-answers.ts";
import { apiKey, hostileSms, poolKeyOf, secrets } from "./installation.ts";
import type { Stage } from "./stage.ts";

const family = "providers";

function complete(stage: Stage, pool: string, body: object, more: Partial<Asked> = {}): Promise<Reply> {
  return stage.ask({
    path: "/api/ai/v1/chat/completions",
    body: { messages: [{ role: "user", content: "Hi" }], ...body },
    timeoutMs: 90_000,
    ...more,
    headers: [["Authorization", `Bearer ${poolKeyOf(pool)}`], ...(more.headers ?? [])],
  });
}

/** Answers that are a success by their content, however odd. */
const sound = new Set(["header-injection", "wild-usage"]);
/** A stream that begins well and breaks off: its client gets an error in the stream. */
const streams = new Set([
  "endless-stream",
  "endless-line",
  "endless-data-lines",
  "endless-comments",
  "endless-empty-events",
]);
/** Those that cost the service most; the others are quick or wait for timeouts. */
const costly = [
  "one-byte-chunks",
  "many-values",
  "many-brackets",
  "endless-data-lines",
  "gzip-bomb",
  "header-flood",
];

const hostile = (names: readonly string[], name: string, short: boolean): Attack => ({
  family,
  name,
  expected: "an error for the caller, bounded memory, no key and no header passed on",
  short,
  async run(stage) {
    const it = tally();
    for (const each of names) {
      const stream = streams.has(each);
      const reply = await complete(stage, each, stream ? { stream: true } : {});
      const good = reply.status === 200 && !(stream && !reply.text.includes('"error"'));
      const outcome = `${reply.status}${stream && reply.status === 200 ? " (stream)" : ""}`;
      it.add(
        outcome,
        good !== sound.has(each) &&
          !(stream && good) &&
          `${each}: ${reply.status} ${reply.text.slice(0, 150)}`,
      );
      if (reply.status === 500) it.fault(`${each}: 500`);
      if (reply.text.includes(secrets.memberKey)) it.fault(`${each}: the member's key reached the caller`);
      if (reply.headers["x-planted"] !== undefined || String(reply.headers["set-cookie"]).includes("planted"))
        it.fault(`${each}: a header was passed on`);
    }
    return it;
  },
});

const sms: Attack = {
  family,
  name: "hostile SMS providers",
  expected: "unknown or deferred, bounded memory",
  short: false,
  async run(stage) {
    const it = tally();
    const own = apiKey(secrets.ourKey);
    const ids: string[] = [];
    for (const name of hostileSms) {
      const reply = await stage.ask({
        path: "/api/sms/send",
        headers: own,
        body: { contact: [{ number: "+15550000001", message: name, gateway_identifier: `http-${name}` }] },
      });
      ids.push(jsonOf(reply)?.data?.contact?.[0]?.id);
    }
    const deadline = Date.now() + 40_000;
    for (const [at, id] of ids.entries()) {
      let status = "queued";
      while (Date.now() < deadline) {
        status =
          jsonOf(await stage.ask({ path: `/api/get/sms/${id}`, headers: own }))?.data?.status ?? "nothing";
        if (!["queued", "sending"].includes(status)) break;
        await new Promise((later) => setTimeout(later, 200));
      }
      // 2xx heads whose body says nothing are an acceptance or a doubt; never a repeat.
      it.add(status, ["failed", "nothing"].includes(status) && `${hostileSms[at]}: ${status}`);
    }
    return it;
  },
};

const choices: Attack = {
  family,
  name: "callers who choose the upstream",
  expected: "0 connections elsewhere",
  short: true,
  async run(stage) {
    const it = tally();
    const elsewhere = `${stage.peers.base}/elsewhere`;
    const bodies: object[] = [
      { base_url: elsewhere },
      { api_base: elsewhere },
      { extra_body: { base_url: elsewhere } },
      { model: "openai/well", api_key: "sk-own", base_url: elsewhere },
      {
        messages: [
          { role: "user", content: [{ type: "image_url", image_url: { url: `${elsewhere}.png` } }] },
        ],
      },
      { messages: [{ role: "user", content: [{ type: "file", file: { file_data: elsewhere } }] }] },
      { webhook: elsewhere, callback_url: elsewhere },
    ];
    const names = [
      "X-Base-Url",
      "X-OpenAI-Host",
      "X-Portkey-Custom-Host",
      "X-Upstream-Host",
      "Helicone-Target-URL",
      "X-Forwarded-Host",
    ];
    const asks = [
      ...bodies.map((body) => () => complete(stage, "sick", body)),
      ...names.map((name) => () => complete(stage, "sick", {}, { headers: [[name, elsewhere]] })),
    ];
    for (const ask of asks) {
      const { status } = await ask();
      it.add(status, status >= 500 && `${status}`);
    }
    const { asked } = await stage.seenByPeers();
    const reached = Object.keys(asked).filter((path) => path.startsWith("/elsewhere"));
    if (reached.length > 0) it.fault(`reached ${reached.join(", ")}`);
    return it;
  },
};

const quoting: Attack = {
  family,
  name: "a caller whose words are quoted in a 400",
  expected: "400 for that caller, 200 for the others",
  short: true,
  async run(stage, size) {
    const it = tally();
    for (let at = 0; at < (size === "whole" ? 30 : 8); at += 1) {
      const bad = await complete(stage, "shared", { messages: [{ role: "user", content: "quote me" }] });
      it.add(
        `${bad.status} quoted`,
        bad.status !== 400 && `the caller's own fault came as ${bad.status} ${bad.text.slice(0, 200)}`,
      );
      const good = await complete(stage, "shared", {});
      it.add(good.status, good.status !== 200 && `another caller: ${good.status} ${good.text.slice(0, 200)}`);
    }
    return it;
  },
};

/** All at once, before anybody can know that the first two are sick. */
const sick: Attack = {
  family,
  name: "150 calls at once on two sick members and a well one",
  expected: "150 answers",
  short: true,
  async run(stage) {
    const it = tally();
    const all = (pool: string, body: object) =>
      spread(150, 150, async () => {
        const { status, text } = await complete(stage, pool, body);
        const good = status === 200 && !text.includes('"error"');
        it.add(`${status} ${pool}`, !good && `${pool}: ${status} ${text.slice(0, 200)}`);
      });
    await all("sick", {});
    // These are found out by their silence of a second each.
    await all("mute", { stream: true });
    return it;
  },
};

const rest = Object.keys(hostileAnswers).filter((name) => !costly.includes(name));

export const providerAttacks: readonly Attack[] = [
  hostile(costly, "hostile AI providers: costly answers", true),
  hostile(rest, "hostile AI providers: endless, odd and silent answers", false),
  sms,
  choices,
  quoting,
  sick,
];
