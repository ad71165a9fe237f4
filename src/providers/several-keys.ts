// Several keys of one member. Requests are made with one key at a time: settings as its adapter takes them, once for each.

interface Keys {
  api_key?: string | undefined;
  api_keys?: readonly string[] | undefined;
}

/** All keys of the settings, each once; `api_key` is the first. */
const keysIn = ({ api_key, api_keys = [] }: Keys): readonly string[] => [
  ...new Set(api_key === undefined ? api_keys : [api_key, ...api_keys]),
];

/** The key with which a request is made by these settings; undefined: they have none. */
export const keyOf = (settings: Keys): string | undefined => keysIn(settings)[0];

/** The settings once for each of their keys, which is then the only one; as they are if they have no more than one. */
export function keyedSettings(settings: unknown): readonly unknown[] {
  const { api_keys, ...one } = settings as Keys;
  const keys = keysIn({ ...one, api_keys });
  return keys.length < 2 ? [settings] : keys.map((api_key) => ({ ...one, api_key }));
}
