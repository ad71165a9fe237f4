import { Snippet } from "./copy.tsx";

/** The first message from a shell that has the account's API key. `at`: when it is sent, in the form of `schedule_at`. */
export function FirstSend({ at }: { at?: string }) {
  const schedule = at === undefined ? "" : `,"schedule_at":"${at}"`;
  const curl = `curl ${location.origin}/api/sms/send \\
  -H "Api-key: $TRUNKLINE_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"contact":[{"number":"+15550000001","message":"Hello from Trunkline"${schedule}}]}'`;
  return <Snippet text={curl} block />;
}
