// Fields that sends of several channels share. Each is one list of rules that gives a zod schema (wording, OpenAPI) and a
// plain predicate: 100,000 contacts take 0.05 s with the predicates and 0.15 s with zod alone, so zod checks only values
// that do not fit.

import { z } from "zod";
import { isPlainAddress } from "#contract/address.ts";
import { maxReplyTo, readMailbox, readMailboxes, writeMailbox } from "#contract/mailbox.ts";
import { isName } from "#contract/name.ts";
import { exceeds, isSendable } from "#contract/normalise.ts";
import type { Rule } from "#contract/wording.ts";

/** A field whose value is normalised text (see `normalise.ts`). */
export interface TextField {
  schema: z.ZodString;
  /** Whether the text passes every rule of the schema. */
  fits(text: string): boolean;
}

interface TextRule {
  holds(text: string): boolean;
  otherwise: Rule | { atMost: number } | { atMostKilobytes: number };
}

function textField(...rules: [TextRule, TextRule?, TextRule?]): TextField {
  const schema = z.string().check((field) => {
    const input = field.value;
    for (const rule of rules) {
      if (rule === undefined || rule.holds(input)) continue;
      const { otherwise } = rule;
      if ("atMost" in otherwise || "atMostKilobytes" in otherwise) {
        const [origin, maximum] =
          "atMost" in otherwise
            ? (["string", otherwise.atMost] as const)
            : (["file", otherwise.atMostKilobytes] as const);
        field.issues.push({ code: "too_big", origin, maximum, inclusive: true, input });
      } else {
        field.issues.push({ code: "custom", params: { ...otherwise }, input });
      }
    }
  });
  const [first, second, third] = rules;
  if (second === undefined) return { schema, fits: first.holds };
  if (third === undefined) return { schema, fits: (text) => first.holds(text) && second.holds(text) };
  return { schema, fits: (text) => first.holds(text) && second.holds(text) && third.holds(text) };
}

const sendable: TextRule = { holds: isSendable, otherwise: { rule: "unsendable" } };

/** At most `max` code points. */
function atMost(max: number): TextRule {
  return { holds: (text) => !exceeds(text, max), otherwise: { atMost: max } };
}

/**
 * A recipient's number. It is checked later, with the account's country; only a text that is too long for fifteen digits in any notation is
 * refused here.
 */
export const number = textField(sendable, {
  holds: (text) => text.length <= 255,
  otherwise: { rule: "phone" },
});

/** One plain email address. */
export const emailAddress = textField({ holds: isPlainAddress, otherwise: { rule: "email" } });

const wellFormed: TextRule = { holds: (text) => text.isWellFormed(), otherwise: { rule: "unsendable" } };
/** Suitable for a header of a mail: no line end of any kind, no other control character. */
const oneLine: TextRule = {
  holds: (text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text),
  otherwise: { rule: "oneLine" },
};

/** A mail's subject. RFC 5322 allows a line of 998 characters; encoded, a long one is folded. */
export const subjectLine = textField(wellFormed, oneLine, atMost(998));

/** The name before a mail's address. */
export const senderName = textField(wellFormed, oneLine, atMost(256));

/** One plain email address, or one behind a name. */
export const namedAddress = textField({
  holds: (text) => {
    const mailbox = text.length > 2000 ? null : readMailbox(text);
    return (
      mailbox !== null &&
      isPlainAddress(mailbox.address) &&
      (mailbox.name === null || senderName.fits(mailbox.name))
    );
  },
  otherwise: { rule: "email" },
});

/** One or several of them, with commas between: the addresses for replies. */
export const replyAddresses = textField({
  holds: (text) => {
    const mailboxes = text.length > 2000 * maxReplyTo ? null : readMailboxes(text);
    return (
      mailboxes !== null &&
      mailboxes.length > 0 &&
      mailboxes.length <= maxReplyTo &&
      mailboxes.every((mailbox) => namedAddress.fits(writeMailbox(mailbox)))
    );
  },
  otherwise: { rule: "email" },
});

