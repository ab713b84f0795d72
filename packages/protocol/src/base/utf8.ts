const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What programs write to each other, as it is: UTF-8 with nothing removed. Null for bytes that are not UTF-8. */
export function utf8Of(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

/** The object of a JSON text; null if it is none, or a list. */
export function objectOf(text: string | null): object | null {
  try {
    const value: unknown = text === null ? null : JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
