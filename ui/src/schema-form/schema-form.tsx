// A form made from a JSON Schema. Rules across fields are the API's: its messages appear at the fields.

import { useState } from "react";
import type { ApiError } from "#ui/api/client.ts";
import { Choices } from "#ui/parts/form/choices.tsx";
import { Check, Choice, Coded, Field, faultAt, Hint } from "#ui/parts/form/field.tsx";
import { TextField } from "#ui/parts/form/texts.tsx";
import { Tiles } from "#ui/parts/form/tiles.tsx";
import { Boxes } from "./boxes.tsx";
import { emptied, Json, Pairs, Secret } from "./controls.tsx";
import { Groups } from "./groups.tsx";
import { Instant } from "./instant.tsx";
import {
  applies,
  changed,
  controlOf,
  deciders,
  isDefault,
  isMask,
  placeholderOf,
  type Schema,
  scalarOf,
  type ValueProps,
  type Values,
  withoutNull,
} from "./model.ts";
import { Quantity } from "./quantity.tsx";
import { capital, labelOf, proseOf, sentencesOf } from "./words.ts";

/** `none`: the words for a group that is not there. */
function Group({
  name,
  label,
  path,
  schema,
  required,
  nullable,
  value,
  error,
  none,
  onChange,
}: ValueProps & { name: string; none: string | null }) {
  // A group that has a default always exists.
  const always = required || (!nullable && schema.default !== undefined);
  const on = always || (value !== undefined && value !== null);
  if (Object.keys(schema.properties ?? {}).length === 0) return null;
  return (
    <fieldset>
      <legend>{label}</legend>
      {schema.description === undefined ? null : <Hint of={schema.description} />}
      {always ? null : (
        <Choices
          label="On or off"
          of={[
            ["off", capital(none ?? "off")],
            ["on", none?.includes("limit") ? "Set limits" : "On"],
          ]}
          value={on ? "on" : "off"}
          onChange={(word) => onChange(word === "on" ? {} : undefined)}
        />
      )}
      {on ? (
        <SchemaForm
          schema={schema}
          path={path}
          values={(value as Values | null | undefined) ?? {}}
          error={error}
          // There are many of a kind.
          folds={name === "settings"}
          onChange={onChange}
        />
      ) : null}
    </fieldset>
  );
}

const maxSegments = 2;
const maxTiles = 5;

function Value(input: Omit<ValueProps, "nullable" | "label" | "fault"> & { name: string }) {
  const { schema: bare, nullable } = withoutNull(input.schema);
  const { text, empty } = proseOf(bare);
  const schema = text === undefined ? bare : { ...bare, description: text };
  const { name, path, required, value, error } = input;
  // If null is a value, an emptied control means it.
  const onChange = (entered: unknown) => input.onChange(nullable ? (entered ?? null) : entered);
  const label = labelOf(name, schema);
  const fault = faultAt(error, path, label);
  const props = { ...input, label, fault, schema, nullable, onChange };
  const unset = empty ?? "not set";
  const none = nullable ? empty : null;
  const preset = placeholderOf(schema) ?? (nullable ? unset : undefined);
  const placeholder = value === null ? unset : preset;
  switch (controlOf(schema)) {
    case "group":
      return <Group {...props} none={empty} />;
    case "pairs":
      return <Pairs {...props} />;
    case "groups":
      return <Groups {...props}>{(group) => <SchemaForm {...group} error={error} />}</Groups>;
    case "json":
      return isMask(value) ? <Secret {...props} long /> : <Json {...props} />;
    case "secret":
      return <Secret {...props} />;
    case "long":
      return <Secret {...props} long />;
    case "boxes":
      return <Boxes {...props} />;
    case "instant":
      return <Instant {...props} />;
    case "switch":
      return (
        <div className="stack tight">
          <Check
            label={
              <>
                <strong>{label}</strong> {text === undefined ? null : <Coded of={text} />}
              </>
            }
            checked={(value ?? schema.default ?? false) === true}
            onChange={onChange}
          />
          {fault === null ? null : <p className="fault">{fault}</p>}
        </div>
      );
    case "choice": {
      const words = schema.enum ?? [String(schema.const ?? "")];
      const named = (word: string) => schema.words?.[word] ?? capital(word);
      const chosen = String(value ?? schema.default ?? "");
      const choose = (word: string) => onChange(emptied(word));
      const sentences = words.length > maxTiles ? null : sentencesOf(text ?? "", words);
      const options = words.map((word) => [word, named(word), sentences?.of.get(word) ?? ""] as const);
      const of =
        schema.default == null && !required ? [...options, ["", capital(unset), ""] as const] : options;
      if (sentences !== null)
        return (
          <Tiles label={label} hint={sentences.rest} of={of} value={chosen} fault={fault} onChange={choose} />
        );
      if (words.length <= maxSegments)
        return (
          <div className="field">
            <strong>{label}</strong>
            <Choices
              label={label}
              of={of.map(([word, title]) => [word, title] as const)}
              value={chosen}
              onChange={choose}
            />
            {fault === null ? null : <p className="fault">{fault}</p>}
            {text === undefined ? null : <Hint of={text} />}
          </div>
        );
      return (
        <div className="stack tight">
          <Choice
            label={label}
            value={String(value ?? "")}
            of={words.map((word) => [word, schema.words?.[word] ?? word])}
            any={placeholder ?? (required ? "Choose…" : "not set")}
            onChange={choose}
            fault={fault}
          />
          {text === undefined ? null : <Hint of={text} />}
        </div>
      );
    }
    case "lines":
      return (
        <Field label={label} hint={`${text ?? ""} One per line.`} fault={fault}>
          <textarea
            defaultValue={((value as unknown[] | null | undefined) ?? []).join("\n")}
            onChange={(event) => {
              const lines = event.target.value.split("\n").filter((line) => line !== "");
              onChange(
                lines.length === 0 ? undefined : lines.map((line) => scalarOf(line, schema.items ?? {})),
              );
            }}
          />
        </Field>
      );
    case "number":
      return <Quantity {...props} unset={placeholder ?? ""} none={none} />;
    case "text":
      return (
        <TextField
          label={label}
          hint={text}
          fault={fault}
          required={required}
          maxLength={schema.maxLength}
          placeholder={placeholder}
          value={String(value ?? "")}
          spellCheck={false}
          onChange={(entered) => onChange(emptied(entered))}
        />
      );
  }
}

