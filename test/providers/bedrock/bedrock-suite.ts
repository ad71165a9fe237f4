// Bedrock's wire traffic after its documentation (docs.aws.amazon.com/bedrock: Converse, ConverseStream, their errors and
// exceptions), and error bodies seen in its users' reports. The events of streams are those that frames have inside.

import type { ProviderSuite } from "../conformance-cases.ts";
import { answerCases, failureCases, requestCases, streamCases, unsupportedCases } from "../fixtures.ts";

const key = {
  access_key_id: "AKIAIOSFODNN7EXAMPLE",
  secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const region = "eu-central-1";
/** As AWS makes them: base64, whose strokes and plus signs leave no long run of letters and digits. */
const sessionToken = "IQoJb3JpZ2luX2VjEJr//////////wEaCWV1LXdlc3/EXAMPLE+0123456789/abcdefghij+KLMNOP==";

export const bedrockSuite: ProviderSuite = {
  settings: { region, ...key, session_token: sessionToken },
  model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
  check: `https://bedrock.${region}.amazonaws.com/foundation-models`,
  refused: [
    { settings: { region }, path: "api_key", says: /access_key_id/ },
    { settings: { region, api_key: "k", ...key }, path: "api_key", says: /together/ },
    {
      settings: { region, access_key_id: key.access_key_id },
      path: "secret_access_key",
      says: /needed/,
    },
    {
      settings: { region, secret_access_key: key.secret_access_key },
      path: "access_key_id",
      says: /needed/,
    },
    { settings: { region, api_key: "k", session_token: "s" }, path: "session_token", says: /alone/ },
    { settings: { region: "Frankfurt", ...key }, path: "region", says: /region/ },
    { settings: { region, ...key, base_url: "https://x.test/?key=1" }, path: "base_url", says: /query/ },
  ],
  requests: requestCases("bedrock"),
  unsupported: unsupportedCases("bedrock"),
  answers: answerCases("bedrock"),
  streams: streamCases("bedrock"),
  failures: failureCases("bedrock"),
};
