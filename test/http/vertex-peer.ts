// A member of kind vertex that asks a peer, which grants its tokens too.

import { credentials } from "../providers/vertex/key-file.ts";
import { type Peer, type PeerAnswer, replies } from "./openai-peer.ts";

const token = "ya29.granted-0123456789abcdef";
/** The header of each request with the granted token. */
export const bearer = `Bearer ${token}`;

/** Grants a token to who asks for one, and answers everything else with `answer`. */
export const grants =
  (answer: PeerAnswer): PeerAnswer =>
  (request) =>
    request.path === "/token"
      ? replies(200, { access_token: token, expires_in: 3600, token_type: "Bearer" })(request)
      : answer(request);

/** The requests so far, but for those for tokens. */
export const askedOf = ({ asked }: Peer) => asked.filter(({ path }) => path !== "/token");

export function vertexOf(peer: Peer, more: Record<string, unknown> = {}) {
  const root = peer.url.replace(/\/v1$/, "");
  return {
    name: "vertex",
    kind: "vertex",
    settings: { location: "europe-west4", credentials, base_url: root, token_url: `${root}/token` },
    ...more,
  };
}
