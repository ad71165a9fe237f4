// The charsets of incoming messages of Kannel, whose bytes are in the query as Kannel 1.4.5 writes them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { kannel } from "#gateways/sms/vendors/self-hosted/kannel.ts";
import { callbackUrl, toolsWith } from "../../../conformance-samples.ts";

const token = "callback-token-0123456789";
const settings = kannel.settings.parse({
  base_url: "http://10.0.0.5:13013",
  username: "acme",
  password: "kannel-pass-0123456789",
  callback_token: token,
});

async function textOf(query: string): Promise<string | undefined> {
  const url = `${callbackUrl}?token=${token}&id=i1&from=%2B4915112345678&to=13013&${query}`;
  const call = {
    method: "GET",
    url,
    query: new URL(url).searchParams,
    headers: {},
    body: Buffer.alloc(0),
  };
  const received = await kannel.receive(call, settings, toolsWith());
  assert.ok(received.kind === "received", JSON.stringify(received));
  return received.inbound[0]?.message;
}

const escaped = (bytes: Buffer) => bytes.toString("hex").replace(/../g, "%$&");
const ucs2 = (text: string) => escaped(Buffer.from(text, "utf16le").swap16());

test("UCS-2 is read as what it is, by its charset or by its coding", async () => {
  const text = "Привет 😀 ä";
  assert.equal(await textOf(`text=${ucs2(text)}&coding=2&charset=UTF-16BE`), text);
  assert.equal(await textOf(`text=${ucs2(text)}&coding=2&charset=`), text);
  assert.equal(await textOf(`text=${ucs2(text)}&coding=2`), text);
  // Kannel escapes no letters, and writes a space as a plus.
  assert.equal(await textOf("text=%00A%00+%00%2B&coding=2&charset=UTF-16BE"), "A +");
});

test("Latin-1 and UTF-8 are told apart by the charset", async () => {
  assert.equal(await textOf("text=Gr%FC%DFe+%40+%2B1&coding=0&charset=ISO-8859-1"), "Grüße @ +1");
  assert.equal(await textOf("text=Gr%C3%BC%C3%9Fe+%40&coding=0&charset=UTF-8"), "Grüße @");
  assert.equal(await textOf("text=Gr%C3%BC%C3%9Fe"), "Grüße");
});

test("bytes that are not of their charset, and no text, break nothing", async () => {
  assert.equal(await textOf("text=%04&coding=2&charset=UTF-16BE"), "\ufffd");
  assert.equal(await textOf("text=%D8%3D&coding=2&charset=UTF-16BE"), "\ufffd");
  assert.equal(await textOf("text=100%&coding=0&charset=ISO-8859-1"), "100%");
  assert.equal(await textOf("text=&coding=2&charset=UTF-16BE"), "");
});
