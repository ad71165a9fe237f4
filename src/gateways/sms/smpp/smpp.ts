// Any SMSC that speaks SMPP 3.4 (issue 1.2), as an ESME. It answers each PDU, so the outcome of a message is known unless the connection is
// lost or the SMSC is silent, and nothing is sent twice.

import { defineGateway } from "#gateways/gateway.ts";
import { smppCounting } from "./parts.ts";
import { SmppSession } from "./session.ts";
import { smppSettings, targetUrl } from "./settings.ts";

export const smpp = defineGateway({
  kind: "smpp",
  channels: ["sms"],
  contents: ["text"],
  title: "SMPP",
  summary:
    "SMS over SMPP 3.4, straight to an operator or an aggregator, with receipts and received messages.",
  settings: smppSettings,
  urls: (settings) => [targetUrl(settings)],
  counting: smppCounting,
  pacedBySegments: true,
  connection: "held",
  open: async (settings, host) => new SmppSession(settings, host),
});
