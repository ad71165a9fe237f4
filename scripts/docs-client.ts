// The types of the management API for the dashboard, from the OpenAPI document: one type for each component, and for
// each operation its parameters, body and reply; and the JSON Schemas of its forms. It reads the dialect that src/http/openapi/ writes and no other.

type Json = Record<string, unknown>;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Json | boolean;
}

interface Operation {
  operationId: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; parameters: Record<string, Parameter> };
}

const managed = "/api/manage/v1/";

const nameOf = (ref: unknown) => String(ref).split("/").at(-1) ?? "";
const key = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

/** A union in parentheses where a list follows. */
const listOf = (type: string) => (/[|&]/.test(type) ? `(${type})[]` : `${type}[]`);

const scalars: Record<string, string> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

/** The TypeScript type of a JSON Schema. */
export function typeOf(schema: Json | boolean): string {
  if (typeof schema === "boolean") return "unknown";
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union)) return [...new Set(union.map(typeOf))].join(" | ");
  if (Array.isArray(schema.allOf)) return schema.allOf.map(typeOf).join(" & ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  if (schema.type === "array") return listOf(typeOf((schema.items as Json | undefined) ?? true));
  if (schema.type === "object" || schema.properties !== undefined) return objectOf(schema);
  return scalars[String(schema.type)] ?? "unknown";
}

function objectOf(schema: Json): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  if (properties.length === 0) {
    const others = schema.additionalProperties as Json | boolean | undefined;
    return `Record<string, ${others === undefined || others === false ? "never" : typeOf(others)}>`;
  }
  const required = new Set((schema.required ?? []) as string[]);
  const fields = properties.map(
    ([name, child]) => `${key(name)}${required.has(name) ? "" : "?"}: ${typeOf(child)}`,
  );
  return `{ ${fields.join("; ")} }`;
}

function parametersOf(
  { parameters = [] }: Operation,
  where: string,
  shared: Record<string, Parameter>,
): string {
  const fields = parameters
    .flatMap((each) => ("$ref" in each ? (shared[nameOf(each.$ref)] ?? []) : each))
    .filter((parameter) => parameter.in === where)
    .map(({ name, required, schema }) => `${key(name)}${required ? "" : "?"}: ${typeOf(schema)}`);
  return fields.length === 0 ? "Record<string, never>" : `{ ${fields.join("; ")} }`;
}

/** What `call` resolves with: the parsed JSON, the string that a text is, or nothing. A stream is read piece by piece, and no reply. */
function replyOf({ responses }: Operation): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"));
  const content = success?.[1].content ?? {};
  const schema = content["application/json"]?.schema;
  if (schema !== undefined) return typeOf(schema);
  const isText = Object.keys(content).some(
    (type) => type.startsWith("text/") && type !== "text/event-stream",
  );
  return isText ? "string" : "undefined";
}

/** The names of the components that a value refers to, and what those refer to. */
function componentsOf(value: unknown, all: Record<string, Json>, names = new Set<string>()): Set<string> {
  if (typeof value !== "object" || value === null) return names;
  const { $ref } = value as Json;
  if (typeof $ref === "string" && $ref.startsWith("#/components/schemas/") && !names.has(nameOf($ref))) {
    names.add(nameOf($ref));
    componentsOf(all[nameOf($ref)], all, names);
  }
  for (const child of Object.values(value)) componentsOf(child, all, names);
  return names;
}

/** The text of `ui/src/api/schema.ts`. */
export function clientTypes(document: object): string {
  const { paths, components } = document as Document;
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith(managed))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
  const names = [...componentsOf(operations, components.schemas)].sort();
  const types = names.map((name) => `export type ${name} = ${typeOf(components.schemas[name] ?? true)};`);
  const words = names.flatMap((name) => {
    const { enum: values } = components.schemas[name] ?? {};
    return Array.isArray(values) ? [`  ${name}: ${JSON.stringify(values).replaceAll(",", ", ")},`] : [];
  });
  const shapes = operations.map(({ operation }) => {
    const body = operation.requestBody?.content["application/json"]?.schema;
    const fields = [
      `params: ${parametersOf(operation, "path", components.parameters)}`,
      `query: ${parametersOf(operation, "query", components.parameters)}`,
      `body: ${body === undefined ? "undefined" : typeOf(body)}`,
      `reply: ${replyOf(operation)}`,
    ];
    return `  ${operation.operationId}: { ${fields.join("; ")} };`;
  });
  const routes = operations.map(
    ({ path, method, operation }) =>
      `  ${operation.operationId}: [${JSON.stringify(method.toUpperCase())}, ${JSON.stringify(path)}],`,
  );
  return `// Generated by \`npm run docs\` from the OpenAPI document; edits here are lost.

${types.join("\n")}

/** The words of those types that are one of several, in the document's order. */
export const words = {
${words.join("\n")}
} as const;

/** What each operation takes and answers. */
export interface Operations {
${shapes.join("\n")}
}

/** Method and path of each operation. */
export const routes = {
${routes.join("\n")}
} as const satisfies Record<keyof Operations, readonly [string, string]>;
`;
}

/** The dashboard's forms: what creates and what changes the thing, and the fields that have controls of their own. */
const forms: Record<string, { create: string; update: string; apart: readonly string[] }> = {
  account: {
    create: "CreateAccountRequest",
    update: "UpdateAccountRequest",
    apart: ["name", "time_zone", "country", "channel_failover"],
  },
  gateway: {
    create: "CreateGatewayRequest",
    update: "UpdateGatewayRequest",
    apart: ["kind", "settings", "default", "active"],
  },
  pool: { create: "CreatePoolRequest", update: "UpdatePoolRequest", apart: [] },
  member: {
    create: "CreatePoolMemberRequest",
    update: "UpdatePoolMemberRequest",
    apart: ["kind", "settings"],
  },
  key: { create: "CreatePoolKeyRequest", update: "UpdatePoolKeyRequest", apart: [] },
};

/**
 * The text of `ui/src/api/forms.json`: of each form, the fields that a change may have, with the schemas and defaults of a creation.
 * Throws for a field that refers to a component, which a form does not resolve.
 */
export function clientForms(document: object): string {
  const { schemas } = (document as Document).components;
  const fieldsOf = (name: string) => (schemas[name]?.properties ?? {}) as Record<string, Json>;
  const formOf = ({ create, update, apart }: (typeof forms)[string]) => {
    const changeable = Object.keys(fieldsOf(update)).filter((name) => !apart.includes(name));
    const fields = Object.entries(fieldsOf(create)).filter(([name]) => changeable.includes(name));
    if (componentsOf(fields, schemas).size > 0)
      throw new Error(`A field of ${create} refers to a component.`);
    const required = ((schemas[create]?.required ?? []) as string[]).filter((name) =>
      changeable.includes(name),
    );
    return { type: "object", properties: Object.fromEntries(fields), required };
  };
  const all = Object.entries(forms).map(([name, form]) => [name, formOf(form)]);
  return `${JSON.stringify(Object.fromEntries(all), null, 1)}\n`;
}
