// The end user and tags of a call, as its client specifies them. They are stored in the usage record, and usage can be summed by them; no
// limit depends on them.

import { isObject } from "#contract/normalise.ts";

export interface Labels {
  /** Null if the client names none. */
  user: string | null;
  /** Such as `team=checkout`; each name occurs once. */
  tags: readonly string[];
}

/** A header with more or longer tags is refused; excess entries in the body's `metadata` are left out. */
const maxTags = 10;
const maxTagLength = 128;
const maxUserLength = 128;
const tagText = /^[A-Za-z0-9_.:/-]{1,40}=[\x20-\x2b\x2d-\x7e]{1,87}$/;

/** A header that `readTags` accepts, for the documentation. Its whitespace is limited only by its length. */
export const tagsText =
  /^ *(?:[A-Za-z0-9_.:/-]{1,40}=[ -+\--~]{0,86}[!-+\--~] *)?(?:, *(?:[A-Za-z0-9_.:/-]{1,40}=[ -+\--~]{0,86}[!-+\--~] *)?){0,9}$/;

/** A text that databases and lists can store. */
const plain = (text: string, length: number) =>
  text
    .replaceAll(/\p{Cc}+/gu, " ")
    .toWellFormed()
    .slice(0, length)
    .toWellFormed();

const noLabels: Labels = { user: null, tags: [] };

/** The tags of `X-Trunkline-Tags: team=checkout,stage=live`; null if it is malformed. */
export function readTags(header: string): readonly string[] | null {
  const tags = header
    .split(",", maxTags + 1)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  return tags.length > maxTags || !tags.every((tag) => tagText.test(tag)) ? null : tags;
}

/**
 * The labels of a request: its `user` (also `safety_identifier`, or Anthropic's `metadata.user_id`), and as tags those of the header and
 * the other texts of its `metadata`. If both have a name, the header wins.
 */
export function labelsOf(body: Readonly<Record<string, unknown>>, headerTags: readonly string[]): Labels {
  const { user: named, safety_identifier: identifier, metadata } = body;
  // Nearly every request returns here.
  if (named === undefined && identifier === undefined && metadata === undefined && headerTags.length === 0)
    return noLabels;
  const fields = isObject(metadata) ? metadata : {};
  const user = [named, identifier, fields.user_id].find((text) => typeof text === "string" && text !== "");
  const tags = new Map(headerTags.map((tag) => [tag.slice(0, tag.indexOf("=")), tag]));
  for (const name in fields) {
    const value = fields[name];
    if (tags.size >= maxTags) break;
    if (typeof value !== "string" || value === "" || name === "user_id" || tags.has(name)) continue;
    tags.set(name, plain(`${name}=${value}`, maxTagLength));
  }
  return {
    user: typeof user === "string" ? plain(user, maxUserLength) : null,
    tags: [...new Set(tags.values())],
  };
}
