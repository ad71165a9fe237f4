// Mail libraries of known applications: each is understood, and its mail is a message.

import assert from "node:assert/strict";
import { test } from "node:test";
import { dialects } from "./dialects.ts";
import { settled, simple, submitting, talk } from "./submitting.ts";

test("every dialect is understood, and its mail goes out", async (context) => {
  const own = await submitting(context);
  for (const [name, lines] of Object.entries(dialects)) {
    const wire = await talk(own.port.port);
    for (const [line, code] of lines(own.key, "anything", "app@example.com")) {
      const answer = await wire.say(line);
      assert.equal(answer.slice(0, 3), code, `${name}: ${line.slice(0, 20)}: ${answer}`);
    }
    const answer = await wire.say(Buffer.from(`${simple}.\r\n`));
    const id = /^250 2\.0\.0 Accepted as (msg_\w+)$/.exec(answer)?.[1] ?? "";
    assert.notEqual(id, "", `${name}: ${answer}`);
    assert.match(await wire.say("QUIT"), /^221/, name);
    assert.equal((await settled(own, id)).status, "sent", name);
  }
  assert.equal(own.server.handed.length, Object.keys(dialects).length);
});
