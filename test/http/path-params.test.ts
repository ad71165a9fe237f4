// The parameters of paths that several routes share.

import assert from "node:assert/strict";
import test from "node:test";
import { channels } from "#contract/messages/channel.ts";
import { channelParam, isChannel, isId } from "#http/path-params.ts";

test("a channel is one of the channels' names, in lower case", () => {
  for (const channel of channels) {
    assert.ok(isChannel(channel));
    assert.ok(channelParam.safeParse(channel).success);
  }
  for (const text of ["SMS", "fax", "", "sms ", "constructor", undefined])
    assert.equal(isChannel(text), false, String(text));
});

test("an id has 1 to 64 characters of our alphabet", () => {
  for (const text of ["msg_1", "A-b_9", "x".repeat(64)]) assert.ok(isId(text), text);
  for (const text of ["", "x".repeat(65), "a/b", "a b", "a%00", "ä", undefined])
    assert.equal(isId(text), false, String(text));
});
