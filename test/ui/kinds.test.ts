// A gateway of every kind is made by its form alone, from the example of its reference page.

import assert from "node:assert/strict";
import test from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Locator, Page } from "playwright-core";
import { parse } from "yaml";
import { adapters } from "#gateways/registry.ts";
import type { GatewayKind } from "#ui/api/schema.ts";
import { controlOf, type Schema, withoutNull } from "#ui/schema-form/model.ts";
import { capital, labelOf, unitsOf } from "#ui/schema-form/words.ts";
import { environment, examplesOf } from "../reference-examples.ts";
import { share } from "../runner/share.ts";
import { follow, missing, openOverview, type Visit, visit } from "./browser.ts";
import { api } from "./pages.ts";

interface Example {
  identifier: string;
  channel: string;
  kind: string;
  settings?: Record<string, unknown>;
}

const examples = examplesOf("gateways.md").map((yaml): Example => {
  const filled = yaml.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => environment[name] ?? "");
  return (parse(filled) as [Example])[0];
});

/** The group with this heading, inside another one or the page. */
const groupIn = (scope: Locator, name: string): Locator =>
  scope
    .locator("fieldset")
    .filter({ has: scope.page().locator("> legend", { hasText: new RegExp(`^${name}$`) }) })
    .first();

/** Enters a value as a person would, by the control that its schema gets. */
async function enter(scope: Locator, name: string, whole: Schema, value: unknown): Promise<void> {
  const { schema } = withoutNull(whole);
  const field = scope.getByLabel(labelOf(name, schema), { exact: true }).first();
  switch (controlOf(schema)) {
    case "group": {
      const group = groupIn(scope, labelOf(name, schema));
      const isOn = group.getByRole("button", { name: "On", exact: true }).first();
      if ((await isOn.count()) > 0) await isOn.click();
      return enterAll(group, schema, value as Record<string, unknown>);
    }
    case "pairs": {
      const group = groupIn(scope, labelOf(name, schema));
      for (const [key, text] of Object.entries(value as Record<string, string>)) {
        await group.getByRole("button", { name: "Add a row" }).click();
        await group
          .getByLabel(`Name in ${labelOf(name, schema)}`)
          .last()
          .fill(key);
        await group.getByLabel(`Value of ${key}`, { exact: true }).fill(text);
      }
      return;
    }
    case "switch":
      return scope
        .getByRole("checkbox", { name: labelOf(name, schema) })
        .first()
        .setChecked(value === true);
    case "choice":
      if ((await field.getAttribute("role")) === "radiogroup")
        return field
          .getByRole("radio", { name: new RegExp(`^${capital(String(value))}`) })
          .first()
          .check();
      if ((await field.getAttribute("role")) === "group")
        return field.getByRole("button", { name: new RegExp(`^${String(value)}$`, "i") }).click();
      return void (await field.selectOption(String(value)));
    case "lines":
      return field.fill((value as unknown[]).join("\n"));
    case "json":
      return field.fill(typeof value === "string" ? value : JSON.stringify(value));
    case "number": {
      const [unit] = unitsOf(name, schema) ?? [];
      if (unit !== undefined)
        await scope
          .getByLabel(`Unit of ${labelOf(name, schema)}`, { exact: true })
          .first()
          .selectOption(unit[0]);
      return field.fill(String(value));
    }
    default:
      return field.fill(String(value));
  }
}

async function enterAll(scope: Locator, schema: Schema, values: Record<string, unknown>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    const of = schema.properties?.[name];
    assert.ok(of, `${name} is no setting`);
    await unfold(scope.page());
    await enter(scope, name, of, value);
  }
}

const unfold = (of: Page) =>
  of.locator("details.more").evaluateAll((all) => {
    for (const each of all) (each as unknown as { open: boolean }).open = true;
  });

/** Opens the form of a kind, and enters the name. */
async function openForm(at: Visit, account: string, { channel, kind, identifier }: Example) {
  await follow(at, `/a/${account}/gateways/new?channel=${channel}&kind=${kind}`);
  await at.page.getByLabel("Name", { exact: true }).first().fill(identifier);
}

/** No address, key, name or path. */
const malformed = "ü !";

/** A setting that is entered as a text and has a pattern that this is against; null: the kind has none. What is too long cannot be entered at all. */
function patternText({ properties = {} }: Schema): string | null {
  for (const [name, whole] of Object.entries(properties)) {
    const { schema } = withoutNull(whole);
    const { pattern } = schema as { pattern?: string };
    const isText = ["text", "secret"].includes(controlOf(schema));
    if (isText && pattern !== undefined && !new RegExp(pattern, "u").test(malformed)) return name;
  }
  return null;
}

test("a gateway of every kind is made by its form, and a setting that is refused says so at its field", {
  skip: missing,
}, async (t) => {
  assert.equal(examples.length, adapters.length);
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await openOverview(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const kinds = (await api(at, "GET", "/gateway-kinds")).body.data as unknown as GatewayKind[];
  const add = page.getByRole("button", { name: "Add the gateway" });
  const sent = async () => {
    const replied = page.waitForResponse((response) => response.request().method() === "POST");
    await add.click();
    return replied;
  };
  let tried = 0;
  const played = share("kinds", ["ui/", "src/gateways/", "test/ui/"], [...examples.entries()]);
  for (const [number, example] of played) {
    const { channel, kind, settings = {} } = example;
    await t.test(`${channel} ${kind}`, async () => {
      const schema = kinds.find((each) => each.kind === kind)?.settings as Schema;
      const identifier = `${kind}-${number}`;
      await openForm(at, account, { ...example, identifier });
      if (Object.keys(settings).length > 0)
        await enterAll(groupIn(page.locator("form"), "Settings"), schema, settings);
      const refused = patternText(schema);
      if (refused !== null) {
        const whole = schema.properties?.[refused] ?? {};
        const group = groupIn(page.locator("form"), "Settings");
        await enter(group, refused, whole, malformed);
        const reply = await sent();
        assert.equal(reply.status(), 422, refused);
        const field = group.getByLabel(labelOf(refused, whole), { exact: true }).first();
        await field.and(page.locator("[aria-invalid=true]")).and(page.locator(":focus")).waitFor();
        await enter(group, refused, whole, settings[refused] ?? "");
        tried += 1;
      }
      const reply = await sent();
      assert.equal(reply.status(), 201, await reply.text());
      await page.waitForURL((url) => url.pathname.includes(`/gateways/${identifier}`));
      await page.getByRole("heading", { name: identifier, level: 1 }).waitFor();
      // What is as it comes is not sent: the box of a default is ticked already.
      const { settings: stored } = reply.request().postDataJSON() as { settings: Record<string, unknown> };
      const differing = Object.entries(settings).filter(
        ([name, value]) => !(name in stored && isDeepStrictEqual(stored[name], value)),
      );
      assert.deepEqual(
        differing.filter(([name, value]) => schema.properties?.[name]?.default !== value),
        [],
      );
    });
  }
  // The others have no setting that can be refused.
  assert.ok(tried > played.length / 2, `${tried} of ${played.length}`);
});
