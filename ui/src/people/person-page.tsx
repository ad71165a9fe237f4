// Everything about one recipient: whether they receive messages, what was sent to them and what they wrote.

import { Link, useParams, useSearch } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { usePages, useRead } from "#ui/api/queries.ts";
import type { Channel, ReceivedMessage, Suppression } from "#ui/api/schema.ts";
import { recipientOf } from "#ui/messages/words.ts";
import { useAccount } from "#ui/parts/account.ts";
import { channelNames } from "#ui/parts/channels.ts";
import { PageHead, Problem, Section, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Moment } from "#ui/parts/time.tsx";
import { TakeOff } from "#ui/suppressions/take-off.tsx";
import { inGroups } from "#ui/words/numbers.ts";
import { suppressionReasons } from "#ui/words/reasons.ts";
import { Answer } from "./answer.tsx";
import { channelsOf, conversationOf, waysOf } from "./conversation.ts";
import { Talk } from "./talk.tsx";

/** Whether messages of one channel reach them, and since when they do not. `word`: their message that ended it. */
function Consent({
  channel,
  suppression,
  word,
}: {
  channel: Channel;
  suppression: Suppression | undefined;
  word: string | undefined;
}) {
  if (suppression === undefined)
    return (
      <li>
        <Status of="ok">{channelNames[channel]}</Status> <span className="soft">receives messages</span>
      </li>
    );
  const why = word === undefined ? suppressionReasons[suppression.reason] : `answered ${word}`;
  return (
    <li>
      <Status of="suppressed">{channelNames[channel]}</Status>{" "}
      <span>
        receives nothing: {why} on <Moment at={suppression.created_at} />
        {suppression.note === null ? "" : ` (${suppression.note})`}
      </span>
      <TakeOff of={suppression} />
    </li>
  );
}

/** The message that put them on the list; undefined if it is unknown. */
const wordOf = (received: readonly ReceivedMessage[], suppression: Suppression | undefined) =>
  received.find(
    ({ channel, opt, received_at }) =>
      opt === "out" && channel === suppression?.channel && received_at === suppression.created_at,
  )?.message;

function Person({ asked }: { asked: string }) {
  const { id: account } = useAccount();
  const { at } = useSearch({ strict: false });
  const params = { account };
  const brief = channelsOf(asked).includes("email") ? ({ brief: "true" } as const) : {};
  const sent = usePages("listAccountMessages", { params, query: { recipient: asked, ...brief } });
  const received = usePages("listAccountReceivedMessages", { params, query: { from: asked } });
  const list = useRead("listSuppressions", { params, query: { recipient: asked } });
  // A sender who is not a number, such as a name, cannot receive messages.
  const isNoRecipient = sent.error?.status === 422;
  const suppressions = list.data?.data ?? [];
  const [first] = sent.items;
  const recipient =
    (first === undefined ? undefined : recipientOf(first)) ??
    received.items[0]?.from ??
    suppressions[0]?.recipient ??
    asked;
  const { entries, older } = conversationOf(
    { items: sent.items, isOver: isNoRecipient || !sent.hasNextPage },
    { items: received.items, isOver: !received.hasNextPage },
    suppressions,
  );
  const isKnown =
    (sent.data !== undefined || isNoRecipient) && received.data !== undefined && list.data !== undefined;
  const error = (isNoRecipient ? null : sent.error) ?? received.error ?? list.error;
  const channels = [...new Set([...channelsOf(recipient), ...suppressions.map(({ channel }) => channel)])];
  const [channel = "sms"] = channels;
  const ways = isNoRecipient ? [] : waysOf(received.items, at);
  return (
    <>
      <PageHead title={recipient}>
        {isNoRecipient ? null : (
          <Link
            to="/a/$account/send"
            params={{ account }}
            search={{ channel, to: recipient }}
            className="button first"
          >
            <Send aria-hidden="true" /> Send…
          </Link>
        )}
      </PageHead>
      {isKnown ? (
        <>
          <ul className="consents" aria-label="What reaches them">
            {isNoRecipient ? (
              <li className="soft">
                Nothing can be sent to {inGroups(recipient)}: it is no number and no address.
              </li>
            ) : (
              channels.map((each) => {
                const suppression = suppressions.find((entry) => entry.channel === each);
                return (
                  <Consent
                    key={each}
                    channel={each}
                    suppression={suppression}
                    word={wordOf(received.items, suppression)}
                  />
                );
              })
            )}
          </ul>
          <Problem error={error} />
          <Section
            title="Conversation"
            actions={
              entries.length === 0 || isNoRecipient ? undefined : (
                <Link to="/a/$account/messages" params={{ account }} search={{ recipient }}>
                  Filter the messages in the log
                </Link>
              )
            }
          >
            <Talk
              entries={entries}
              isReading={sent.isFetchingNextPage || received.isFetchingNextPage}
              hasUpdates={sent.hasUpdates || received.hasUpdates}
              onNews={() => {
                void sent.refresh();
                void received.refresh();
              }}
              onOlder={
                older.length === 0
                  ? null
                  : () => {
                      if (older.includes("sent")) void sent.fetchNextPage();
                      if (older.includes("received")) void received.fetchNextPage();
                    }
              }
            />
            {ways.length === 0 ? null : (
              <Answer
                key={`${recipient} ${at}`}
                recipient={recipient}
                ways={ways}
                mute={suppressions.map((entry) => entry.channel)}
              />
            )}
          </Section>
        </>
      ) : (
        <Waiting error={error} />
      )}
    </>
  );
}

/** Each person has a page of their own: data of one is never shown, and never answered, under another's address. */
export function Page() {
  const { id: account } = useAccount();
  const { recipient = "" } = useParams({ strict: false });
  return <Person key={`${account} ${recipient}`} asked={recipient} />;
}
