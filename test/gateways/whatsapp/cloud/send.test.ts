// Text with audio: left out and noted, or refused, by the settings.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CloudSender } from "#gateways/whatsapp/cloud/send.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { hostWith, sampleMessage } from "../../conformance-samples.ts";
import { type GraphSimulator, graphSimulator } from "../graph-simulator.ts";
import { parsedSettings } from "./cloud-example.ts";

const outbound = createOutbound({ allow: readAllowList("127.0.0.0/8") });
let graph: GraphSimulator;
before(async () => {
  graph = await graphSimulator();
});
after(async () => {
  await graph.close();
  await outbound.close();
});

const send = (audio_text: "drop" | "reject", text: string) => {
  const settings = parsedSettings({ base_url: graph.url, audio_text, media_by: "link" });
  const content = {
    kind: "media",
    media: "audio",
    text,
    url: "http://127.0.0.1/a.mp3",
    filename: null,
  } as const;
  const sender = new CloudSender(settings, hostWith({ outbound }));
  return sender.send({ ...sampleMessage(), content }, new AbortController().signal);
};

test("the text of audio is left out, and the timeline says so", async () => {
  const outcome = await send("drop", "Listen");
  assert.match(outcome.kind === "accepted" ? (outcome.note ?? "") : "", /^caption_not_sent/);
  assert.deepEqual(graph.taken[0]?.body.audio, { link: "http://127.0.0.1/a.mp3" });
  const silent = await send("drop", "");
  assert.deepEqual([silent.kind, "note" in silent], ["accepted", false]);
});

test("where the settings refuse that, nothing is sent", async () => {
  const before = graph.taken.length;
  const refused = await send("reject", "Listen");
  assert.equal(refused.kind === "rejected" && refused.code, "caption_not_sent");
  assert.equal((await send("reject", "")).kind, "accepted");
  assert.equal(graph.taken.length, before + 1);
});
