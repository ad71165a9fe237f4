// The doctor's check of the ports on which applications send mail.

import { submissionFault, submissionHost } from "#command-line/submission.ts";
import type { Config } from "#config.ts";
import { type Finding, fault, ok } from "./finding.ts";

/** Nothing where no such port is set. */
export async function checkMailPorts(config: Config): Promise<Finding[]> {
  const { SMTP_PORT, SMTPS_PORT, SMTP_TLS_CERT: cert, SMTP_TLS_KEY: key } = config;
  if (SMTP_PORT === undefined && SMTPS_PORT === undefined) return [];
  const { isLoopback } = await import("#runtime/net/smtp/submission-port.ts");
  const { readCertificate } = await import("#runtime/net/smtp/certificate-files.ts");
  const problem = submissionFault(config, isLoopback);
  if (problem !== null) return [fault("mail ports", problem, "The service does not start so; docs/smtp.md.")];
  if (cert !== undefined && key !== undefined) {
    try {
      await readCertificate({ cert, key });
    } catch (error) {
      return [
        fault(
          "mail ports",
          `The certificate cannot be used: ${(error as Error).message}`,
          "Check TRUNKLINE_SMTP_TLS_CERT and TRUNKLINE_SMTP_TLS_KEY.",
        ),
      ];
    }
  }
  const ports = [
    ...(SMTP_PORT === undefined
      ? []
      : [`port ${SMTP_PORT} ${cert === undefined ? "without TLS" : "with STARTTLS"}`]),
    ...(SMTPS_PORT === undefined ? [] : [`port ${SMTPS_PORT} with TLS`]),
  ];
  return [ok("mail ports", `SMTP on ${submissionHost(config)}, ${ports.join(", ")}.`)];
}
