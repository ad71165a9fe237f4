// What the settings of `smpp` take and refuse.

import { smpp } from "#gateways/sms/smpp/smpp.ts";
import { gatewayConformance } from "../../conformance.ts";
import { password } from "./smsc.ts";

const example = { host: "smpp.operator.example", system_id: "acme", password };

gatewayConformance(smpp, {
  settings: {
    ...example,
    source: { addr: "ACME" },
    codes: { "0x0410": "gateway" },
    tlvs: [{ tag: "0x1400", type: "string", value: "1201159" }],
  },
  refused: [
    { settings: { ...example, host: "http://smpp.example" }, path: "host", says: /host name/ },
    { settings: { ...example, system_id: "" }, path: "system_id", says: /./ },
    { settings: { ...example, system_id: "ä" }, path: "system_id", says: /ASCII/ },
    { settings: { ...example, window: 0 }, path: "window", says: /./ },
    { settings: { ...example, tls: { ca: "x" } }, path: "tls.ca", says: /certificate/ },
    {
      settings: { ...example, source: { addr: "A NAME TOO LONG" } },
      path: "source.addr",
      says: /11 printable/,
    },
    { settings: { ...example, codes: { "410": "gateway" } }, path: "codes.410", says: /./ },
    {
      settings: { ...example, tlvs: [{ tag: "0x1400", type: "int8", value: "256" }] },
      path: "tlvs.0.value",
      says: /value of that type/,
    },
  ],
});
