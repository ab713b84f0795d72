/** Normalizes a code as typed: any case, with or without hyphens, and with the letters that the alphabet omits. */
export function normalized(typed: string): string {
  // Anything else, such as a path in a hostile link, is not part of a code.
  const text = typed
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
    .replaceAll(/[^0-9A-Z]/g, '')
  return `${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8)}`
}
