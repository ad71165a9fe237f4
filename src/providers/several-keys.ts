// Several keys of one member. Requests are made with one key at a time: there is one copy of the settings, in the form that the adapter
// accepts, for each key.

interface Keys {
  api_key?: string | undefined;
  api_keys?: readonly string[] | undefined;
}

/** All keys of the settings, each once; `api_key` is the first. */
const keysIn = ({ api_key, api_keys = [] }: Keys): readonly string[] => [
  ...new Set(api_key === undefined ? api_keys : [api_key, ...api_keys]),
];

/** The key that requests with these settings use; undefined if they have none. */
export const keyOf = ({ api_key, api_keys }: Keys): string | undefined => api_key ?? api_keys?.[0];

/** The settings once for each of their keys, which is then the only one; unchanged if they have at most one. */
export function keyedSettings(settings: unknown): readonly unknown[] {
  const { api_keys, ...one } = settings as Keys;
  const keys = keysIn({ ...one, api_keys });
  return keys.length < 2 ? [settings] : keys.map((api_key) => ({ ...one, api_key }));
}
