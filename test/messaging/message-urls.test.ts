// URLs that prove which message a report is about.

import assert from "node:assert/strict";
import { test } from "node:test";
import { messageUrl, provenMessage } from "#messaging/message-urls.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../harness.ts";

const sealer = createSealer("a master key that is only used in tests", seededRandom());
const url = messageUrl(sealer, "gw_1", "https://sms.example/callbacks/main", "msg_1") ?? "";
const proven = (text: string, gateway = "gw_1", key = sealer) =>
  provenMessage(key, gateway, { query: new URL(text).searchParams });

test("a URL proves the message and the gateway that it was made for", () => {
  assert.match(url, /^https:\/\/sms\.example\/callbacks\/main\?m=msg_1&k=[\w-]{22}$/);
  assert.equal(proven(url), "msg_1");
  assert.equal(proven(url, "gw_2"), null);
  const other = createSealer("another master key that is only used in tests", seededRandom());
  assert.equal(proven(url, "gw_1", other), null);
});

test("a vendor may add parameters, but not those of ours a second time", () => {
  assert.equal(proven(`${url}&status=delivered`), "msg_1");
  for (const wrong of [`${url}&m=msg_1`, `${url}&k=x`, url.replace(/&k=.*/, ""), url.replace("m=msg_1&", "")])
    assert.equal(proven(wrong), null, wrong);
});

test("without a public URL links are null", () => {
  assert.equal(messageUrl(sealer, "gw_1", null, "msg_1"), null);
});