const longMessageBytes = 5 * 1024 * 1024;

/** A mail's body: at most `longMessageBytes` of UTF-8. */
export const longMessage = textField(sendable, {
  // UTF-8 takes at most three bytes per UTF-16 unit, so hardly any body has to be measured.
  holds: (text) => text.length * 3 <= longMessageBytes || Buffer.byteLength(text) <= longMessageBytes,
  otherwise: { atMostKilobytes: longMessageBytes / 1024 },
});

const shortMessageMax = 65_536;

/** An SMS or WhatsApp body. */
export const shortMessage = textField(sendable, atMost(shortMessageMax));

/** The texts of a list message, in code points after trimming. All but the message are one line. */
export const listMessage = textField(sendable, atMost(4096));
export const listHeader = textField(wellFormed, oneLine, atMost(60));
export const listButton = textField(wellFormed, oneLine, atMost(20));
export const listTitle = textField(wellFormed, oneLine, atMost(24));
export const listRowId = textField(wellFormed, oneLine, atMost(200));
export const listDescription = textField(wellFormed, oneLine, atMost(72));

/** The URL of a file: http or https, absolute, without credentials. The outbound guard checks it when it is fetched. */
export const mediaUrl = textField(
  wellFormed,
  { holds: isMediaUrl, otherwise: { rule: "url" } },
  atMost(2048),
);

/** The name of a file as its recipient sees it. */
export const mediaFilename = textField(sendable, atMost(240));

/** The name of a template. */
export const templateName = textField({
  holds: (text) => /^[a-z0-9_]{1,512}$/.test(text),
  otherwise: { rule: "regex" },
});

/** The type of a part of a template in Meta's form: `body`, `header`, `button`. */
export const componentType = textField({
  holds: (text) => /^[A-Za-z_]{1,64}$/.test(text),
  otherwise: { rule: "regex" },
});

/** The language of a template: `en_US`, `de`. */
export const templateLanguage = textField(
  { holds: (text) => /^[A-Za-z_-]*$/.test(text), otherwise: { rule: "regex" } },
  atMost(15),
);

function isMediaUrl(text: string): boolean {
  if (text.length > 2048) return true;
  // The parser drops line ends and tabs, and trims: what is stored is what was checked.
  if (/[\p{Cc}\p{Cf}\s]/u.test(text)) return false;
  // The parser would read `https:///a.png` and `https:a.png` as the host `a.png`.
  if (!/^https?:\/\/[^/\\?#]/i.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.username === "" && url.password === "" && url.hostname !== "";
}

/** The identifier of a gateway; that the account has it is checked later. */
export const gatewayIdentifier = textField(sendable, atMost(255));

/** A caller's own reference for a message. */
export const callerReference = textField(
  wellFormed,
  { holds: isName, otherwise: { rule: "oneLine" } },
  atMost(200),
);

/** A local date and time; the account's time zone is applied later. */
export const scheduleAt = textField({
  holds: isWallTime,
  otherwise: { rule: "dateFormat", format: "Y-m-d H:i:s" },
});

/** The format of `schedule_at` for the OpenAPI document. Surrounding blanks are ignored, and an empty text counts as null. */
export const scheduleAtPattern = "^\\s*(\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2})?\\s*$";

const wallTime = /^\d{4}-(\d\d)-(\d\d) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the text is an existing date and time of day, written as `Y-m-d H:i:s` writes them. */
export function isWallTime(text: string): boolean {
  const parts = wallTime.exec(text);
  if (parts === null) return false;
  const month = Number(parts[1]);
  const day = Number(parts[2]);
  if (day < 1 || day > (daysOfMonth[month - 1] ?? 0)) return false;
  if (month !== 2 || day !== 29) return true;
  const year = Number(text.slice(0, 4));
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
