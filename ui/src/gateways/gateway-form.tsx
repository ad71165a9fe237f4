// Settings of a gateway: those of its kind, and those that all gateways have, from the API's own schemas.

import { type FormEvent, useState } from "react";
import type { ApiError } from "#ui/api/client.ts";
import forms from "#ui/api/forms.json";
import type { Gateway, GatewayKind } from "#ui/api/schema.ts";
import { Problem } from "#ui/parts/page.tsx";
import { changesOf, type Schema, type Values, withSettings } from "#ui/schema-form/model.ts";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";

/** `onSubmit` gets what was entered for a new gateway, and otherwise what of it changed. */
export function GatewayForm({
  kind,
  gateway,
  error,
  busy,
  verb,
  onSubmit,
  reload,
  children,
}: {
  kind: GatewayKind;
  gateway?: Gateway;
  error: ApiError | null;
  busy: boolean;
  verb: string;
  onSubmit: (values: Values) => void;
  reload?: () => Promise<void>;
  children?: React.ReactNode;
}) {
  const [values, setValues] = useState<Values>(gateway ?? { settings: {} });
  const schema = withSettings(forms.gateway as Schema, kind.settings);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(gateway === undefined ? values : changesOf(schema, gateway, values));
  };
  return (
    <form className="form" onSubmit={submit}>
      {children}
      <h2>{kind.title}</h2>
      <p className="soft">{kind.summary}</p>
      <SchemaForm schema={schema} path="" values={values} error={error} onChange={setValues} />
      <Problem error={error} {...(reload === undefined ? {} : { reload })} />
      <div>
        <button type="submit" className="button first" disabled={busy}>
          {verb}
        </button>
      </div>
    </form>
  );
}
