/** Content identifiers: which strings are one, their order, and what is published in their place. */
import * as z from 'zod'
import { hashHex, hashHexAsync } from '../base/hash.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { forms } from '../http/path-forms.ts'

/**
 * Exact and opaque. Characters are code points. Lone surrogates are excluded because JCS has no form for them, U+0000
 * because SQLite truncates JSON text at it.
 */
const IDENTIFIER = /^[^\0\p{Cs}]{16,256}$/u

export function isContentHash(value: unknown): value is string {
  return typeof value === 'string' && IDENTIFIER.test(value)
}

export const contentHashSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    // Not `regex`: the generated schema would include the flag in the pattern.
    .refine(isContentHash, 'must be 16 to 256 characters')
    .meta({
      id: 'ContentHash',
      pattern: String.raw`^[^\u0000\ud800-\udfff]{16,256}$`,
      description: 'Content identifier: an opaque string of 16 to 256 characters, compared byte by byte',
      example: `sha3-384:${'a7'.repeat(48)}`,
    })
    .register(forms, { isPublished: true }),
)

/** In the order of UTF-8 bytes, which is SQLite's and that of code points. JavaScript's own order differs. */
export function compareHashes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    // Surrogates stand for the code points above all others.
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

/** Code units in the order of the code points that they start. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/**
 * Stands for an identifier wherever a list can be read by strangers: in snapshots, and as the key of the stores. Found by
 * the identifier alone, so it hides an identifier as well as that is hard to guess.
 */
export function identifierHash(identifier: string): string {
  return hashHex(identifierBytes(identifier))
}

/** The same, native where the runtime has it: for many, and wherever you may await. */
export function identifierHashAsync(identifier: string): Promise<string> {
  return hashHexAsync(identifierBytes(identifier))
}

const identifierBytes = (identifier: string) =>
  jcsBytes({ type: 'svc/consent-identifier/v1', content_hash: identifier })

/**
 * Stands for the creator of a record in snapshots. It covers the identifier itself, not its hash: a list of
 * DIDs does not help somebody who has the snapshot alone, and two records of one creator have nothing in common.
 */
export function creatorHash(identifier: string, creatorDid: string): string {
  return hashHex(jcsBytes({ type: 'svc/consent-creator/v1', content_hash: identifier, creator_did: creatorDid }))
}
