// Several phones as one gateway: each message is given to one of them when it is accepted (`store/phones/spread.ts`). The kind has
// no connection of its own. Its members are phones alone, because what it weighs is what phones have: a day's allowance of a SIM, and
// silence.

import { z } from "zod";
import { defineGateway } from "#gateways/gateway.ts";

const maxMembers = 200;

export const spreadSettings = z.strictObject({
  members: z
    .array(z.string().min(1).max(100))
    .min(1, "must name a gateway")
    .max(maxMembers)
    .refine((members) => new Set(members).size === members.length, "must name each gateway once")
    .describe("The identifiers of the account's `android` gateways among which it chooses."),
});

export const spread = defineGateway({
  kind: "spread",
  channels: ["sms"],
  contents: ["text"],
  title: "Several phones",
  summary:
    "SMS through several `android` gateways, of which each recipient keeps one. Pace, day and hours are those of its members. See the page on phones.",
  settings: spreadSettings,
  connection: "members",
});
