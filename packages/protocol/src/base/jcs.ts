import canonicalize from 'canonicalize'

/** A value JSON can represent. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

/** Canonical JSON (RFC 8785). Throws on values JSON cannot represent: NaN, infinities, lone surrogates, cycles. */
export function jcs(value: Json): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('jcs: value has no JSON form')
  return text
}

/** Canonical JSON as UTF-8 bytes. */
export function jcsBytes(value: Json): Uint8Array {
  return new TextEncoder().encode(jcs(value))
}
