// The 24-hour window: what goes out inside and outside of it, by the settings.

import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import type { OutgoingMessage } from "#gateways/message.ts";
import { SessionLost } from "#gateways/session.ts";
import { whatsappCloud } from "#gateways/whatsapp/cloud/cloud.ts";
import { isWindowClosed, templatePart } from "#gateways/whatsapp/cloud/reply-window.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { hostWith, now, sampleMessage, stillClock, textOf } from "../../conformance-samples.ts";
import { type GraphSimulator, graphSimulator } from "../graph-simulator.ts";
import { parsedSettings } from "./cloud-example.ts";

const outbound = createOutbound({ allow: readAllowList("127.0.0.0/8") });
const day = 86_400_000;
const template = { name: "hello_again", language: "de", parameters: ["Acme", "{{message}}"] };
let graph: GraphSimulator;
beforeEach(async () => {
  await graph?.close();
  graph = await graphSimulator();
});
after(async () => {
  await graph.close();
  await outbound.close();
});

type Message = OutgoingMessage<"text" | "list" | "template" | "media">;
const list: Message["content"] = {
  kind: "list",
  text: "When?",
  header: null,
  footer: null,
  button: "Choose",
  sections: [{ title: null, rows: [{ id: "a", title: "A", description: null }] }],
};

async function send(
  outside_window: "send" | "template" | "reject",
  heardAt: number | null,
  content: Message["content"] = textOf("Hello\n\tAda     there"),
  more: { direct_send?: "utility" | "authentication" } = {},
) {
  const settings = parsedSettings({ base_url: graph.url, template, outside_window, ...more });
  const session = await whatsappCloud.open(settings, hostWith({ outbound, lastHeard: async () => heardAt }));
  const message: Message = { ...sampleMessage(), content };
  return await session.send(message, new AbortController().signal);
}
const types = () => graph.taken.map(({ body }) => body.type);

test("a window is closed 24 hours after the person's last message, or when none is known", async () => {
  const closed = (heardAt: number | null) =>
    isWindowClosed({ recipient: "+1" }, { clock: stillClock, lastHeard: async () => heardAt });
  assert.deepEqual(await Promise.all([closed(null), closed(now - day), closed(now - day + 1)]), [
    true,
    true,
    false,
  ]);
});

test("outside the window a text goes as the template, on one line, and the timeline says so", async () => {
  const outcome = await send("template", null);
  assert.ok(outcome.kind === "accepted");
  assert.match(outcome.note ?? "", /hello_again/);
  const parameters = [
    { type: "text", text: "Acme" },
    { type: "text", text: "Hello Ada there" },
  ];
  assert.deepEqual(graph.taken[0]?.body.template, {
    name: "hello_again",
    language: { code: "de" },
    components: [{ type: "body", parameters }],
  });
});

test("inside the window, and where Meta decides, the text goes as it is", async () => {
  await send("template", now - 1000);
  await send("send", null);
  assert.deepEqual(types(), ["text", "text"]);
});

test("a refusal of Meta's for a closed window sends the template at once", async () => {
  graph.failNext({ status: 400, code: 131047 });
  assert.equal((await send("template", now - 1000)).kind, "accepted");
  assert.deepEqual(types(), ["template"]);
});

test("what no template can stand for is refused outside the window, and everything where the settings say so", async () => {
  const codes = [];
  for (const outcome of [await send("template", null, list), await send("reject", null)])
    codes.push(outcome.kind === "rejected" && outcome.code);
  assert.deepEqual([codes, graph.calls], [["outside_window", "outside_window"], []]);
  const parameters = {
    kind: "template",
    text: "",
    name: "a",
    language: "de",
    parameters: null,
    components: null,
  };
  await send("reject", null, parameters as Message["content"]);
  assert.deepEqual(types(), ["template"]);
});

test("with Direct Send a text outside the window goes with its category, and nothing else does", async () => {
  const direct = { direct_send: "utility" } as const;
  const outcome = await send("send", null, undefined, direct);
  assert.ok(outcome.kind === "accepted");
  assert.match(outcome.note ?? "", /Direct Send/);
  await send("send", now - 1000, undefined, direct);
  await send("send", null, list, direct);
  assert.equal((await send("reject", null, list, direct)).kind, "rejected");
  assert.deepEqual(
    graph.taken.map(({ body }) => [body.type, body.category]),
    [
      ["text", "utility"],
      ["text", undefined],
      ["interactive", undefined],
    ],
  );
});

test("where Meta refuses Direct Send, the template goes if there is one", async () => {
  for (const code of [100, 139200]) {
    graph.failNext({ status: 400, code });
    assert.equal((await send("template", null, undefined, { direct_send: "utility" })).kind, "accepted");
  }
  assert.deepEqual(types(), ["template", "template"]);
  graph.failNext({ status: 400, code: 139200 });
  const outcome = await send("reject", null, undefined, { direct_send: "utility" });
  assert.deepEqual([outcome.kind, outcome.kind === "rejected" && outcome.code], ["rejected", "139200"]);
  graph.failNext({ status: 400, code: 131026 });
  const other = await send("template", null, undefined, { direct_send: "utility" });
  assert.deepEqual([other.kind, graph.taken.length], ["rejected", 2]);
});

test("a text that is too long for a parameter is refused", () => {
  const part = templatePart(
    textOf("x".repeat(1025)),
    parsedSettings({ template, outside_window: "template" }),
  );
  assert.ok("kind" in part && part.kind === "rejected");
  assert.equal(part.code, "message_too_long");
});

test("a gateway that stops while it asks for the window has sent nothing", async () => {
  const settings = parsedSettings({ base_url: graph.url, template, outside_window: "template" });
  const lastHeard = async () => {
    throw new SessionLost("The session is being closed.");
  };
  const session = await whatsappCloud.open(settings, hostWith({ outbound, lastHeard }));
  const outcome = await session.send(sampleMessage(), new AbortController().signal);
  assert.deepEqual([outcome.kind, graph.calls], ["deferred", []]);
});
