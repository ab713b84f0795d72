import { encodeBase64url } from '@svc/protocol/base/base64url'
import { kemKeyId, type SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import { signStatement } from '@svc/protocol/base/statement'
import type { ContactOpened } from '@svc/protocol/inbox/inbox'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { signerOf } from '../../test/signer.ts'
import { KeyHistory } from '../chain/key-history.ts'
import { Identity } from '../identity/identity.ts'
import { Transport } from '../transport/transport.ts'
import { Contact } from './contact.ts'

const CORE = 'https://core.test'
const NOW = 1_790_000_000_000
const identityOf = (byte: number) =>
  Identity.fromSeeds({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32).fill(byte) })
const alice = await identityOf(1)
const mallory = await identityOf(2)
const assetId = `asset:sha3-384:${'a7'.repeat(48)}`
const requestId = encodeBase64url(new Uint8Array(60))
const REQUEST = { assetId, fromEmail: 'bob@example.org', challengeToken: 'a token' }

const openedBy = async (identity: Identity): Promise<ContactOpened> => ({
  requestId,
  expiresAt: NOW + 600_000,
  resendAfter: NOW + 30_000,
  sendsLeft: 2,
  kemPublicB64u: identity.kemPublicKeyB64u,
  x25519B64u: identity.x25519B64u,
  kemKeyId: kemKeyId(identity.kemPublicKeyB64u),
  keyAgreement: await identity.keyAgreement({ realm: REALM, now: NOW }),
  rootPublicKeyB64u: identity.publicKeyB64u,
  rootEpoch: 0,
})
const good = await openedBy(alice)
const theirs = await openedBy(mallory)

/** Core, answering whatever it is told to. */
function answering(data: unknown, status = 200) {
  const requests: { url: string; body: unknown }[] = []
  const fetch = async (request: Request) => {
    requests.push({ url: request.url, body: request.method === 'POST' ? await request.json() : null })
    const body = status === 200 ? { success: true, data, timestamp: NOW } : data
    return Response.json(body, { status })
  }
  const transport = new Transport({ realm: REALM, fetch: fetchOf(fetch) })
  return { requests, contact: new Contact(transport, CORE, new KeyHistory(transport, CORE)) }
}
const asked = (changed: Partial<ContactOpened>, owner?: string) =>
  answering({ ...good, ...changed }).contact.request({ ...REQUEST, ...(owner === undefined ? {} : { owner }) })
const signedBy = (identity: Identity, members: object): Promise<SignedKeyAgreement> =>
  signStatement({ ...good.keyAgreement.statement, ...members }, signerOf(identity))

