/**
 * What the offering side shows to the device that joins (workers/docs/pages/developer/pairing.md): the code of the offer,
 * a fresh secret that the service never gets, and a checksum. It is one text for every way to hand it over: in a QR code,
 * as a part of an address, and typed by a person.
 *
 * @module
 */
import { err, ok, type Result } from '../base/result.ts'
import { CROCKFORD, crockford, grouped, normalized } from './crockford.ts'

/** Ten groups of four characters. */
const GROUP_CHARS = 4
const CODE_CHARS = 12
/**
 * 130 bits. The service can test a guess at any time, with a few hashes over what it relays. At 10^18 guesses a second,
 * which takes a billion of today's graphics cards, half of all secrets take 2 * 10^13 years, and the ten minutes of an
 * offer reach one secret in 2 * 10^18. A slow derivation would add nothing.
 */
const SECRET_CHARS = 26
const CHECK_CHARS = 2
const INVITATION_CHARS = CODE_CHARS + SECRET_CHARS + CHECK_CHARS

export interface Invitation {
  /** Names the offer at the service. */
  readonly code: string
  /** 26 characters of Crockford's base32, which only the two devices know. */
  readonly secret: string
}

/** Why a text is not an invitation. `group` counts from 1. */
export type InvitationFault =
  | { readonly reason: 'foreign_character'; readonly group: number }
  | { readonly reason: 'wrong_length'; readonly chars: number }
  | { readonly reason: 'typing_error' }

/** A fresh secret, from the runtime's randomness. */
export function newSecret(): string {
  return crockford(crypto.getRandomValues(new Uint8Array(17))).slice(0, SECRET_CHARS)
}

export function invitationText({ code, secret }: Invitation): string {
  const data = normalized(code) + secret
  return grouped(data + checkOf(data))
}

/** Reads an invitation as a person typed it, or an address that ends with one. */
export function readInvitation(given: string): Result<Invitation, InvitationFault> {
  const text = normalized(given.slice(given.indexOf('#') + 1))
  const foreign = Array.from(text).findIndex((char) => !CROCKFORD.includes(char))
  if (foreign !== -1) return err({ reason: 'foreign_character', group: Math.floor(foreign / GROUP_CHARS) + 1 })
  if (text.length !== INVITATION_CHARS) return err({ reason: 'wrong_length', chars: text.length })
  if (remainderOf(text) !== CHECKED) return err({ reason: 'typing_error' })
  return ok({ code: grouped(text.slice(0, CODE_CHARS)), secret: text.slice(CODE_CHARS, -CHECK_CHARS) })
}

/**
 * All forty characters are a number in base 32 that leaves this remainder. After a single wrong character and after a swap
 * of two characters it leaves another; of all other errors, one in 1,021 goes unnoticed.
 */
const CHECKED = 1
const CHECK_PRIME = 1021

function checkOf(data: string): string {
  const check = (CHECK_PRIME + CHECKED - remainderOf(`${data}00`)) % CHECK_PRIME
  return (CROCKFORD[Math.floor(check / 32)] ?? '') + (CROCKFORD[check % 32] ?? '')
}

function remainderOf(chars: string): number {
  return Array.from(chars).reduce((sum, char) => (sum * 32 + CROCKFORD.indexOf(char)) % CHECK_PRIME, 0)
}
