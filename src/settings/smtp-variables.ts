// The environment variables of the ports on which applications send mails. `src/config.ts` has all others.

import { z } from "zod";
import { text, wholeNumber } from "./variable.ts";

export const smtpVariables = {
  SMTP_PORT: wholeNumber(1, 65535)
    .optional()
    .meta(
      text(
        "Port on which applications send mails by SMTP, with an API key as password and STARTTLS. Without it, there is no such port.",
        "587",
        "whole number, 1 to 65535",
      ),
    ),
  SMTPS_PORT: wholeNumber(1, 65535)
    .optional()
    .meta(
      text(
        "The same with TLS from the start, for applications that have no STARTTLS.",
        "465",
        "whole number, 1 to 65535",
      ),
    ),
  SMTP_HOST: z
    .string()
    .optional()
    .meta(text("Address on which these two ports listen. Default: that of `TRUNKLINE_HOST`.", "0.0.0.0")),
  SMTP_TLS_CERT: z
    .string()
    .optional()
    .meta(
      text(
        "Path of the certificate of these ports with its chain (PEM). It is read again within a minute after it has changed.",
        "/etc/letsencrypt/live/mail.example.com/fullchain.pem",
      ),
    ),
  SMTP_TLS_KEY: z
    .string()
    .optional()
    .meta(
      text(
        "Path of the private key of that certificate (PEM).",
        "/etc/letsencrypt/live/mail.example.com/privkey.pem",
      ),
    ),
  SMTP_WITHOUT_TLS: z
    .enum(["true", "false"], "must be true or false")
    .transform((value) => value === "true")
    .prefault("false")
    .meta(
      text(
        "Whether API keys are taken without TLS from other machines too. Only for a network that is private: the key can be read on the way. From this machine they always are.",
        "true",
        "`true` or `false`",
      ),
    ),
  SMTP_MAX_BYTES: wholeNumber(65_536, 67_108_864)
    .prefault("26214400")
    .meta(
      text(
        "Maximum size of a mail that is sent by SMTP, bytes, with its attachments in base64.",
        "26214400",
        "whole number, 65536 to 67108864",
      ),
    ),
} as const;
