import { Snippet } from "./copy.tsx";

/** The first message from a shell that has the account's API key. */
export function FirstSend() {
  const curl = `curl ${location.origin}/api/sms/send \\
  -H "Api-key: $TRUNKLINE_KEY" -H 'Content-Type: application/json' \\
  -d '{"contact":[{"number":"+15550000001","message":"Hello from Trunkline"}]}'`;
  return <Snippet text={curl} block />;
}
