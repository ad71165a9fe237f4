// The provider of the pool under test, for the operations that the sandbox does not serve. Every request that it gets is fine.

import { openaiPeer, type Peer, type PeerRequest, replies } from "../http/openai-peer.ts";

const usage = { input_tokens: 5, output_tokens: 9, total_tokens: 14 };

/** The answers, by the end of the path. */
const answers: Record<string, object> = {
  "/images/generations": { created: 1_767_225_600, data: [{ b64_json: "iVBORw0KGgo=" }], usage },
  "/audio/transcriptions": { text: "Hello Ada", usage: { type: "duration", seconds: 2 } },
  "/moderations": { id: "modr-1", model: "moderation", results: [{ flagged: false, categories: {} }] },
  "/rerank": { results: [{ index: 0, relevance_score: 0.9 }], usage: { total_tokens: 21 } },
};

function answer(request: PeerRequest): void {
  const { path, response } = request;
  if (path.endsWith("/audio/speech")) {
    response.writeHead(200, { "content-type": "audio/mpeg" }).end(Buffer.from("ID3"));
    return;
  }
  const [, found] = Object.entries(answers).find(([end]) => path.endsWith(end)) ?? [];
  if (found === undefined) replies(404, { error: { message: `No answer for ${path}.` } })(request);
  else replies(200, found)(request);
}

/** On a port of its own. */
export const openVendor = (): Promise<Peer> => openaiPeer(answer);