/** Whether the API has a message about one of these values. */
const hasFault = (error: ApiError | null, paths: readonly string[]): boolean =>
  Object.keys(error?.errors ?? {}).some((at) =>
    paths.some((path) => at === path || at.startsWith(`${path}.`)),
  );

/**
 * The controls of an object's values. The caller renders the form around them. `path`: that of the object, in errors; empty for the
 * request. `folds`: values with a default are collapsed, unless they are set or have an error.
 */
export function SchemaForm({
  schema,
  path,
  values,
  error,
  folds = false,
  onChange,
}: {
  schema: Schema;
  path: string;
  values: Values;
  error: ApiError | null;
  folds?: boolean;
  onChange: (values: Values) => void;
}) {
  const required = new Set(schema.required ?? []);
  const first = deciders(schema);
  const pathOf = (name: string) => (path === "" ? name : `${path}.${name}`);
  const entries = Object.entries(schema.properties ?? {}).filter(
    ([name]) => applies(schema, name, values) || hasFault(error, [pathOf(name)]),
  );
  const rank = (name: string) => (first.has(name) ? 0 : required.has(name) ? 1 : 2);
  const ordered = entries.toSorted(([one], [other]) => rank(one) - rank(other));
  const folded = folds
    ? ordered.filter(
        ([name, each]) =>
          rank(name) === 2 && (each.advanced ?? (each.default !== undefined || withoutNull(each).nullable)),
      )
    : [];
  const [isOpen, setIsOpen] = useState(() => folded.some(([name, each]) => !isDefault(each, values[name])));
  const control = ([name, each]: [string, Schema]) => (
    <Value
      key={name}
      name={name}
      path={pathOf(name)}
      schema={each}
      required={required.has(name)}
      value={values[name]}
      error={error}
      onChange={(value) => onChange(changed(values, name, value))}
    />
  );
  const shown = ordered.filter((each) => !folded.includes(each));
  // A card is where its first field would be.
  const cards = Object.entries(Object.groupBy(shown, ([name, each]) => each.group ?? name));
  const fields = cards.map(([title, members = []]) =>
    members[0]?.[1].group === title ? (
      <fieldset key={title}>
        <legend>{title}</legend>
        <div className="stack">{members.map(control)}</div>
      </fieldset>
    ) : (
      members.map(control)
    ),
  );
  if (folded.length === 0) return <div className="stack">{fields}</div>;
  return (
    <div className="stack">
      {fields}
      <details
        className="more"
        open={
          isOpen ||
          hasFault(
            error,
            folded.map(([name]) => pathOf(name)),
          )
        }
        onToggle={(event) => setIsOpen(event.currentTarget.open)}
      >
        <summary>
          More settings <span className="soft">{folded.map((each) => labelOf(...each)).join(" · ")}</span>
        </summary>
        <div className="stack">{folded.map(control)}</div>
      </details>
    </div>
  );
}
