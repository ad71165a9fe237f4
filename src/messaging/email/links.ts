// What a mail is given so that its recipient can be heard of again: the pixel, the links that lead through us, the
// headers of one-click unsubscribe (RFC 8058) and the address for its bounces. All of it is the same at every attempt.

import { normaliseAddress } from "#contract/address.ts";
import type { EmailSettings } from "#gateways/email/settings.ts";
import type { OutgoingEmail } from "#gateways/gateway.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import type { Log } from "#runtime/runtime.ts";
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
import { findInsertionPoints, type InsertionPoints, withTracking } from "./track-links.ts";

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

/** Campaigns repeat one body, whose places are found once. Large bodies are few, and not kept. */
const maxCachedBodies = 8;
const maxCachedLength = 256 * 1024;

/**
 * `add(mail)`: a mail's HTML with what its gateway's settings ask for, its further headers and its return path.
 * `recipient`: as the message has it or was given it.
 */
export function createTrackingExtras(parts: MailLinksDeps & { log: Log }) {
  const cache = new LruCache<string, InsertionPoints>(maxCachedBodies);
  let warned = false;

  const placesIn = (html: string): InsertionPoints =>
    html.length > maxCachedLength
      ? findInsertionPoints(html)
      : cache.getOrCreate(html, () => findInsertionPoints(html));

  return (
    mail: Subscription & { html: string | null; settings: LinkSettings },
  ): { html: string | null; headers: OutgoingEmail["headers"]; returnPath: string | null } => {
    const { html, settings } = mail;
    const { opens, clicks } = settings.tracking;
    if (parts.publicUrl === null && !warned && (opens || clicks || settings.unsubscribe)) {
      warned = true;
      parts.log.warn(
        {},
        "a gateway asks for tracking or unsubscribe links, which need TRUNKLINE_PUBLIC_URL: mails go out without",
      );
    }
    const recipient = normaliseAddress(mail.recipient) ?? mail.recipient;
    const links = mailLinks(parts, { ...mail, recipient }, settings);
    const rewritten = html !== null && parts.publicUrl !== null && (opens || clicks);
    return {
      html: rewritten ? withTracking(html, links, placesIn) : html,
      headers: links.unsubscribeHeaders,
      returnPath: links.returnPath,
    };
  };
}
