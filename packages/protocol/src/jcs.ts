import canonicalize from 'canonicalize'

/** A value that JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

/** Canonical JSON (RFC 8785). Throws on what JSON cannot carry: NaN, infinities, lone surrogates, cycles. */
export function jcs(value: Json): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('jcs: no JSON form')
  return text
}

/** The UTF-8 bytes of the canonical JSON. */
export function jcsBytes(value: Json): Uint8Array {
  return new TextEncoder().encode(jcs(value))
}
