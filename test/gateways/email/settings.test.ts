// Who a mail is from is the gateway's business: one plain address, one line of name.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { emailFields } from "#gateways/email/settings.ts";

const settings = z.strictObject(emailFields);

describe("the settings of every email gateway", () => {
  it("need nothing but the sender's address", () => {
    assert.deepEqual(settings.parse({ from: "news@shop.test" }), {
      from: "news@shop.test",
      tracking: { opens: false, clicks: false },
      unsubscribe: false,
    });
  });

  it("switch one kind of tracking on and leave the other", () => {
    const { tracking } = settings.parse({ from: "news@shop.test", tracking: { clicks: true } });
    assert.deepEqual(tracking, { opens: false, clicks: true });
  });

  it("spell the domain of return paths as it goes over the wire", () => {
    const parse = (return_path_domain: string) =>
      settings.parse({ from: "news@shop.test", return_path_domain }).return_path_domain;
    assert.equal(parse("Bounces.Shop.Test"), "bounces.shop.test");
    assert.equal(parse("bücher.test"), "xn--bcher-kva.test");
  });

  const refused: [string, object][] = [
    ["no address", {}],
    ["a name in the address", { from: "Shop <news@shop.test>" }],
    ["two addresses", { from: "a@shop.test,b@shop.test" }],
    ["a line end in the name", { from: "news@shop.test", from_name: "Shop\r\nBcc: x@y.test" }],
    ["a line separator in the name", { from: "news@shop.test", from_name: "Shop\u2028x" }],
    ["a path for a return domain", { from: "news@shop.test", return_path_domain: "shop.test/x" }],
    ["an address for a return domain", { from: "news@shop.test", return_path_domain: "b@shop.test" }],
  ];
  for (const [what, value] of refused)
    it(`refuse ${what}`, () => assert.equal(settings.safeParse(value).success, false));
});
