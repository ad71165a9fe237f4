// Suggests what a wrong path probably meant: beginners swap words, use another service's paths, or another word for a channel. The sentence
// names only our own paths and repeats nothing of the request.

import { channelWords, isChannel } from "./path-params.ts";

const verbs = new Set(["get", "cancel", "reschedule", "resolve"]);
/** Words at the beginning of AI clients' paths, with or without a version before them. */
const ofAi = new Set(["chat", "completions", "embeddings", "messages", "models", "openai", "responses"]);
const versions = new Set(["v1", "v1beta"]);

/** A sentence about the path that was probably meant, or null if no known path is similar. `ai` is true for paths of the AI gateway. */
export function suggestPath(url: string): { sentence: string; ai: boolean } | null {
  const [, ...all] = (url.split(/[?#]/, 1)[0] ?? "").split("/", 6);
  const isOurs = all[0] === "api";
  const named = isOurs ? all.slice(1) : all;
  // The channel API has no version in its paths; AI clients put one before theirs.
  const hasVersion = versions.has(named[0] ?? "");
  const [first = "", second = ""] = hasVersion ? named.slice(1) : named;
  if (ofAi.has(first) && (hasVersion || isOurs || first === "chat" || first === "completions"))
    return { ai: true, sentence: "The AI gateway is at /api/ai/v1." };
  if (!isOurs && !hasVersion) return null;
  const plain = (sentence: string) => ({ ai: false, sentence });
  if (first === "send")
    return plain(`${channelWords}: POST /api/${isChannel(second) ? second : "sms"}/send.`);
  if (verbs.has(first)) {
    const channel = isChannel(second) ? second : "sms";
    // Only an extra version, or another word instead of the channel.
    return hasVersion || !isChannel(second) ? plain(`${channelWords}: /api/${first}/${channel}.`) : null;
  }
  if (isChannel(first) && (second === "" || hasVersion))
    return plain(`Messages are sent by POST /api/${first}/send and looked up at /api/get/${first}.`);
  if (!isChannel(first) && (second === "send" || second === "send-list"))
    return plain(`${channelWords}: POST /api/sms/send.`);
  return null;
}
