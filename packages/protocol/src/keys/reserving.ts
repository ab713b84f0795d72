/** Who may reserve prekeys of an account (workers/docs/pages/developer/keys.md): the account's settings. */

import * as z from 'zod'
import { sha3_384 } from '#pqc/sha3'
import { base64urlOf, encodeBase64url } from '../base/base64url.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'

/** Tags of 32 characters: with 2,000 the settings take 70 kB. */
export const MAX_CONTACTS = 2_000
const TAG_BYTES = 24

export const RESERVE_POLICIES = ['anyone', 'contacts', 'challenge'] as const

export const contactTagSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{32}$/, 'must be 32 base64url characters')
    .meta({
      id: 'ContactTag',
      description: 'The first 24 bytes of SHA3-384 over JCS of {type, accountDid, requesterDid, passB64u}, base64url',
    }),
)

/** 256 random bits, which the owner of an account gives to one contact, and the contact shows with a reservation. */
export const CONTACT_PASS_BYTES = 32
export const contactPassSchema = /* @__PURE__ */ pure(() =>
  base64urlOf(CONTACT_PASS_BYTES).meta({
    id: 'ContactPass',
    description: '256 random bits that an account gave this requester, base64url. It makes the requester a contact',
  }),
)

/**
 * Stands for a contact of an account. Without the pass, a tag leads to nobody: not even with a list of all DIDs. The pass
 * of one contact is worth nothing to another.
 */
export function contactTag(accountDid: string, requesterDid: string, passB64u: string): string {
  const digest = sha3_384(jcsBytes({ type: 'svc/prekey-contact/v1', accountDid, requesterDid, passB64u }))
  return encodeBase64url(digest.subarray(0, TAG_BYTES))
}

export const directorySettingsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      reserve: z.enum(RESERVE_POLICIES).meta({
        description:
          'Who gets one-time prekeys: `anyone`; `contacts` only, so that others are answered as if none were left; or ' +
          'contacts and those who pass a bot `challenge` for each prekey',
      }),
      contacts: z.array(contactTagSchema).max(MAX_CONTACTS).meta({
        description: 'Whom the account knows. While there are any, a share of every pool is kept for them',
      }),
    })
    .meta({ id: 'DirectorySettings' }),
)
export type DirectorySettings = z.infer<typeof directorySettingsSchema>

/** Of an account that was never set otherwise. */
export const DEFAULT_SETTINGS: DirectorySettings = { reserve: 'anyone', contacts: [] }
