// The settings of an `smpp` gateway. Operators differ in nearly all of them, and document their own when they issue an account; the
// defaults are what most of them accept.

import { X509Certificate } from "node:crypto";
import { z } from "zod";
import { secret } from "#settings/secrets.ts";
import { hostField, hostUrl } from "#settings/url.ts";
import type { BindFields } from "./pdu.ts";

const isCertificate = (pem: string) => {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
};

const certificate = z.string().refine(isCertificate, { error: "Must be a certificate in PEM." });

const octet = (max = 255) => z.int().min(0).max(max);
/** Printable ASCII: the fields end with a NUL and have no alphabet. */
const ascii = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[ -~]*$/, "Must be printable ASCII characters.");
const idFormat = z.enum(["as-is", "hex", "dec", "lenient"]);

interface OperatorTlv {
  tag: string;
  type: "string" | "cstring" | "int8" | "int16" | "int32" | "hex";
  value: string;
}

const tlv: z.ZodType<OperatorTlv> = z
  .strictObject({
    tag: z
      .string()
      .regex(/^0x(?:1[4-9a-f]|[23][0-9a-f])[0-9a-f]{2}$/i, "Must be an operator's tag, 0x1400 to 0x3FFF.")
      .describe("The tag, such as `0x1400`."),
    type: z
      .enum(["string", "cstring", "int8", "int16", "int32", "hex"])
      .describe("How the value is written."),
    value: z.string().max(500).describe("The value, a number in decimal."),
  })
  .refine((field) => tlvValue(field) !== null, {
    path: ["value"],
    error: "Must be a value of that type.",
  });

