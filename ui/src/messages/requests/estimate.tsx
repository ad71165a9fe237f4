// When the last message of a request is sent, at which rate of which gateway; or why that is unknown.

import { Link } from "@tanstack/react-router";
import type { AccountRequest, RequestLane } from "#ui/api/schema.ts";
import { counted } from "#ui/messages/words.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Due } from "#ui/parts/time.tsx";

const rates = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

/** `20 a second`, `7.5 a minute`. */
const rateText = (perSecond: number): string =>
  perSecond >= 1 ? `${rates.format(perSecond)} a second` : `${rates.format(perSecond * 60)} a minute`;

const reasons: Readonly<Record<NonNullable<RequestLane["unknown_because"]>, string>> = {
  held: "messages of a restored backup wait for an operator",
  off: "it is switched off",
  stopped: "it is stopped",
  paused: "it is paused",
  not_linked: "it has no device linked",
  no_rate: "it has no pace of its own, and has not sent for long enough to have a rate",
  too_many: "more than 100,000 messages are due before",
};

function Lane({ of }: { of: RequestLane }) {
  const { id: account } = useAccount();
  return (
    <li>
      {`${counted(of.messages)} through `}
      <Link to="/a/$account/gateways/$gateway" params={{ account, gateway: of.gateway }}>
        {of.gateway}
      </Link>
      {of.per_second === null || of.done_at === null ? (
        `: when is not known, since ${of.unknown_because === null ? "it does not send" : reasons[of.unknown_because]}.`
      ) : (
        <>
          {of.rate_of === "pace" ? " at its pace of " : ", which now sends "}
          {rateText(of.per_second)}
          {": "}
          <Due at={of.done_at} over="now" />
          {"."}
        </>
      )}
    </li>
  );
}

/** Each gateway waits for its turn, hours and daily limit, and for messages that are due earlier. */
export function Estimate({
  of: { messages, gateways, done_at },
}: {
  of: NonNullable<AccountRequest["estimate"]>;
}) {
  return (
    <section aria-label="Estimate">
      <p>
        {`${counted(messages)} to go. `}
        {done_at === null ? (
          "When the last one is sent is not known yet."
        ) : (
          <>
            {"The last one is sent about "}
            <Due at={done_at} over="now" />
            {"."}
          </>
        )}
      </p>
      <ul className="small soft">
        {gateways.map((lane) => (
          <Lane key={lane.gateway} of={lane} />
        ))}
      </ul>
    </section>
  );
}
