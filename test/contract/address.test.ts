// One plain addr-spec: what two mail programs could read in two ways is no address here.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isPlainAddress, normaliseAddress, readAddress, wireAddress } from "#contract/address.ts";

describe("an address", () => {
  const taken: [input: string, wire: string][] = [
    ["jane@example.com", "jane@example.com"],
    ["Jane.Doe+News@Example.COM", "Jane.Doe+News@example.com"],
    ["o'brien!#$%&*/=?^_`{|}~-@example.com", "o'brien!#$%&*/=?^_`{|}~-@example.com"],
    ["jane@Bücher.example", "jane@xn--bcher-kva.example"],
    ["jane@例え.jp", "jane@xn--r8jz45g.jp"],
    ["j@a-b.c1.example", "j@a-b.c1.example"],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
  ];
  for (const [input, wire] of taken) it(input, () => assert.equal(wireAddress(input), wire));

  const refused = [
    "",
    "jane",
    "@example.com",
    "jane@",
    "jane@localhost",
    "jane@@example.com",
    "a@x.test,b@y.test",
    "a@x.test, b@y.test",
    "a@x.test;b@y.test",
    "group:a@x.test;",
    '"jane doe"@example.com',
    '"a@evil.test"@example.com',
    "Jane <jane@example.com>",
    "<jane@example.com>",
    "jane(comment)@example.com",
    "jane@example.com(comment)",
    "jane doe@example.com",
    ".jane@example.com",
    "jane.@example.com",
    "ja..ne@example.com",
    "jäne@example.com",
    "jane@-example.com",
    "jane@example-.com",
    "jane@example..com",
    "jane@example.com.",
    "jane@exa mple.com",
    "jane@exam\tple.com",
    "jane@example.com\r\nBcc: x@y.test",
    "jane@example.com\n",
    "jane\0@example.com",
    "jane@exa%6dple.com",
    "jane@example.com:25",
    "jane@example.com/x",
    "jane@user@example.com",
    "jane@[127.0.0.1]",
    "jane@127.0.0.1",
    "jane@0x7f.1",
    "jane@2130706433",
    "jane@exa_mple.com",
    `${"a".repeat(65)}@example.com`,
    `jane@${"a".repeat(64)}.com`,
    `jane@${"a.".repeat(130)}com`,
    "jane@＠example.com",
    "=?utf-8?q?jane?=@example.com\u2028",
  ];
  for (const input of refused)
    it(`not ${JSON.stringify(input).slice(0, 60)}`, () => assert.equal(isPlainAddress(input), false));

  it("is compared in lower case", () => {
    assert.equal(normaliseAddress("Jane@EXAMPLE.com"), "jane@example.com");
  });

  it("is one word with one @, from any text, and read again it is the same", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.emailAddress());
    fc.assert(
      fc.property(text, (input) => {
        const wire = wireAddress(input);
        if (wire === null) return;
        assert.match(wire, /^[\x21-\x3f\x41-\x7e]+@[a-z0-9.-]+$/);
        assert.deepEqual(readAddress(wire), readAddress(input));
      }),
    );
  });
});
