// A system with an account, and gateways with phones that run the app.

import assert from "node:assert/strict";
import type { z } from "zod";
import type { linkReply, startedLinkReply } from "#contract/manage/links.ts";
import type { EngineName, Harness } from "../harness.ts";
import { bearer, manage, tokenFor } from "../http/managing.ts";
import { dataOf, type Managed, managed } from "../http/routes/manage/managed.ts";
import { SimulatedPhone, type Transmission } from "./simulated-phone.ts";

type Link = z.output<typeof linkReply>["data"];
type StartedLink = z.output<typeof startedLinkReply>["data"];

export const minute = 60_000;
export const hour = 60 * minute;
/** No wait between two messages, so that the clock does not move in most tests. */
export const unpaced = { per_second: 100_000, per_day: 1_000_000 };

/** Asks for a link of a gateway; returns the code that links a phone. */
export async function linkCode(it: Harness, accountId: string, identifier: string): Promise<string> {
  const path = `/accounts/${accountId}/gateways/${identifier}/link`;
  const reply = await manage(it, "POST", path, {
    headers: bearer(await tokenFor(it)),
    body: { method: "qr" },
  });
  return reply.json().data.code.text;
}

export interface PhoneWorld {
  m: Managed;
  accountId: string;
  /** The identifier of the present gateway. */
  gateway: string;
  /** What went over the air since the gateway was made. */
  air: Transmission[];
  /** What went over the air through the phone of a gateway. */
  airOf(gateway: string): readonly Transmission[];
  /** Makes a gateway, and a phone that is linked to it and connected. */
  linked(settings?: Record<string, unknown>, pace?: object): Promise<SimulatedPhone>;
  /** The gateway's path in the management API. */
  path(rest?: string): string;
  link(): Promise<Link>;
  startLink(body?: object): Promise<StartedLink>;
  shown(): Promise<{ state: string; pause: { reason: string } | null }>;
  /** Messages through the gateway, each to a number of its own. */
  accepted(count: number, message?: string): Promise<string[]>;
  statuses(ids: readonly string[]): Promise<string[]>;
  /** Lets everything happen that is due, the gathering of events included. */
  pass(ms?: number): Promise<void>;
}

export async function phoneWorld(engine: EngineName): Promise<PhoneWorld> {
  const m = await managed({ engine });
  const { id: accountId } = await m.it.account();
  let number = 0;
  const airs = new Map<string, Transmission[]>();
  const w: PhoneWorld = {
    m,
    accountId,
    gateway: "",
    air: [],
    path: (rest = "") => `/accounts/${accountId}/gateways/${w.gateway}${rest}`,
    link: async () => dataOf<Link>(await m.operator("GET", w.path("/link"))),
    startLink: async (body = {}) => {
      const reply = await m.operator("POST", w.path("/link"), { method: "qr", ...body });
      assert.equal(reply.statusCode, 202, reply.body);
      return reply.json().data as StartedLink;
    },
    shown: async () => dataOf(await m.operator("GET", w.path())),
    accepted: (count, message = "Hello") =>
      m.it.accepted(
        Array.from({ length: count }, (_, i) => ({
          number: `+49151234${10_000 + i}`,
          message: `${message} ${i}`,
          gateway_identifier: w.gateway,
        })),
      ),
    statuses: (ids) => Promise.all(ids.map(async (id) => (await m.it.message(id)).status)),
    airOf: (gateway) => airs.get(gateway) ?? [],
    pass: (ms = 200) => m.it.advance(ms),
    linked: async (settings = {}, pace = unpaced) => {
      number += 1;
      w.gateway = `phone-${number}`;
      w.air = [];
      airs.set(w.gateway, w.air);
      await m.it.gateway({ identifier: w.gateway, kind: "android", settings, pace });
      const { code } = await w.startLink();
      const phone = new SimulatedPhone(w.gateway, () => m.it, w.air);
      assert.equal(await phone.registerByCode(code?.text ?? ""), 201);
      await phone.start();
      await w.pass();
      return phone;
    },
  };
  return w;
}
