// The parts of a mail that lead back to this installation: the tracking pixel, tracked links, the headers of one-click
// unsubscribe (RFC 8058) and the return path. They are the same at every attempt.

import { normaliseAddress } from "#contract/address.ts";
import type { EmailSettings } from "#gateways/email/settings.ts";
import type { EmailContent } from "#gateways/message.ts";
import type { Sealer } from "#store/seal.ts";
import {
  clickTarget,
  clickToken,
  openToken,
  returnPathOf,
  type Subscription,
  tokenPaths,
  unsubscribeToken,
} from "./tokens.ts";
import { withTracking } from "./track-links.ts";

export interface MailLinksDeps {
  sealer: Sealer;
  /** `https://…` without a slash at its end; null if this installation is not reachable, so there are no links to it. */
  publicUrl: string | null;
}

interface MailLinks {
  pixelUrl: string | null;
  /** Null if the link is not tracked. */
  clickUrl(target: string): string | null;
  unsubscribeHeaders: EmailContent["headers"];
  /** Null if bounces go to the sender's address. */
  returnPath: string | null;
}

/** The settings of an email gateway that this file uses. */
export type LinkSettings = Pick<EmailSettings, "tracking" | "unsubscribe"> & {
  /** A domain whose MX record points to `TRUNKLINE_BOUNCE_SMTP_PORT`. */
  return_path_domain?: string | undefined;
};

/** The links and headers of one mail, by its gateway's settings. Without a public URL there is only the return path, if any. */
export function mailLinks(
  { sealer, publicUrl }: MailLinksDeps,
  mail: Subscription,
  settings: LinkSettings,
): MailLinks {
  const { tracking, unsubscribe, return_path_domain: domain } = settings;
  const { messageId } = mail;
  const returnPath = domain === undefined ? null : returnPathOf(sealer, messageId, domain);
  if (publicUrl === null) return { pixelUrl: null, clickUrl: () => null, unsubscribeHeaders: [], returnPath };
  const ourPrefixes = Object.values(tokenPaths).map((path) => `${publicUrl}${path}`);
  return {
    pixelUrl: tracking.opens ? `${publicUrl}${tokenPaths.open}${openToken(sealer, messageId)}` : null,
    clickUrl: (href) => {
      const target = tracking.clicks ? clickTarget(href) : null;
      if (target === null || ourPrefixes.some((prefix) => target.startsWith(prefix))) return null;
      return `${publicUrl}${tokenPaths.click}${clickToken(sealer, messageId, target)}`;
    },
    unsubscribeHeaders: unsubscribe ? unsubscribeHeaders({ sealer, publicUrl }, mail) : [],
    returnPath,
  };
}

/** One-click unsubscribe needs HTTPS (RFC 8058 section 3.1); without it the link is only for people. */
function unsubscribeHeaders(
  { sealer, publicUrl }: { sealer: Sealer; publicUrl: string },
  mail: Subscription,
): EmailContent["headers"] {
  const link = `<${publicUrl}${tokenPaths.unsubscribe}${unsubscribeToken(sealer, mail)}>`;
  return publicUrl.startsWith("https://")
    ? [
        ["List-Unsubscribe", link],
        ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
      ]
    : [["List-Unsubscribe", link]];
}

/** What the settings of its gateway add to a mail. The same at every attempt. */
interface TrackingExtras {
  html: string | null;
  headers: EmailContent["headers"];
  returnPath: string | null;
}

/** `recipient`: normalised or as the caller wrote it. */
export function createTrackingExtras(
  deps: MailLinksDeps,
  mail: Subscription & { html: string | null },
  settings: LinkSettings,
): TrackingExtras {
  const { html } = mail;
  const { opens, clicks } = settings.tracking;
  const recipient = normaliseAddress(mail.recipient) ?? mail.recipient;
  const links = mailLinks(deps, { ...mail, recipient }, settings);
  const rewritten = html !== null && deps.publicUrl !== null && (opens || clicks);
  return {
    html: rewritten ? withTracking(html, links) : html,
    headers: links.unsubscribeHeaders,
    returnPath: links.returnPath,
  };
}

/** Whether settings ask for links to this installation, so that a public URL is needed. */
export function needsPublicUrl({ tracking, unsubscribe }: LinkSettings): boolean {
  return tracking.opens || tracking.clicks || unsubscribe;
}
