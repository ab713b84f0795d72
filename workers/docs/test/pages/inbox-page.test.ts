/** The page on the inbox: its envelope from its own words, and the numbers that it names. */
import type { ReplyKey } from '@svc/client'
import { replyKeyOf, replyLinkOf } from '@svc/client/functions'
import { xWing } from '@svc/pqc'
import { hkdfSha3_384 } from '@svc/pqc/sha3'
import { bytesOf } from '@svc/protocol/base/base64url'
import { fromHex, hashHex } from '@svc/protocol/base/hash'
import { type Json, jcs, jcsBytes } from '@svc/protocol/base/jcs'
import {
  CONTACT_BUCKETS,
  CONTACT_CODE_LIFETIME_MS,
  CONTACT_REQUEST_ID_BYTES,
  MAX_CODE_ATTEMPTS,
  MAX_CODE_SENDS,
  MAX_INBOX_MESSAGES,
  RESEND_DELAY_MS,
  type VerifyContact,
} from '@svc/protocol/inbox/inbox'
import { expect, it } from 'vitest'
import { pagesText, value, vector } from './examples.ts'

it('shows an envelope that opens as the page says', async () => {
  const { envelope } = value('verify-otp') as VerifyContact
  const ciphertext = new Uint8Array([...bytesOf(envelope.kemCiphertextB64u), ...bytesOf(envelope.ephemeralB64u ?? '')])
  const secret = await xWing.decapsulate(fromHex(vector('kemSeedHex')), ciphertext)
  const additionalData = new Uint8Array(jcsBytes(value('contact-context') as Json))
  const info = fromHex(hashHex(ciphertext) + hashHex(additionalData))
  const raw = new Uint8Array(hkdfSha3_384(secret, new TextEncoder().encode('svc/contact/v1'), info, 32))
  const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['decrypt'])
  const parameters = { name: 'AES-GCM', iv: new Uint8Array(bytesOf(envelope.nonceB64u)), additionalData }
  const opened = await crypto.subtle.decrypt(parameters, key, new Uint8Array(bytesOf(envelope.ciphertextB64u)))
  const padded = new Uint8Array(opened)
  const end = padded.findLastIndex((byte) => byte !== 0)
  expect([padded.length, padded[end]]).toEqual([1024, 0x80])
  expect(new TextDecoder().decode(padded.subarray(0, end))).toBe(jcs(value('contact-message') as Json))
})

it('shows the key of a reply and the private link that carries it', async () => {
  const key = value('reply-key') as ReplyKey
  const link = replyLinkOf(key, 'https://console.example/reply')
  expect(pagesText).toContain(`\n${link.replace(key.requestId, '<contactRequestId>')}\n`)
  expect(await replyKeyOf(link)).toEqual(key)
})

it('names the owner in the id of a request', () => {
  const id = bytesOf(vector('contactRequestId'))
  expect(id).toHaveLength(CONTACT_REQUEST_ID_BYTES)
  expect(id.subarray(0, 24)).toEqual(bytesOf(vector('did').slice('did:svc:'.length)))
})

it('names the limits in force', () => {
  const english = (number: number) => number.toLocaleString('en')
  const [a, b, c, d] = CONTACT_BUCKETS.map(english)
  const [e, f, g, h] = CONTACT_BUCKETS.map((bytes) => english(bytes + 16))
  for (const words of [
    `${a}, ${b}, ${c} or ${d} bytes`,
    `${e}, ${f}, ${g} or ${h} bytes`,
    `409 \`inbox_full\` at ${english(MAX_INBOX_MESSAGES)} messages`,
    `Within ${RESEND_DELAY_MS / 1000} seconds`,
    `| life of a one-time code | ${english(CONTACT_CODE_LIFETIME_MS)} ms |`,
    `| wrong codes of a contact request | ${MAX_CODE_ATTEMPTS} |`,
    `| codes of a contact request | ${MAX_CODE_SENDS}, 30 s apart |`,
  ]) {
    expect(pagesText).toContain(words)
  }
})
