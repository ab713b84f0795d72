/** Concatenates byte arrays. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    all.set(part, offset)
    offset += part.length
  }
  return all
}

/** Not in constant time: for what is public. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

/** In a time that depends on the lengths alone: for MACs and what else is secret. */
export function equalMacs(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.reduce((difference, byte, i) => difference | (byte ^ (b[i] ?? 0)), 0) === 0
}
