// Odd text in every part of every path, in every parameter of every query and in every text of the usual bodies: NUL,
// bytes that are no UTF-8, control and direction characters. No request is a 5xx, what can name nothing is the family's
// own refusal, and both engines answer alike: PostgreSQL takes no NUL, SQLite does.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { errorShapeOf } from "#ai/apis/apis.ts";
import type { Head } from "#http/call.ts";
import { type EngineName, engines, type Harness, harness } from "../harness.ts";
import { type Injected, inject } from "../inject.ts";
import { type Asking, asking, everyRoute, namesIn, paramsOf, pathOf, requestFor } from "./every-route.ts";

/** As they stand in a URL. None of them can be meant. */
const nothing = {
  nul: "%00",
  "a NUL inside": "a%00b",
  "an overlong NUL": "%C0%80",
  "an overlong slash": "%C0%AF",
  "half a surrogate pair": "%ED%A0%80",
  "two halves, as CESU-8": "%ED%A0%BD%ED%B8%80",
  "more than Unicode": "%F4%90%80%80",
  "no UTF-8": "%FF%FE",
  "a lone continuation": "a%80",
  "a line end": "a%0Ab",
  "CR and LF": "a%0D%0AX-Injected:%201",
  "a bell": "%07",
  delete: "a%7F",
  "a C1 control": "a%C2%85",
};
/** Such as may be in a text, and name nothing that is there. */
const strange = {
  "right-to-left override": "a%E2%80%AEb",
  "a line separator": "a%E2%80%A8b",
  "a replacement character": "a%EF%BF%BDb",
  emoji: "%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB",
  "a prototype's name": "__proto__",
  wildcards: "%25_%5C%27%22",
  "a long one": "a".repeat(500),
};
const inBodies = {
  nul: "a\0b",
  "half a surrogate pair": "a\ud800",
  "a line end": "a\nb",
  "a control character": "a\u0007",
  "right-to-left override": "a\u202eb",
  "a prototype's name": "__proto__",
};

const systems: Partial<Record<EngineName, { it: Harness; caller: Asking }>> = {};

before(async () => {
  for (const engine of engines) {
    const it = await harness({ engine, started: false });
    systems[engine] = { it, caller: await asking(it) };
  }
});
after(async () => {
  for (const engine of engines) await systems[engine]?.it.close();
});

function ask(engine: EngineName, head: Head, url?: string, body?: object) {
  const { it, caller } = systems[engine]!;
  const request = requestFor(head, caller, url);
  return inject(it.system.app, body === undefined ? request : { ...request, payload: JSON.stringify(body) });
}

/** One request on each engine, which must answer alike; the answer of the first. */
async function alike(
  what: string,
  ask: (engine: EngineName, caller: Asking) => Promise<Injected>,
): Promise<Injected> {
  const [first, second] = await Promise.all(engines.map((engine) => ask(engine, systems[engine]!.caller)));
  assert.ok(first!.statusCode < 500, `${what}: ${first!.statusCode} ${first!.body}`);
  assert.equal(second!.statusCode, first!.statusCode, `${what}: ${first!.body} against ${second!.body}`);
  // What was refused says nothing of its own.
  const anonymous = (body: string) => body.replace(/req_\w+/, "req_…");
  if (first!.statusCode >= 400) assert.equal(anonymous(second!.body), anonymous(first!.body), what);
  return first!;
}

const inPath = (head: Head) => [...(head.path.includes("{account}") ? ["account"] : []), ...namesIn(head)];

/** The 404 of each family. */
function isNowhere(head: Head, reply: Injected, what: string): void {
  // The pixel is the same for any token.
  if (head.name === "openMail" && reply.statusCode === 200) return;
  assert.equal(reply.statusCode, 404, `${what}: ${reply.statusCode} ${reply.body}`);
  if (errorShapeOf(head.path).name === "Gemini") assert.equal(reply.json().error.status, "NOT_FOUND", what);
  else if (head.family === "pool") assert.equal(reply.json().error.type, "invalid_request_error", what);
  else if (head.family !== "open") assert.equal(reply.json().code, "not_found", what);
}

