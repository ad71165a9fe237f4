// Every attack, in the order in which they are played.

import type { Attack } from "./attack.ts";
import { bodyAttacks } from "./bodies.ts";
import { callbackAttacks } from "./callbacks.ts";
import { doorAttacks } from "./doors.ts";
import { framingAttacks } from "./framing.ts";
import { holdingAttacks } from "./holdings.ts";
import { keyAttacks } from "./keys.ts";
import { mailPortAttacks } from "./mail-port.ts";
import { outageAttacks } from "./outage.ts";
import { pipeliningAttacks } from "./pipelining.ts";
import { providerAttacks } from "./providers.ts";
import { repeatAttacks } from "./repeats.ts";
import { sessionAttacks } from "./sessions.ts";
import { slowAttacks } from "./slow.ts";
import { ssrfAttacks } from "./ssrf.ts";
import { tenancyAttacks } from "./tenancy.ts";

export const attacks: readonly Attack[] = [
  ...keyAttacks,
  ...tenancyAttacks,
  ...sessionAttacks,
  ...repeatAttacks,
  ...holdingAttacks,
  ...callbackAttacks,
  ...framingAttacks,
  ...ssrfAttacks,
  ...bodyAttacks,
  ...pipeliningAttacks,
  ...slowAttacks,
  ...providerAttacks,
  ...mailPortAttacks,
  ...doorAttacks,
  ...outageAttacks,
];

export const enginesOf = ({ engines = ["sqlite"] }: Attack) => engines;
