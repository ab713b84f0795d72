import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { InboxMessage } from '@svc/protocol/inbox/inbox'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { Transport } from '../transport/transport.ts'
import { Inbox } from './inbox.ts'
import { newReplyKey, openReply } from './reply.ts'

const owner = await Identity.create()
const mallory = await Identity.create()
const assetId = `asset:sha3-384:${'a7'.repeat(48)}`
const about = { requestId: encodeBase64url(new Uint8Array(60)), assetId }
const kept = await newReplyKey({ ...about, owner: owner.did })
const content = { name: 'Ada', email: 'a@example.org', subject: 'Hi', message: 'Hello', assetId }
const asked = { ...content, replyKeyB64u: kept.publicKeyB64u }
const message = about as InboxMessage
const inboxOf = (by: Identity | Device) =>
  new Inbox(new Transport({ realm: REALM, fetch: fetchOf(() => Promise.reject(new Error('sent'))) }), REALM, by, [])
const trusted = { keys: [owner], realms: [REALM] } as const
const otherKey = await newReplyKey({ ...about, owner: owner.did })
const theirs = await inboxOf(mallory).reply(message, asked, 'No.')
const reply = await inboxOf(owner).reply(message, asked, 'You may – with pleasure.')

describe('a sealed reply', () => {
  it('is opened with the kept key, and signed by the owner', async () => {
    const { text, issuedAt } = await openReply(JSON.parse(JSON.stringify(reply)), kept, trusted)
    expect(text).toBe('You may – with pleasure.')
    expect(Math.abs(Date.now() - issuedAt)).toBeLessThan(60_000)
    expect(JSON.stringify(reply)).not.toContain('pleasure')
  })

  it.each([
    ['that is none', { ...reply, format: 'svc/contact/v1' }, kept, 'malformed'],
    ['to another message', { ...reply, requestId: encodeBase64url(new Uint8Array(60).fill(1)) }, kept, 'mismatch'],
    ['for another key', reply, otherKey, 'modified'],
    ['by somebody else', theirs, kept, 'wrong_identity'],
    ['that is claimed to be by somebody else', reply, { ...kept, owner: mallory.did }, 'wrong_identity'],
  ])('%s is refused', async (_, sealed, key, reason) => {
    await expect(openReply(sealed, key, trusted)).rejects.toMatchObject({ subject: 'contact', reason })
  })

  it('is not believed under a key that the owner does not have', async () => {
    const others = { ...trusted, keys: [mallory] }
    await expect(openReply(reply, kept, others)).rejects.toMatchObject({ reason: 'wrong_key' })
  })

  it('needs the root key, a key in the message, and a text that fits', async () => {
    const device = await Device.create({ origin: 'app:phone', capabilities: ['inbox:read'] })
    await expect(inboxOf(device).reply(message, asked, 'x')).rejects.toThrow('Only the root key can sign a reply')
    await expect(inboxOf(owner).reply(message, content, 'x')).rejects.toThrow('has no key for a reply')
    await expect(inboxOf(owner).reply(message, asked, 'x'.repeat(65_000))).rejects.toThrow(RangeError)
  })
})
