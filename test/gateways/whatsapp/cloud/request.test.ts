// Bodies of messages for the Cloud API.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListContent, TemplateContent } from "#gateways/message.ts";
import { bodyOf, isLonger, partOf } from "#gateways/whatsapp/cloud/request.ts";
import { parsedSettings } from "./cloud-example.ts";

test("a number keeps its plus, and our id goes along", () => {
  const body = bodyOf(
    { id: "msg_1", recipient: "+4915112345678" },
    { type: "text", text: {} },
    parsedSettings(),
  );
  assert.deepEqual(JSON.parse(body), {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: "+4915112345678",
    type: "text",
    text: {},
    biz_opaque_callback_data: "msg_1",
  });
});

test("a person without a number is named by their user id", () => {
  const body = bodyOf({ id: "msg_1", recipient: "US.1349" }, { type: "text", text: {} }, parsedSettings());
  const { to, recipient } = JSON.parse(body);
  assert.deepEqual([to, recipient], [undefined, "US.1349"]);
});

test("a list has no empty header, footer, title or description", () => {
  const list: ListContent = {
    kind: "list",
    text: "When?",
    header: "Delivery",
    footer: null,
    button: "Choose",
    sections: [
      { title: "Today", rows: [{ id: "a", title: "Noon", description: null }] },
      { title: null, rows: [{ id: "b", title: "Night", description: "After six" }] },
    ],
  };
  assert.deepEqual(partOf(list, parsedSettings()), {
    type: "interactive",
    interactive: {
      type: "list",
      header: { type: "text", text: "Delivery" },
      body: { text: "When?" },
      action: {
        button: "Choose",
        sections: [
          { title: "Today", rows: [{ id: "a", title: "Noon" }] },
          { rows: [{ id: "b", title: "Night", description: "After six" }] },
        ],
      },
    },
  });
  const bare = partOf({ ...list, header: null, footer: "Thanks" }, parsedSettings());
  assert.deepEqual(Object.keys(bare.interactive as object), ["type", "body", "footer", "action"]);
});

test("a template's parameters go by position, by name, or as Meta's components", () => {
  const call = { kind: "template", text: "kept", name: "order", language: "de" } as const;
  const componentsOf = (change: Pick<TemplateContent, "parameters" | "components">) => {
    const { template } = partOf({ ...call, ...change }, parsedSettings());
    const { components, ...rest } = template as { components: unknown };
    assert.deepEqual(rest, { name: "order", language: { code: "de" } });
    return components;
  };
  assert.deepEqual(componentsOf({ parameters: ["Ada"], components: null }), [
    { type: "body", parameters: [{ type: "text", text: "Ada" }] },
  ]);
  assert.deepEqual(componentsOf({ parameters: { who: "Ada" }, components: null }), [
    { type: "body", parameters: [{ type: "text", parameter_name: "who", text: "Ada" }] },
  ]);
  for (const parameters of [null, [], {}])
    assert.deepEqual(componentsOf({ parameters, components: null }), []);
  const components = [{ type: "header", parameters: [] }];
  assert.deepEqual(componentsOf({ parameters: null, components }), components);
});

test("lengths are counted in characters", () => {
  assert.equal(isLonger("🎉".repeat(4), 4), false);
  assert.equal(isLonger("🎉".repeat(5), 4), true);
  assert.equal(isLonger("abcd", 4), false);
});
