// Signatures against the examples that Twilio publishes: in its documentation, and in the tests of its own
// library (https://github.com/twilio/twilio-node, spec/validation.spec.js).

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { twilio } from "#gateways/sms/twilio/twilio.ts";
import { toolsWith } from "../../conformance-samples.ts";
import { settings, sid, sign } from "./twilio-example.ts";

/** Twilio's published examples, all with the auth token 12345. */
const published = "https://mycompany.com/myapp.php?foo=1&bar=2";
const caller = (number: string) =>
  new URLSearchParams({
    CallSid: "CA1234567890ABCDE",
    Caller: number,
    Digits: "1234",
    From: number,
    To: "+18005551212",
  }).toString();
const jsonBody = '{"property": "value", "boolean": true}';
const jsonHash = "0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620";

const examples: { name: string; url: string; body: string; signature: string; contentType?: string }[] = [
  {
    name: "older documentation",
    url: published,
    body: caller("+14158675309"),
    signature: "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
  },
  {
    name: "newer documentation",
    url: published,
    body: caller("+12349013030"),
    signature: "0/KCTR6DLpKmkAf8muzZqo1nDgQ=",
  },
  {
    name: "an https URL whose port is not signed",
    url: published.replace(".com", ".com:1234"),
    body: caller("+14158675309"),
    signature: "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
  },
  {
    name: "an http URL whose port is signed",
    url: published.replace("https", "http").replace(".com", ".com:1234"),
    body: caller("+14158675309"),
    signature: "Zmvh+3yNM1Phv2jhDCwEM3q5ebU=",
  },
  {
    name: "the default port of https, signed",
    url: published,
    body: caller("+14158675309"),
    signature: "kvajT1Ptam85bY51eRf/AJRuM3w=",
  },
  {
    name: "the default port of http, signed",
    url: published.replace("https", "http"),
    body: caller("+14158675309"),
    signature: "0ZXoZLH/DfblKGATFgpif+LLRf4=",
  },
  {
    name: "an apostrophe in the query",
    url: `${published}&Body=It's+amazing`,
    body: caller("+14158675309"),
    signature: "dsq4Ehbj6cs+KdTkpF5sSSplOWw=",
  },
  {
    name: "a repeated field",
    url: published,
    body: "MessagingBinding.Address=%2B1415xxxxxxx&MessagingBinding.Address=%2B1325xxxxxxx",
    signature: "83O6e2vORAoJHUNzJjDWN1jz+BA=",
  },
  {
    name: "a repeated value",
    url: published,
    body: "Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234",
    signature: "IK+Dwps556ElfBT0I3Rgjkr1wJU=",
  },
  {
    name: "JSON, bound by its hash",
    url: `${published}&bodySHA256=${jsonHash}`,
    body: jsonBody,
    signature: "a9nBmqA0ju/hNViExpshrM61xv4=",
    contentType: "application/json",
  },
  {
    name: "JSON, bound by its hash alone",
    url: `https://mycompany.com/myapp.php?bodySHA256=${jsonHash}`,
    body: jsonBody,
    signature: "y77kIzt2vzLz71DgmJGsen2scGs=",
    contentType: "application/json",
  },
];

describe("twilio: signatures", () => {
  const receive = async (
    url: string,
    body: string,
    signature: string,
    contentType = "application/x-www-form-urlencoded",
  ) =>
    (
      await twilio.receive(
        {
          method: "POST",
          url,
          query: new URL(url).searchParams,
          headers: { "x-twilio-signature": signature, "content-type": contentType },
          body: Buffer.from(body),
        },
        twilio.settings.parse({ ...settings, auth_token: "12345" }),
        toolsWith(),
      )
    ).kind;

  for (const { name, url, body, signature, contentType } of examples) {
    test(`published example: ${name}`, async () => {
      // These calls are about no message, so they are understood to be Twilio's and then malformed.
      assert.equal(await receive(url, body, signature, contentType), "malformed");
      assert.equal(await receive(url, `${body}1`, signature, contentType), "forbidden");
      assert.equal(await receive(`${url}1`, body, signature, contentType), "forbidden");
      assert.equal(
        await receive(url.replace("mycompany", "other"), body, signature, contentType),
        "forbidden",
      );
      for (const wrong of [signature.slice(0, -1), `${signature}=`, signature.toLowerCase(), "", "WRONG"]) {
        assert.equal(await receive(url, body, wrong, contentType), "forbidden", wrong);
      }
    });
  }

  test("a body hash that fits does not replace the signature, nor the other way round", async () => {
    const body = '{"MessageSid":"SM1"}';
    const hash = createHash("sha256").update(body).digest("hex");
    const url = `${published}&bodySHA256=${hash}`;
    assert.equal(await receive(url, body, "a9nBmqA0ju/hNViExpshrM61xv4="), "forbidden");
    assert.equal(
      await receive(`${published}&bodySHA256=${jsonHash}`, body, "a9nBmqA0ju/hNViExpshrM61xv4="),
      "forbidden",
    );
  });

  test("a body with more parameters than Twilio sends is not read", async (t) => {
    const filled = (count: number) => Array.from({ length: count }, (_, i) => `p${i}=${i}`).join("&");
    const post = (body: string) =>
      sign({
        method: "POST",
        query: [],
        contentType: "application/x-www-form-urlencoded",
        body: Buffer.from(body),
      });
    const own = twilio.settings.parse(settings);
    const largest = post(`MessageSid=${sid}&MessageStatus=delivered&${filled(498)}`);
    assert.equal((await twilio.receive(largest, own, toolsWith())).kind, "received");
    const grouped = t.mock.method(Map, "groupBy");
    const more = { ...largest, body: Buffer.from(filled(100_000)) };
    assert.equal((await twilio.receive(more, own, toolsWith())).kind, "forbidden");
    assert.equal(grouped.mock.callCount(), 0);
  });

  test("a signed GET is nothing without its signature on a POST that adds a body", async () => {
    const query: [string, string][] = [
      ["MessageSid", sid],
      ["MessageStatus", "delivered"],
    ];
    const good = sign({ method: "GET", query, contentType: "", body: Buffer.alloc(0) });
    const own = twilio.settings.parse(settings);
    assert.equal((await twilio.receive(good, own, toolsWith())).kind, "received");
    const forged = { ...good, method: "POST", body: Buffer.from("MessageStatus=failed") };
    assert.equal((await twilio.receive(forged, own, toolsWith())).kind, "forbidden");
  });
});
