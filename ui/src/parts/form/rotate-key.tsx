import { useRead } from "#ui/api/queries.ts";
import { SecretButton } from "#ui/parts/over/secret-button.tsx";
import { useForm } from "./form.tsx";
import { overlaps, Renew } from "./renew.tsx";

/** A key of a pool, or a named key. */
type Operations =
  | { get: "getPoolKey"; rotate: "rotatePoolKey"; params: { account: string; pool: string; key: string } }
  | { get: "getNamedKey"; rotate: "rotateNamedKey"; params: { account: string; key: string } };

interface Of {
  by: Operations;
  of: { name: string; last_used_at: string | null };
}

function Rotation({ by, of, onKey }: Of & { onKey: (key: string | null) => void }) {
  const { params } = by;
  // The time of last use must be current.
  const { data: now } = useRead(by.get, { params });
  const form = useForm(by.rotate, { onDone: ({ data }) => onKey(data.key) });
  return (
    <Renew
      of={form}
      verb="Rotate the key"
      name={of.name}
      hours={overlaps}
      lastUsedAt={(now?.data ?? of).last_used_at}
      onSubmit={(hours) => form.send({ params, body: { old_works_hours: hours } })}
    />
  );
}

/** `line`: the name of the new text as an environment variable. */
export function RotateKey({ line, ...key }: Of & { line: string }) {
  const { name } = key.of;
  return (
    <SecretButton
      title={`Rotate ${name}`}
      label="Rotate…"
      secret={{ title: `The new text of ${name}`, line }}
    >
      {(onKey) => <Rotation {...key} onKey={onKey} />}
    </SecretButton>
  );
}
