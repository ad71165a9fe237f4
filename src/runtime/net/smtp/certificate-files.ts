// A certificate in files that another program renews (certbot, cert-manager): read at start, and again when their content has changed.

import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { Clock, Log } from "#runtime/runtime.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import type { Certificate } from "./submission-port.ts";

interface CertificateFiles {
  cert: string;
  key: string;
}

const lookMs = 60_000;

/** Reads the files, which are small, in one step. Rejects if they cannot be read, are no certificate and key, or do not belong together. */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  const [cert, key] = [readFileSync(files.cert, "utf8"), readFileSync(files.key, "utf8")];
  createSecureContext({ cert, key });
  return { cert, key };
}

/**
 * Calls `renewed` with each new certificate until the signal aborts. Content is compared and not times, because files that are mounted keep
 * theirs. A pair that does not fit yet (one of the two was written first) is read again a minute later.
 */
export function watchCertificate(
  files: CertificateFiles,
  first: Certificate,
  { clock, log, signal }: { clock: Clock; log: Log; signal: AbortSignal },
  renewed: (certificate: Certificate) => void,
): void {
  let current = first;
  new Interval({
    clock,
    log,
    signal,
    ms: lookMs,
    failure: {
      event: "certificate.unreadable",
      message: "The certificate of mail submission cannot be read; the one from before stays in use.",
    },
    async turn() {
      const next = await readCertificate(files);
      if (next.cert === current.cert && next.key === current.key) return;
      renewed(next);
      current = next;
      log.info({ event: "certificate.renewed" }, "Mail submission uses the new certificate.");
    },
  }).start();
}
