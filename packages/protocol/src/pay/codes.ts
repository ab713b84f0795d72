/**
 * Codes that an operator issues and a person types (workers/docs/pages/developer/pay.md): 80 random bits as 16 characters
 * of Crockford's base32. One form, one way to read what was typed and one hash, whatever a code gives.
 *
 * @module
 */
import { base32crockford } from '@scure/base'
import * as z from 'zod'
import { hashTextHex } from '../base/hash.ts'
import { pure } from '../base/pure.ts'

/** As a code is issued: four groups of four characters. */
export const issuedCodePattern = /^[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3}$/

/** Random bytes of a code. Nobody guesses 80 bits. */
export const CODE_BYTES = 10

/** The code of these random bytes, as it is issued. */
export function codeOf(random: Uint8Array): string {
  return (base32crockford.encode(random).match(/.{4}/g) ?? []).join('-')
}

/** As it may be typed: in any case, with or without hyphens and spaces, `O` for `0`, `I` and `L` for `1`. */
export const typedCodeSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .max(64)
    .regex(/^[ -]*(?:[0-9A-TV-Za-tv-z][ -]*){16}$/, 'must be a code of sixteen letters and digits')
    .meta({
      description: 'In any case, with or without hyphens and spaces; `O` is read as `0`, `I` and `L` as `1`',
      example: '7Q3K-9ZXN-0V4T-2B8D',
    }),
)

/** Hash of a code, which is what is stored and sent: only the holder has the code. The same for every way to type it. */
export function codeHash(code: string): string {
  const characters = code.replaceAll(/[ -]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return hashTextHex(`svc/code/v1:${characters}`)
}
