// Every SMS vendor against its recorded traffic, and by the suite that every gateway passes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { findAdapter } from "#gateways/registry.ts";
import { gatewayConformance } from "../../conformance.ts";
import { callbackUrl, sampleMessage, sendOnce, textOf, toolsWith } from "../../conformance-samples.ts";
import { answer, scriptedOutbound } from "../../scripted-outbound.ts";
import { signingOf } from "./signers.ts";
import { bytesOf, readTraffic, reportUrl, summary } from "./traffic.ts";

const message = sampleMessage({ content: textOf("Grüße & 100% {{to}} 🎉") });

for (const [kind, traffic] of readTraffic()) {
  const gateway = findAdapter(kind, "sms");
  assert.ok(gateway, kind);
  const settings = gateway.settings.parse(traffic.settings);
  const signing = signingOf(kind, traffic.settings);

  test(`${kind}: a message as the vendor wants it`, async () => {
    const outbound = scriptedOutbound({ kind: "no_answer", reason: "enough" });
    await sendOnce(gateway, message, settings, toolsWith({ outbound }));
    const [request] = outbound.requests;
    assert.ok(request);
    const { method = "POST", url, headers, body } = traffic.request;
    assert.deepEqual([request.method, request.url], [method, url]);
    const expected = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    assert.deepEqual(request.headers, expected);
    const sent = request.body;
    assert.deepEqual(typeof body === "object" ? JSON.parse(String(sent)) : sent, body);
  });

  test(`${kind}: no reports are asked for without a public URL`, async () => {
    const outbound = scriptedOutbound({ kind: "no_answer", reason: "enough" });
    const tools = toolsWith({ outbound, callbackUrl: null, messageUrl: () => null });
    await sendOnce(gateway, message, settings, tools);
    const [request] = outbound.requests;
    assert.ok(!`${request?.url} ${request?.body}`.includes("callbacks"));
  });

  for (const [name, { status, headers, body, repeated = false, outcome }] of Object.entries(
    traffic.answers,
  )) {
    test(`${kind}: answer: ${name}`, async () => {
      const outbound = scriptedOutbound(answer(status, body ?? "", headers));
      const actual = await sendOnce(gateway, { ...message, repeated }, settings, toolsWith({ outbound }));
      assert.equal(summary(actual), outcome);
    });
  }

  const required = (z.toJSONSchema(gateway.settings, { io: "input" }).required ?? []) as string[];
  gatewayConformance(gateway, {
    settings: traffic.settings,
    refused: required.map((path) => ({
      settings: Object.fromEntries(Object.entries(traffic.settings).filter(([name]) => name !== path)),
      path,
      says: /./,
    })),
    secrets: traffic.secrets ?? [],
    http: { wire: [], requests: [], definite: traffic.definite ?? [] },
    callbacks: {
      ...signing,
      cases: Object.entries(traffic.callbacks).map(
        ([name, { method = "POST", query = {}, type, body, received }]) => ({
          name,
          unsigned: { method, query: Object.entries(query), ...bytesOf(body, type) },
          received: { kind: "received", receipts: [], inbound: [], ...received },
        }),
      ),
    },
  });

  const request = JSON.stringify(traffic.request);
  if (request.includes(reportUrl) || request.includes(encodeURIComponent(reportUrl))) {
    test(`${kind}: the URL of a message settles that message`, async () => {
      const { body, method = "POST", query = {}, type } = traffic.callbacks.delivered ?? { received: {} };
      const url = new URL(reportUrl);
      for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
      const signed = signing.sign({ method, query: [], ...bytesOf(body, type) });
      const received = await gateway.receive(
        { ...signed, url: `${callbackUrl}${url.search}`, query: url.searchParams },
        settings,
        toolsWith(),
      );
      assert.ok(received.kind === "received", JSON.stringify(received));
      assert.deepEqual(
        received.receipts.map(({ status, messageId }) => [status, messageId]),
        [["delivered", "msg_01test"]],
      );
    });
  }
}
