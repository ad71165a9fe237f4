// The channel and the status of a message as schemas.

import { z } from "zod";
import { channels, statuses } from "./channel.ts";

/** A channel on the wire. */
export const channelWord = z.enum(channels).meta({ id: "Channel" });
/** A message's status on the wire. */
export const statusWord = z.enum(statuses).meta({ id: "MessageStatus" });
