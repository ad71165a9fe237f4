// The contents of a message: the text, or an HTML mail as its reader sees it, in a frame with its own address that runs no scripts and
// loads nothing.

import { useState } from "react";
import { addressOf } from "#ui/api/client.ts";
import { useRead } from "#ui/api/queries.ts";
import type { MessageRecord } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Choices } from "#ui/parts/form/choices.tsx";
import { Section, Waiting } from "#ui/parts/page.tsx";
import { bytes, number } from "#ui/words/numbers.ts";

function Text({ text, isSource = false }: { text: string; isSource?: boolean }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard
    <pre dir={isSource ? "ltr" : "auto"} tabIndex={0} className={isSource ? "source" : "said"}>
      {text}
    </pre>
  );
}

/** How many pictures the mail would load from other hosts. */
const remotePictures = (html: string): number =>
  html
    .split(/<img\s/i)
    .slice(1)
    .filter((rest) => /src\s?=\s?["']?https?:/i.test(rest.slice(0, rest.indexOf(">")))).length;

const views = [
  ["mail", "Mail"],
  ["text", "Text"],
  ["source", "Source"],
] as const;
type View = (typeof views)[number][0];

/** What a mail program without HTML shows. */
function TextPart({ message }: { message: string }) {
  const { id: account } = useAccount();
  const text = useRead("getMessageText", { params: { account, message } }, { every: false });
  return text.data === undefined ? <Waiting error={text.error} /> : <Text text={text.data} />;
}

/** `html`: whether the service shows the mail as a page. */
function Mail({ record, html }: { record: MessageRecord; html: boolean }) {
  const { id: account } = useAccount();
  const [view, setView] = useState<View>("mail");
  if (!html) return <Text text={record.message} />;
  const pictures = remotePictures(record.message);
  return (
    <>
      <Choices label="How the mail is shown" of={views} value={view} onChange={setView} />
      {view === "source" ? <Text text={record.message} isSource /> : null}
      {view === "text" ? <TextPart message={record.id} /> : null}
      {view !== "mail" ? null : (
        <>
          <iframe
            className="mail"
            title="The mail"
            sandbox=""
            src={addressOf("getMessageHtml", { account, message: record.id })}
          />
          {pictures === 0 ? null : (
            <p className="hint">
              {pictures === 1 ? "One picture" : `${number(pictures)} pictures`} of other hosts{" "}
              {pictures === 1 ? "is" : "are"} not loaded: the sender would learn that you looked.
            </p>
          )}
        </>
      )}
    </>
  );
}

export function Content({ record }: { record: MessageRecord }) {
  const { id: account } = useAccount();
  const mayBeHtml = record.channel === "email" && record.message.includes("<");
  // The service knows whether a body is HTML: it answers 404 otherwise.
  const page = useRead(
    "getMessageHtml",
    { params: { account, message: record.id } },
    { every: false, enabled: mayBeHtml },
  );
  return (
    <Section title="Message">
      {record.channel === "email" ? <h3 dir="auto">{record.subject}</h3> : null}
      {mayBeHtml && page.isPending ? null : <Mail record={record} html={mayBeHtml && page.isSuccess} />}
      {record.channel === "email" && record.attachments.length > 0 ? (
        <ul>
          {record.attachments.map((file) => (
            <li key={file.filename}>
              {file.filename} <span className="soft">{`${bytes(file.size)} · ${file.content_type}`}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </Section>
  );
}
