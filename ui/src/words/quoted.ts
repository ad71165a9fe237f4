/** In a shell's single quotes nothing but such a quote has a meaning. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
