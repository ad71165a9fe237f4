// The channel among the words of a command.

import { type Channel, channels } from "#contract/messages/channel.ts";

/** Throws, in words for the operator, if it is another word. */
export function channelOf(word: string): Channel {
  const channel = channels.find((each) => each === word);
  if (channel === undefined) throw new Error(`The channel is one of ${channels.join(", ")}, not ${word}.`);
  return channel;
}
