// What an application needs to use this account: addresses, names, and calls that work unchanged.

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useRead } from "#ui/api/queries.ts";
import type { Gateway, Pool, SendAccountMessagesRequest } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Choices } from "#ui/parts/form/choices.tsx";
import { Choice } from "#ui/parts/form/field.tsx";
import { Facts, PageHead, Section, Waiting } from "#ui/parts/page.tsx";
import {
  aiSnippetOf,
  baseUrl,
  type Client,
  type Completion,
  clients,
  poolKey,
} from "#ui/pools/playground/ai-snippets.ts";
import { type Language, languages, snippetOf } from "#ui/send/snippets.ts";
import { verifySnippet } from "#ui/webhooks/verify-snippet.ts";

/** A send through the gateway, to a recipient for which the sandbox simulates a delivery. */
function requestThrough({ channel, identifier }: Gateway): SendAccountMessagesRequest {
  const text = { message: "Hello from Trunkline", gateway_identifier: identifier };
  const contact =
    channel === "email"
      ? { email: "delivered@example.com", subject: "Hello", ...text }
      : { number: "+15550000001", ...text };
  return { channel, contact: [contact] };
}

function SendOne({ gateways }: { gateways: readonly Gateway[] }) {
  const { id: account } = useAccount();
  const [language, setLanguage] = useState<Language>("curl");
  const [identifier, setIdentifier] = useState("");
  const gateway =
    gateways.find((each) => each.identifier === identifier) ??
    gateways.find((each) => each.default) ??
    gateways[0];
  if (gateway === undefined)
    return (
      <p>
        There is no gateway to send through yet.{" "}
        <Link to="/a/$account/gateways/new" params={{ account }}>
          Add a gateway
        </Link>
      </p>
    );
  return (
    <>
      <p className="hint">
        A key of the account is in the environment, as <code>TRUNKLINE_API_KEY</code>: the personal one or a
        named one of{" "}
        <Link to="/a/$account/api-keys" params={{ account }}>
          API keys
        </Link>
        . Without <code>gateway_identifier</code> the default gateway of the channel sends.
      </p>
      <Choice
        label="Gateway"
        of={gateways.map((each) => [each.identifier, `${each.identifier} (${each.channel})`] as const)}
        value={gateway.identifier}
        onChange={setIdentifier}
      />
      <Choices
        label="Language"
        of={languages.map((each) => [each, each] as const)}
        value={language}
        onChange={setLanguage}
      />
      <Snippet text={snippetOf(language, location.origin, requestThrough(gateway))} block />
    </>
  );
}

/** A model that the pool serves under this name; a pattern does not count. */
const modelOf = ({ members }: Pool): string =>
  members
    .flatMap(({ models, aliases }) => [...models, ...Object.keys(aliases)])
    .find((name) => !name.includes("*")) ?? "a-model-of-the-pool";

const helloOf = (pool: Pool): Completion => ({
  model: modelOf(pool),
  messages: [{ role: "user", content: "Hello" }],
});

function AskPool({ pools }: { pools: readonly Pool[] }) {
  const { id: account } = useAccount();
  const [client, setClient] = useState<Client>("curl");
  const [id, setId] = useState("");
  const pool = pools.find((each) => each.id === id) ?? pools[0];
  if (pool === undefined)
    return (
      <p>
        There is no pool yet.{" "}
        <Link to="/a/$account/pools" params={{ account }}>
          AI pools
        </Link>
      </p>
    );
  return (
    <>
      <p className="hint">
        A{" "}
        <Link to="/a/$account/pools/$pool/keys" params={{ account, pool: pool.id }}>
          key of the pool
        </Link>{" "}
        is in the environment, as <code>{poolKey}</code>. The key decides which pool answers.
      </p>
      <Choice
        label="Pool"
        of={pools.map((each) => [each.id, each.name] as const)}
        value={pool.id}
        onChange={setId}
      />
      <Choice label="Client" of={clients} value={client} onChange={(word) => setClient(word as Client)} />
      <Snippet text={aiSnippetOf(client, location.origin, helloOf(pool))} block />
    </>
  );
}

const named = (names: readonly string[]) =>
  names.length === 0 ? null : (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <Snippet text={name} />
        </li>
      ))}
    </ul>
  );

export function Page() {
  const { id: account } = useAccount();
  const gateways = useRead("listGateways", { params: { account } }, { every: 60_000 });
  const pools = useRead("listPools", { params: { account } }, { every: 60_000 });
  const { origin } = location;
  return (
    <>
      <PageHead title="Connect" />
      <div className="sides">
        <div>
          <Section title="Send a message">
            {gateways.data === undefined ? (
              <Waiting error={gateways.error} />
            ) : (
              <SendOne gateways={gateways.data.data} />
            )}
          </Section>
          <Section title="Ask an AI pool">
            {pools.data === undefined ? <Waiting error={pools.error} /> : <AskPool pools={pools.data.data} />}
          </Section>
          <Section title="Verify a webhook">
            <p className="hint">
              Each post is signed with the secret of its{" "}
              <Link to="/a/$account/webhooks" params={{ account }}>
                webhook
              </Link>
              , as Standard Webhooks says: any library for that verifies it, and so does this.
            </p>
            <Snippet text={verifySnippet} block />
          </Section>
        </div>
        <div>
          <Section title="Addresses">
            <Facts
              of={{
                Messages: <Snippet text={`${origin}/api`} />,
                "OpenAI clients": <Snippet text={baseUrl("openai", origin)} />,
                "Anthropic clients": <Snippet text={baseUrl("anthropic", origin)} />,
                Management: <Snippet text={`${origin}/api/manage/v1`} />,
                Reference: <a href="/docs">Pages</a>,
                OpenAPI: <a href="/openapi.json">openapi.json</a>,
              }}
            />
          </Section>
          <Section title="Names">
            <Facts
              of={{
                Account: <Snippet text={account} />,
                Gateways: named((gateways.data?.data ?? []).map(({ identifier }) => identifier)),
                Pools: named((pools.data?.data ?? []).map(({ id }) => id)),
              }}
            />
          </Section>
        </div>
      </div>
    </>
  );
}