for (const head of everyRoute.filter(({ path }) => path.includes("{"))) {
  test(`${head.method} ${head.path}`, async () => {
    for (const name of inPath(head)) {
      for (const [kind, text] of Object.entries({ ...nothing, ...strange })) {
        const what = `{${name}} is ${kind}`;
        const reply = await alike(what, (engine, caller) =>
          ask(engine, head, pathOf(head, paramsOf(head, caller), { [name]: text })),
        );
        if (Object.hasOwn(nothing, kind)) isNowhere(head, reply, what);
      }
      // What is there, with more behind it: a C string would end before.
      const behind = await alike(`{${name}} with a NUL behind it`, (engine, caller) => {
        const params = paramsOf(head, caller);
        return ask(engine, head, pathOf(head, params, { [name]: `${params[name] ?? "x"}%00` }));
      });
      isNowhere(head, behind, `{${name}} with a NUL behind it`);
    }
  });
}

for (const head of everyRoute.filter(({ query }) => query !== undefined)) {
  test(`${head.method} ${head.path}?…`, async () => {
    for (const name of Object.keys(head.query!.shape)) {
      for (const [kind, text] of Object.entries({ ...nothing, ...strange })) {
        const what = `${name}=${kind}`;
        const reply = await alike(what, (engine, caller) =>
          ask(engine, head, `${pathOf(head, paramsOf(head, caller))}?${name}=${text}`),
        );
        // On channel endpoints blanks at the ends, a NUL among them, do not count, as everywhere there.
        if (Object.hasOwn(nothing, kind) && !(head.family === "api_key" && kind === "nul")) {
          const status = head.family === "pool" ? 400 : 422;
          assert.equal(reply.statusCode, status, `${what}: ${reply.statusCode} ${reply.body}`);
          if (head.family === "pool") {
            // Google's errors have no `param`.
            const { message, param = name } = reply.json().error;
            assert.deepEqual([message.split(" ", 1)[0], param], [`'${name}'`, name], what);
          } else assert.ok(Object.hasOwn(reply.json().errors, name), `${what}: ${reply.body}`);
        }
      }
    }
  });
}

test("who may not ask is refused first, with any query", async () => {
  for (const [url, status] of [
    ["/api/get/sms?cursor=%00", 403],
    ["/api/manage/v1/accounts?search=%00", 401],
  ] as const) {
    const reply = await alike(url, (engine) => inject(systems[engine]!.it.system.app, { url }));
    assert.equal(reply.statusCode, status, reply.body);
  }
});

test("a callback's own query may hold any text: it is its adapter that reads it", async () => {
  const head = everyRoute.find(({ name }) => name === "receiveCallbackQuery")!;
  const reply = await alike("text with lines", (engine) =>
    ask(engine, head, `/callbacks/taking-of-ours?text=a%0Ab%00`),
  );
  assert.equal(reply.statusCode, 403, "its token is what is missing");
});

/** Copies of a body, each with one of its texts replaced. */
function* spoilt(body: unknown, text: string): Generator<unknown> {
  if (typeof body === "string") yield text;
  if (typeof body !== "object" || body === null) return;
  for (const [name, value] of Object.entries(body)) {
    for (const other of spoilt(value, text)) {
      if (Array.isArray(body)) yield body.with(Number(name), other);
      else yield { ...body, [name]: other };
    }
  }
}

// A stream of events needs a real connection; its request is judged before it begins.
const answering = everyRoute.filter(
  ({ body, name, replyType }) =>
    body !== undefined && replyType !== "text/event-stream" && !name.startsWith("createContentStream"),
);
for (const head of answering) {
  test(`${head.method} ${head.path} with odd text in its body`, async () => {
    for (const [kind, text] of Object.entries(inBodies)) {
      const { payload } = requestFor(head, systems.sqlite!.caller);
      for (const body of spoilt(JSON.parse(payload!), text))
        await alike(`${kind}: ${JSON.stringify(body)}`, (engine) =>
          ask(engine, head, undefined, body as object),
        );
    }
  });
}
