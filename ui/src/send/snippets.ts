// The same send as a call of the public API, in common languages. The key is never part of it.

import type { SendAccountMessagesRequest } from "#ui/api/schema.ts";
import { quoted } from "#ui/words/quoted.ts";

export const languages = ["curl", "JavaScript", "Python", "PHP"] as const;
export type Language = (typeof languages)[number];

type Sent = SendAccountMessagesRequest;

/** The path of the public API for the request. */
export function publicPath({ channel, contact }: Sent): string {
  const isList = channel === "whatsapp" && contact.some((each) => "sections" in each);
  return `/api/${channel}/${isList ? "send-list" : "send"}`;
}

const publicBody = ({ channel: _channel, ...body }: Sent): string => JSON.stringify(body, null, 2);

/** The call of the public API that sends the request, with the API key in the environment variable `TRUNKLINE_API_KEY`. */
export function snippetOf(language: Language, origin: string, request: Sent): string {
  const url = `${origin}${publicPath(request)}`;
  const body = publicBody(request);
  switch (language) {
    case "curl":
      return `curl ${url} \\
  -H "Api-key: $TRUNKLINE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(body)}`;
    case "JavaScript":
      return `const response = await fetch("${url}", {
  method: "POST",
  headers: { "Api-key": process.env.TRUNKLINE_API_KEY, "Content-Type": "application/json" },
  body: JSON.stringify(${body.replaceAll("\n", "\n  ")}),
});
console.log(await response.json());`;
    case "Python":
      // A JSON value of only texts, lists and objects is also a Python value.
      return `import os
import requests

response = requests.post(
    "${url}",
    headers={"Api-key": os.environ["TRUNKLINE_API_KEY"]},
    json=${body.replaceAll("\n", "\n    ")},
)
print(response.json())`;
    case "PHP":
      // A nowdoc is verbatim; a line of JSON never begins with its end marker.
      return `<?php
$call = curl_init("${url}");
curl_setopt_array($call, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ["Api-key: " . getenv("TRUNKLINE_API_KEY"), "Content-Type: application/json"],
    CURLOPT_POSTFIELDS => <<<'BODY'
${body}
BODY,
]);
echo curl_exec($call);`;
  }
}
