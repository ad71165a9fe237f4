export function asLatin1<Map extends { mappings: string }>(
  code: string,
  map: Map,
): { code: string; map: Map };
