// The sessions of `smpp`, over the whole system and a real SMSC.

import { smpp } from "#gateways/sms/smpp/smpp.ts";
import { sessionConformance } from "../../sessions/session-conformance.ts";
import { openSmscPeer } from "./smsc.ts";

sessionConformance(smpp, openSmscPeer);