export const smppSettings = z.strictObject({
  host: hostField().describe("The SMSC: a host name or an address."),
  port: z.int().min(1).max(65_535).default(2775).describe("The port of the SMSC."),
  tls: z
    .union([z.boolean(), z.strictObject({ ca: certificate })], {
      error: "Must be true, false, or an object with a `ca`.",
    })
    .default(false)
    .describe(
      "Whether the connection is encrypted, from the start. `{ ca }`: it is, and that certificate authority, or that certificate of the server's own (PEM), is trusted instead of the public ones.",
    ),
  system_id: ascii(15).min(1).describe("The account's name at the SMSC."),
  password: secret()
    .regex(/^[ -~]{1,64}$/, "Must be at most 64 printable ASCII characters.")
    .describe("The password; SMPP 3.4 has eight characters, and some SMSCs take more."),
  system_type: ascii(12).default("").describe("What the SMSC calls this kind of account; mostly empty."),
  bind: z
    .enum(["transceiver", "transmitter+receiver"])
    .default("transceiver")
    .describe("One connection for both directions, or one for each."),
  binds: z
    .int()
    .min(1)
    .max(8)
    .default(1)
    .describe("How many connections, or pairs of them. No more than the operator allows."),
  window: z
    .int()
    .min(1)
    .max(100)
    .default(10)
    .describe("How many messages wait for an answer on a connection."),
  enquire_link_s: z
    .int()
    .min(5)
    .max(600)
    .default(30)
    .describe("The connection is tested after a silence of this length, s."),
  response_timeout_s: z
    .int()
    .min(2)
    .max(300)
    .default(30)
    .describe("How long the SMSC may take to answer, in seconds. Without an answer a message is `unknown`."),
  source: z
    .strictObject({
      addr: z
        .string()
        .regex(
          /^(?:\+?[0-9]{1,20}|[ -~]{1,11})$/,
          "Must be a number, or at most 11 printable ASCII characters.",
        )
        .optional()
        .describe("The sender: a number, a short code or a name. Absent: the SMSC's own."),
      ton: octet(6)
        .optional()
        .describe("Its type of number. Default: by its form (name 5, number 1, short code 3)."),
      npi: octet(18).optional().describe("Its numbering plan. Default: 1 for a number, otherwise 0."),
    })
    .prefault({})
    .describe("Who messages are from."),
  dest: z
    .strictObject({
      ton: octet(6).default(1).describe("Type of number of recipients."),
      npi: octet(18).default(1).describe("Numbering plan of recipients."),
      plus: z.boolean().default(false).describe("Whether recipients keep their plus."),
    })
    .prefault({})
    .describe("How recipients are written."),
  data_coding: z
    .strictObject({
      gsm7: octet().default(0).describe("The `data_coding` of text in the SMSC's default alphabet."),
      latin1: octet()
        .nullable()
        .default(null)
        .describe("That of Latin-1; null if the SMSC does not accept it."),
      ucs2: octet().default(8).describe("That of UCS-2."),
    })
    .prefault({})
    .describe("The numbers that the SMSC gives alphabets."),
  default_alphabet: z
    .enum(["gsm7", "latin1", "ascii"])
    .default("gsm7")
    .describe(
      "What `data_coding` 0 means at this SMSC. When it is wrong, `@` and `_` arrive as other characters.",
    ),
  packed: z.boolean().default(false).describe("Whether GSM text goes with eight characters in seven octets."),
  long: z
    .enum(["udh8", "udh16", "sar", "payload"])
    .default("udh8")
    .describe(
      "How parts of a long text name each other. `udh8`: in a header with a reference of 8 bits. `udh16`: in a header with one of 16 bits. `sar`: in parameters. `payload`: there are none, because the SMSC cuts the text.",
    ),
  registered_delivery: octet(31)
    .default(1)
    .describe("Which receipts are requested; 1 for how each message ended."),
  receipts: z
    .enum(["auto", "text", "tlv"])
    .default("auto")
    .describe(
      "Where receipts say which message they mean and how it ended. `auto`: in what there is, parameters first. `text`: in their text. `tlv`: in parameters.",
    ),
  receipts_per: z
    .enum(["part", "message"])
    .default("part")
    .describe(
      "What a receipt is about. `part`: one part of a long text, which is `delivered` when all parts are. `message`: the whole text.",
    ),
  validity_s: z
    .int()
    .min(60)
    .max(30 * 86_400)
    .nullable()
    .default(null)
    .describe("How long the SMSC tries to deliver, in seconds. Null: as long as it likes."),
  service_type: ascii(5).default("").describe("The `service_type` of messages; mostly empty."),
  protocol_id: octet().default(0).describe("The `protocol_id` of messages."),
  message_id: z
    .strictObject({
      answer: idFormat.default("as-is").describe("The format of ids in answers."),
      receipt: idFormat.default("as-is").describe("The format of ids in receipts."),
    })
    .prefault({})
    .describe(
      "Some SMSCs answer with hexadecimal ids and report with decimal ones: then `hex` and `dec`. `lenient` ignores case and zeros in front.",
    ),
  throttle_ms: z
    .int()
    .min(100)
    .max(30_000)
    .default(1000)
    .describe("How long to wait, in ms, when the SMSC says that it is too fast. Doubled each time, to 30 s."),
  codes: z
    .record(
      z.string().regex(/^0x[0-9a-f]{1,8}$/i, "Must be a status, such as 0x0410."),
      z.enum(["message", "gateway", "throttled", "later"]),
    )
    .default({})
    .describe(
      "What the operator's own statuses mean: the `message` is refused for good, the `gateway` is at fault, it is too fast (`throttled`), or it may be tried again (`later`). Others are refusals of the message.",
    ),
  tlvs: z
    .array(tlv)
    .max(20)
    .default([])
    .describe("Further parameters of each message, as the operator demands."),
});

export type SmppSettings = z.output<typeof smppSettings>;

/** Trusted certificates for TLS; null if the connection is not encrypted. */
export function tlsOf({ tls }: Pick<SmppSettings, "tls">): { ca?: string } | null {
  if (tls === false) return null;
  return tls === true ? {} : tls;
}

export const targetUrl = ({ host, port }: SmppSettings) => hostUrl(host, port);

export const bindFields = (settings: SmppSettings): BindFields => ({
  systemId: settings.system_id,
  password: settings.password,
  systemType: settings.system_type,
});

/** The octets of an operator's parameter; null if the value does not have its type. */
export function tlvValue({ type, value }: Pick<OperatorTlv, "type" | "value">): Buffer | null {
  switch (type) {
    case "string":
    case "cstring":
      if (!/^[\x20-\xff]*$/.test(value)) return null;
      return Buffer.from(type === "string" ? value : `${value}\0`, "latin1");
    case "hex":
      return /^(?:[0-9a-f]{2})*$/i.test(value) ? Buffer.from(value, "hex") : null;
    default: {
      const bytes = { int8: 1, int16: 2, int32: 4 }[type];
      if (!/^[0-9]{1,10}$/.test(value) || Number(value) >= 2 ** (8 * bytes)) return null;
      const octets = Buffer.alloc(bytes);
      octets.writeUIntBE(Number(value), 0, bytes);
      return octets;
    }
  }
}
