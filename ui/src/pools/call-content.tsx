// The request and answer of a call, if the pool keeps a content log.

import { Link } from "@tanstack/react-router";
import { useRead } from "#ui/api/queries.ts";
import type { PoolCallContent } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Copy } from "#ui/parts/copy.tsx";
import { Section, Waiting } from "#ui/parts/page.tsx";
import { Exact } from "#ui/parts/time.tsx";
import { bytes } from "#ui/words/numbers.ts";

function Side({ title, of, missing }: { title: string; of: unknown; missing: number }) {
  const text = JSON.stringify(of, null, 2);
  return (
    <Section title={title} actions={of === null ? null : <Copy text={text} />}>
      {of === null ? (
        <p className="soft">The caller got nothing.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard
        <pre className="source" dir="ltr" tabIndex={0}>
          {text}
        </pre>
      )}
      {missing === 0 ? null : (
        <p className="hint">
          It is longer than what is stored: {bytes(missing)} are missing where it says so.
        </p>
      )}
    </Section>
  );
}

function Stored({ content }: { content: PoolCallContent }) {
  const { request, response, missing, redacted, deleted_at: until } = content;
  return (
    <>
      <Side title="What was asked" of={request} missing={missing.request} />
      <Side title="What was answered" of={response} missing={missing.response} />
      <p className="hint">
        {redacted.length === 0 ? null : <>Replaced in it: {redacted.join(", ")}. </>}
        {until === null ? null : (
          <>
            Kept until <Exact at={until} />.
          </>
        )}
      </p>
    </>
  );
}

export function CallContent({ pool, call }: { pool: string; call: string }) {
  const { id: account } = useAccount();
  const read = useRead("getPoolCallContent", { params: { account, pool, call } }, { every: false });
  const content = read.data?.data;
  if (content === undefined) return <Waiting error={read.error} />;
  if (content.status === "stored") return <Stored content={content} />;
  return (
    <p className="hint">
      {content.status === "off" ? (
        <>
          Requests and answers are not stored. A{" "}
          <Link to="/a/$account/pools/$pool/settings" params={{ account, pool }}>
            content log
          </Link>{" "}
          of the pool stores them for a while.
        </>
      ) : (
        "The request and answer of this call are not stored: the call was not sampled, or its retention is over."
      )}
    </p>
  );
}
