// What a mail is given so that its recipient can be heard of again: the pixel, the links that lead through us, the
// headers of one-click unsubscribe (RFC 8058) and the address for its bounces. All of it is the same at every attempt.

import { sameAddress } from "#contract/address.ts";
import type { EmailSettings } from "#gateways/email/settings.ts";
import type { OutgoingEmail } from "#gateways/gateway.ts";
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
  /** `https://…` without a slash at its end; null: nobody outside reaches us, so nothing can lead here. */
  publicUrl: string | null;
}

export interface MailLinks {
  pixelUrl: string | null;
  /** Null: the link is to be left as it is. */
  clickUrl(target: string): string | null;
  unsubscribeHeaders: OutgoingEmail["headers"];
  /** Null: bounces go to the sender's address. */
  returnPath: string | null;
}

/** The settings of an email gateway that matter here. */
export type LinkSettings = Pick<EmailSettings, "tracking" | "unsubscribe"> & {
  /** A domain whose MX leads to `TRUNKLINE_BOUNCE_SMTP_PORT`. */
  return_path_domain?: string | undefined;
};

/** What a gateway's settings ask for, for one mail. Without a public URL only the return path is left of it. */
export function mailLinks(
  { sealer, publicUrl }: MailLinksDeps,
  mail: Subscription,
  settings: LinkSettings,
): MailLinks {
  const { tracking, unsubscribe, return_path_domain: domain } = settings;
  const { messageId } = mail;
  const returnPath = domain === undefined ? null : returnPathOf(sealer, messageId, domain);
  if (publicUrl === null) return { pixelUrl: null, clickUrl: () => null, unsubscribeHeaders: [], returnPath };
  const own = Object.values(tokenPaths).map((path) => `${publicUrl}${path}`);
  return {
    pixelUrl: tracking.opens ? `${publicUrl}${tokenPaths.open}${openToken(sealer, messageId)}` : null,
    clickUrl: (written) => {
      const target = tracking.clicks ? clickTarget(written) : null;
      if (target === null || own.some((prefix) => target.startsWith(prefix))) return null;
      return `${publicUrl}${tokenPaths.click}${clickToken(sealer, messageId, target)}`;
    },
    unsubscribeHeaders: unsubscribe ? unsubscribeHeaders({ sealer, publicUrl }, mail) : [],
    returnPath,
  };
}

/** One click takes HTTPS (RFC 8058 section 3.1); without it the link is only for people. */
function unsubscribeHeaders(
  { sealer, publicUrl }: { sealer: Sealer; publicUrl: string },
  mail: Subscription,
): OutgoingEmail["headers"] {
  const link = `<${publicUrl}${tokenPaths.unsubscribe}${unsubscribeToken(sealer, mail)}>`;
  return publicUrl.startsWith("https://")
    ? [
        ["List-Unsubscribe", link],
        ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
      ]
    : [["List-Unsubscribe", link]];
}

/** What the settings of its gateway add to a mail. The same at every attempt. */
export interface TrackingExtras {
  html: string | null;
  headers: OutgoingEmail["headers"];
  returnPath: string | null;
}

/** `recipient`: as the message has it or as the caller wrote it. */
export function createTrackingExtras(
  deps: MailLinksDeps,
  mail: Subscription & { html: string | null },
  settings: LinkSettings,
): TrackingExtras {
  const { html } = mail;
  const { opens, clicks } = settings.tracking;
  const recipient = sameAddress(mail.recipient) ?? mail.recipient;
  const links = mailLinks(deps, { ...mail, recipient }, settings);
  const rewritten = html !== null && deps.publicUrl !== null && (opens || clicks);
  return {
    html: rewritten ? withTracking(html, links) : html,
    headers: links.unsubscribeHeaders,
    returnPath: links.returnPath,
  };
}

/** Whether settings ask for links that lead to this installation, so that a public URL is needed. */
export function needsPublicUrl({ tracking, unsubscribe }: LinkSettings): boolean {
  return tracking.opens || tracking.clicks || unsubscribe;
}
