// Path parameters shared by several routes.

import { idParam } from "#contract/envelope.ts";
import { type Channel, channels } from "#contract/messages/channel.ts";
import { channelWord } from "#contract/messages/channel-word.ts";
import { problem } from "#contract/problem.ts";

export const channelParam = channelWord.describe("The channel.");

/** That of every path with the scope `account`. */
export const accountParam = idParam("The account's id, or its name.");

/** Whether the text is the name of a channel, which is in lower case; a route answers 404 to any other. */
export function isChannel(text: string | undefined): text is Channel {
  return (channels as readonly (string | undefined)[]).includes(text);
}

/** Whether the text has the form of our ids; the storage is not queried for any other. */
export function isId(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z0-9_-]{1,64}$/.test(text);
}

/** For sentences about wrong paths. */
export const channelWords = `The channels are ${channels.slice(0, -1).join(", ")} and ${channels.at(-1)}`;

/** The 404 of a path with another word instead of a channel. */
export const unknownChannel = problem("not_found", {
  message: `Not found. ${channelWords}.`,
});