describe('a contact request', () => {
  it('sends the asset, the address and the token, and nothing else', async () => {
    const { contact, requests } = answering(good)
    const opened = await contact.request({ ...REQUEST, owner: alice.did })
    expect(requests).toEqual([{ url: `${CORE}/api/inbox/contact-request`, body: REQUEST }])
    const { kemPublicB64u, x25519B64u, kemKeyId: named, expiresAt, resendAfter, sendsLeft } = good
    const times = { expiresAt, resendAfter, sendsLeft }
    expect(opened).toEqual({
      requestId,
      assetId,
      owner: alice.did,
      ownerIs: 'pinned',
      keyIs: 'claimed',
      kemPublicB64u,
      x25519B64u,
      kemKeyId: named,
      ...times,
    })
  })

  it.each<[string, () => Promise<Partial<ContactOpened>>, string]>([
    [
      'a key beside the statement’s',
      async () => ({ kemPublicB64u: theirs.kemPublicB64u }),
      'does not match the owner’s statement',
    ],
    [
      'an X25519 key beside the statement’s',
      async () => ({ x25519B64u: theirs.x25519B64u }),
      'does not match the owner’s statement',
    ],
    ['another name of the key', async () => ({ kemKeyId: theirs.kemKeyId }), 'does not match the owner’s statement'],
    [
      'key and name of somebody else',
      async () => ({ kemPublicB64u: theirs.kemPublicB64u, kemKeyId: theirs.kemKeyId }),
      'does not match the owner’s statement',
    ],
    [
      'a root key of somebody else',
      async () => ({ rootPublicKeyB64u: mallory.publicKeyB64u }),
      'does not match the owner',
    ],
    [
      'a statement for another DID',
      async () => ({ keyAgreement: await signedBy(alice, { did: mallory.did }) }),
      'does not match the owner',
    ],
    [
      'a statement of another scope',
      async () => ({ keyAgreement: await signedBy(alice, { scope: mallory.scope }) }),
      'does not match the owner',
    ],
    [
      'a statement by somebody else',
      async () => ({ keyAgreement: await signedBy(mallory, {}) }),
      'did not sign this key',
    ],
    [
      'a swapped key in a statement that was signed over another',
      async () => ({
        kemPublicB64u: theirs.kemPublicB64u,
        kemKeyId: theirs.kemKeyId,
        keyAgreement: {
          ...good.keyAgreement,
          statement: { ...good.keyAgreement.statement, publicKeyB64u: theirs.kemPublicB64u },
        },
      }),
      'did not sign this key',
    ],
  ])('refuses %s', async (_, changed, reason) => {
    await expect(asked(await changed())).rejects.toThrow(reason)
  })

  it('says that an owner who was not named is only claimed', async () => {
    const opened = await asked({})
    expect(opened).toMatchObject({ owner: alice.did, ownerIs: 'claimed' })
    // Core may name any identity that vouches for its own key, so the sender has to look at the DID.
    expect(await asked(theirs)).toMatchObject({ owner: mallory.did, ownerIs: 'claimed' })
  })

  it('refuses an owner other than the pinned one, however well vouched for', async () => {
    await expect(asked({}, mallory.did)).rejects.toThrow('different owner than expected')
    await expect(asked(theirs, alice.did)).rejects.toThrow('different owner than expected')
    expect((await asked(theirs)).owner).toBe(mallory.did)
  })

  it('refuses a later root key whose descent is not shown', async () => {
    const next = await alice.successor()
    const rotated = {
      ...(await openedBy(next)),
      rootEpoch: 1,
    }
    const history = { did: alice.did, scope: alice.scope, keys: [], next: null, rotation: null }
    const transport = new Transport({
      realm: REALM,
      fetch: async (url) =>
        Response.json({ success: true, data: url.includes('/history') ? history : rotated, timestamp: NOW }),
    })
    const contact = new Contact(transport, CORE, new KeyHistory(transport, CORE))
    await expect(contact.request(REQUEST)).rejects.toThrow()
    await expect(asked({ ...rotated, rootEpoch: 0 })).rejects.toThrow('does not match the owner')
  })

  it('passes a refusal on', async () => {
    const refusal = { success: false, error: 'owner_unresolvable', message: 'x', timestamp: NOW }
    const { contact } = answering(refusal, 404)
    await expect(contact.request(REQUEST)).rejects.toMatchObject({ status: 404, error: 'owner_unresolvable' })
  })
})

describe('what follows a contact request', () => {
  const draft = { name: 'Bob', email: 'bob@example.org', subject: 'Hi', message: 'Hello' }

  it('sends the code and what was sealed, and never what it says', async () => {
    const opened = await asked({})
    const { contact, requests } = answering({ requestId, deliveredAt: NOW })
    const envelope = await contact.seal(opened, draft)
    expect(await contact.verify(opened, '042917', envelope)).toEqual({ requestId, deliveredAt: NOW })
    expect(requests).toEqual([{ url: `${CORE}/api/inbox/verify-otp`, body: { requestId, code: '042917', envelope } }])
    expect(JSON.stringify(requests)).not.toContain('Hello')
  })

  it('takes the times of another code', async () => {
    const opened = await asked({})
    const times = { requestId, expiresAt: NOW + 1, resendAfter: NOW + 2, sendsLeft: 1 }
    expect(await answering(times).contact.resend(opened)).toEqual({ ...opened, ...times })
  })

  it('refuses an answer about another request', async () => {
    const opened = await asked({})
    const other = encodeBase64url(new Uint8Array(60).fill(1))
    const delivered = answering({ requestId: other, deliveredAt: NOW }).contact
    const envelope = await delivered.seal(opened, draft)
    await expect(delivered.verify(opened, '042917', envelope)).rejects.toThrow('Core answered for a different request')
    const resent = answering({ requestId: other, expiresAt: NOW, resendAfter: NOW, sendsLeft: 1 }).contact
    await expect(resent.resend(opened)).rejects.toThrow('Core answered for a different request')
  })
})
