/**
 * Crockford's base32: five bits per character, without I, L, O and U, so that a code can be read aloud and typed.
 *
 * @module
 */
import { base32crockford } from '@scure/base'

/** The characters by their value. */
export const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

export function crockford(bytes: Uint8Array): string {
  return base32crockford.encode(bytes)
}

/** In groups of four, with hyphens between them. */
export function grouped(chars: string): string {
  return chars.match(/.{1,4}/g)?.join('-') ?? ''
}

/** What a person typed, in the one form: upper case, letters that the alphabet leaves out as digits, no space, no hyphen. */
export function normalized(typed: string): string {
  return typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}
