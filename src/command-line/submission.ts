// The ports on which applications send mails by SMTP, as the settings ask for them.

import type { Config } from "#config.ts";
import type { Certificate, SubmissionPort } from "#runtime/net/smtp/submission-port.ts";
import type { Runtime } from "#runtime/runtime.ts";
import type { System } from "#system.ts";

type SubmissionConfig = Pick<
  Config,
  | "HOST"
  | "SMTP_PORT"
  | "SMTPS_PORT"
  | "SMTP_HOST"
  | "SMTP_TLS_CERT"
  | "SMTP_TLS_KEY"
  | "SMTP_WITHOUT_TLS"
  | "SMTP_MAX_BYTES"
>;

export interface SubmissionPorts {
  /** Stops accepting, and waits so long for the mails that are arriving, ms. */
  close(graceMs: number): Promise<void>;
}

/** What is wrong with the settings together; null for nothing. `isLoopback`: whether an address is of this machine alone. */
export function submissionFault(
  config: SubmissionConfig,
  isLoopback: (address: string) => boolean,
): string | null {
  const { SMTP_PORT, SMTPS_PORT, SMTP_TLS_CERT, SMTP_TLS_KEY, SMTP_WITHOUT_TLS } = config;
  if ((SMTP_TLS_CERT === undefined) !== (SMTP_TLS_KEY === undefined))
    return "TRUNKLINE_SMTP_TLS_CERT and TRUNKLINE_SMTP_TLS_KEY belong together: set both, or neither.";
  const hasTls = SMTP_TLS_CERT !== undefined;
  if (SMTPS_PORT !== undefined && !hasTls)
    return "TRUNKLINE_SMTPS_PORT needs TRUNKLINE_SMTP_TLS_CERT and TRUNKLINE_SMTP_TLS_KEY.";
  if (SMTP_PORT !== undefined && !hasTls && !SMTP_WITHOUT_TLS && !isLoopback(submissionHost(config)))
    return `TRUNKLINE_SMTP_PORT would take API keys without TLS on ${submissionHost(config)}. Set TRUNKLINE_SMTP_TLS_CERT and TRUNKLINE_SMTP_TLS_KEY, or TRUNKLINE_SMTP_WITHOUT_TLS=true in a private network.`;
  return null;
}

/** The address on which the ports listen. */
export const submissionHost = ({ HOST, SMTP_HOST }: SubmissionConfig) => SMTP_HOST ?? HOST;

/** Opens the ports; null if there are none. Rejects with an error in words for the operator. */
export async function openSubmission(
  config: SubmissionConfig,
  { clock, log }: Runtime,
  system: Pick<System, "core" | "sharedLimits">,
): Promise<SubmissionPorts | null> {
  const { SMTP_PORT, SMTPS_PORT, SMTP_TLS_CERT, SMTP_TLS_KEY } = config;
  if (SMTP_PORT === undefined && SMTPS_PORT === undefined) return null;
  // Loaded only if a port is set.
  const { createSubmissionDesk, maxRecipients } = await import("#http/submission/desk.ts");
  const { isLoopback, openSubmissionPort } = await import("#runtime/net/smtp/submission-port.ts");
  const { readCertificate, watchCertificate } = await import("#runtime/net/smtp/certificate-files.ts");
  const fault = submissionFault(config, isLoopback);
  if (fault !== null) throw new Error(fault);
  const files =
    SMTP_TLS_CERT === undefined || SMTP_TLS_KEY === undefined
      ? null
      : { cert: SMTP_TLS_CERT, key: SMTP_TLS_KEY };
  let certificate: Certificate | null = null;
  try {
    certificate = files && (await readCertificate(files));
  } catch (error) {
    throw new Error(`The certificate of TRUNKLINE_SMTP_TLS_CERT cannot be used: ${(error as Error).message}`);
  }
  const desk = createSubmissionDesk(system.core, system.sharedLimits);
  const shared = {
    host: submissionHost(config),
    certificate,
    plainSignIn: config.SMTP_WITHOUT_TLS,
    maxBytes: config.SMTP_MAX_BYTES,
    maxRecipients,
    clock,
    log,
    desk,
  };
  const ports: SubmissionPort[] = [];
  const close = async (graceMs: number) => {
    await Promise.all(ports.map((port) => port.close(graceMs)));
  };
  const open = async (setting: string, port: number | undefined, implicitTls: boolean) => {
    if (port === undefined) return;
    try {
      const opened = await openSubmissionPort({ ...shared, port, implicitTls });
      ports.push(opened);
      const how = implicitTls ? "with TLS" : certificate === null ? "without TLS" : "with STARTTLS";
      log.info(
        { event: "submission.listening", port: opened.port, tls: implicitTls },
        `Applications can send mails by SMTP on port ${opened.port}, ${how}.`,
      );
    } catch (error) {
      await close(0);
      throw new Error(`The port of ${setting} cannot be had: ${(error as Error).message}`);
    }
  };
  await open("TRUNKLINE_SMTP_PORT", SMTP_PORT, false);
  await open("TRUNKLINE_SMTPS_PORT", SMTPS_PORT, true);
  const stopping = new AbortController();
  if (files !== null && certificate !== null) {
    watchCertificate(files, certificate, { clock, log, signal: stopping.signal }, (renewed) => {
      for (const port of ports) port.renew(renewed);
    });
  }
  return {
    close: async (graceMs) => {
      stopping.abort();
      await close(graceMs);
    },
  };
}
