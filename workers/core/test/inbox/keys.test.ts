import { Client, Identity } from '@svc/client'
import { fetchOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { send } from '../harness.ts'
import { rotated } from '../rotation/rotation.fixture.ts'
import {
  DRAFT,
  DUMMY_TOKEN,
  freshEmail,
  freshOwner,
  Mailbox,
  opened,
  putKeyAgreement,
  refused,
  storedIn,
  verify,
  wrong,
} from './inbox.fixture.ts'

const changed = refused(409, 'key_agreement_changed')

/** The same root key with a new KEM key, which it states from now on. */
async function withAnotherKem(identity: Identity): Promise<Identity> {
  const { signing } = identity.revealSeeds()
  const next = await Identity.fromSeeds({ signing, kem: crypto.getRandomValues(new Uint8Array(32)) })
  await putKeyAgreement(next, Date.now() + 1000)
  return next
}
const clientOf = (identity: Identity, former: readonly Identity[] = []) =>
  new Client({ core: 'https://core.test', did: 'https://did.test', identity, former, fetch: fetchOf(send) })

describe('an owner who states a new key in the meantime', () => {
  it('receives nothing sealed to the old one, and no attempt is used', async () => {
    const owner = await freshOwner()
    const { contact, code, envelope } = await opened(owner)
    await withAnotherKem(owner.caller.identity)
    expect(await verify(contact, code, envelope)).toMatchObject(changed)
    expect(await verify(contact, wrong(code), envelope)).toMatchObject(changed)
    expect(await storedIn(owner.did)).toMatchObject({ messages: [], requests: [{ attempts: 0 }] })
  })

  it('receives nothing if a request of the old key names the new one', async () => {
    const owner = await freshOwner()
    const { contact, code, envelope } = await opened(owner)
    await withAnotherKem(owner.caller.identity)
    const { contact: newer } = await opened(owner)
    expect(await verify(contact, code, { ...envelope, kemKeyId: newer.kemKeyId })).toMatchObject(changed)
  })

  it('opens earlier messages with the old key and later ones with the new one', async () => {
    const owner = await freshOwner()
    const first = await opened(owner)
    await verify(first.contact, first.code, first.envelope)
    const next = await withAnotherKem(owner.caller.identity)
    const second = await opened(owner, new Mailbox(), { ...DRAFT, subject: 'Again' })
    expect((await verify(second.contact, second.code, second.envelope)).status).toBe(200)
    const { inbox } = clientOf(next, [owner.caller.identity])
    const { messages } = await inbox.list()
    expect(await Promise.all(messages.map(async (one) => (await inbox.open(one)).subject))).toEqual([
      'Again',
      DRAFT.subject,
    ])
    const without = clientOf(next).inbox
    await expect(without.open(messages[1]!)).rejects.toThrow('encrypted to a key that this client does not have')
    await expect(owner.caller.client.inbox.open(messages[0]!)).rejects.toThrow('does not have')
  })
})

describe('an owner who has rotated the root key', () => {
  it('cannot be contacted until the new root key has stated a key', async () => {
    const owner = await freshOwner()
    const { contact, code, envelope } = await opened(owner)
    const { next, successor } = await rotated(owner.caller)
    expect(await verify(contact, code, envelope)).toMatchObject(changed)
    await putKeyAgreement(successor)
    const mailbox = new Mailbox()
    const headers = { 'cf-connecting-ip': '2001:db8:99:1::1' }
    const anyone = new Client({
      core: 'https://core.test',
      did: 'https://did.test',
      fetch: fetchOf(mailbox.fetch),
      headers,
    })
    const request = { assetId: owner.assetId, fromEmail: freshEmail(), challengeToken: DUMMY_TOKEN }
    const opening = await anyone.contact.request({ ...request, owner: owner.did })
    expect(opening).toMatchObject({ owner: owner.did, kemPublicB64u: successor.kemPublicKeyB64u })
    await anyone.contact.verify(opening, mailbox.code, await anyone.contact.seal(opening, DRAFT))
    const { messages } = await next.client.inbox.list()
    expect(await next.client.inbox.open(messages[0]!)).toMatchObject(DRAFT)
    await expect(owner.caller.client.inbox.list()).rejects.toMatchObject({ status: 401 })
  })
})

describe('an owner who has deactivated the identity', () => {
  it('receives nothing any more', async () => {
    const owner = await freshOwner()
    const { contact, code, envelope } = await opened(owner)
    await owner.caller.client.security.deactivate()
    expect(await verify(contact, code, envelope)).toMatchObject(changed)
    expect(await storedIn(owner.did)).toMatchObject({ messages: [] })
    await expect(owner.caller.client.inbox.list()).rejects.toMatchObject({ status: 401 })
  })
})
