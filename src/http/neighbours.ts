// What a wrong path probably meant: beginners turn words around, use another service's paths, or another word for a channel. The
// sentence names only paths of ours and repeats nothing of the request.

import { channelWords, isChannel } from "./path-params.ts";

const verbs = new Set(["get", "cancel", "reschedule", "resolve"]);
/** First segments of OpenAI's and Anthropic's paths. */
const ofAi = new Set(["v1", "v1beta", "chat", "completions", "embeddings", "openai"]);

/** A sentence about the path that was probably meant; null: nothing is near. `ai`: it is one of the AI gateway's. */
export function neighbourOf(url: string): { sentence: string; ai: boolean } | null {
  const [, first = "", second = "", third = ""] = (url.split(/[?#]/, 1)[0] ?? "").split("/", 5);
  if (ofAi.has(first) || (first === "api" && ofAi.has(second)))
    return { ai: true, sentence: "The AI gateway is at /api/ai/v1." };
  if (first !== "api") return null;
  const plain = (sentence: string) => ({ ai: false, sentence });
  if (second === "send") return plain(`${channelWords}: POST /api/${isChannel(third) ? third : "sms"}/send.`);
  if (verbs.has(second) && !isChannel(third)) return plain(`${channelWords}: /api/${second}/sms.`);
  if (isChannel(second) && third === "")
    return plain(`Messages are sent by POST /api/${second}/send and looked up at /api/get/${second}.`);
  if (!isChannel(second) && (third === "send" || third === "send-list"))
    return plain(`${channelWords}: POST /api/sms/send.`);
  return null;
}
