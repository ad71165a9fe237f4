// The installed nodemailer has the fields that we read, and another one would be refused with their names.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  checkInternals,
  loadSmtpConnection,
  socketOf,
  unreadReply,
} from "#gateways/email/smtp/nodemailer-internals.ts";

test("the installed version is accepted, and read before it is connected", async () => {
  const Connection = await loadSmtpConnection();
  assert.equal(await loadSmtpConnection(), Connection);
  const connection = new Connection();
  assert.equal(socketOf(connection), null);
  assert.equal(unreadReply(connection), "");
});

test("unread replies are whole lines and the beginning of one", async () => {
  const Connection = await loadSmtpConnection();
  const connection = Object.assign(new Connection(), {
    _responseQueue: ["250-first\n250 second", "421 Bye"],
    _remainder: "5",
  });
  assert.equal(unreadReply(connection), "250-first\n250 second\n421 Bye\n5");
});

test("a version without a field, or with another meaning of one, is refused by name", () => {
  class Renamed {
    socket = false;
    _responseQueue = [];
    _remainder = "";
  }
  assert.throws(() => checkInternals(Renamed), /nodemailer.* has no _socket\. .*package\.json/);
  class Buffered {
    _socket = false;
    _responseQueue = "";
    _remainder = Buffer.alloc(0);
  }
  assert.throws(() => checkInternals(Buffered), /has no _responseQueue, no _remainder\./);
  class Missing {}
  assert.throws(() => checkInternals(Missing), /has no _socket, no _responseQueue, no _remainder\./);
});
