import { REPLACEMENTS } from './replacements.gen.ts'

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** Engines limit the number of arguments of a call. */
const SLICE = 1024

/** The replacement of each character below 0x10000. */
let table: Uint16Array | undefined

/**
 * Replaces each look-alike letter, Arabic letter of another keyboard, katakana and Han variant by the character that stands for all that count as equal. That
 * one stays as it is. Expects lower case in NFC.
 */
export function replaceCharacters(text: string): string {
  table ??= decoded(REPLACEMENTS)
  let out = ''
  for (let start = 0; start < text.length; start += SLICE) {
    const end = Math.min(start + SLICE, text.length)
    const codes: number[] = []
    for (let i = start; i < end; i++) codes.push(table[text.charCodeAt(i)]!)
    out += String.fromCharCode(...codes)
  }
  return out
}

/**
 * Reads pairs of numbers in Base64 VLQ, as in source maps: how far a character is from the one that was replaced before it,
 * and how far its replacement is from the replacement before. They compress to half the size of the characters themselves.
 */
function decoded(pairs: string): Uint16Array {
  const codes = Uint16Array.from({ length: 0x10000 }, (_, code) => code)
  const last: [from: number, to: number] = [0, 0]
  let column: 0 | 1 = 0
  let value = 0
  let shift = 0
  for (const character of pairs) {
    const digit = BASE64.indexOf(character)
    value |= (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    last[column] += value & 1 ? -(value >> 1) : value >> 1
    if (column === 1) codes[last[0]] = last[1]
    column = column === 0 ? 1 : 0
    value = 0
    shift = 0
  }
  return codes
}
