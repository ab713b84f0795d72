import { mlKem768 } from '@svc/pqc'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { kemKeyId } from '@svc/protocol/base/key-agreement'
import { contactPurpose, type InboxMessage, padMessage } from '@svc/protocol/inbox/inbox'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { Client } from '../client.ts'
import { derivedKey } from '../identity/derived-key.ts'
import { Identity } from '../identity/identity.ts'
import { sealContact } from './contact-sealing.ts'

const identityOf = (byte: number) =>
  Identity.fromSeeds({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32).fill(byte) })
const alice = await identityOf(1)
const before = await identityOf(2)
const assetId = `asset:sha3-384:${'a7'.repeat(48)}`
const requestId = encodeBase64url(new Uint8Array(60))
const plaintext = { name: 'Bob', email: 'bob@example.org', subject: 'Hi', message: 'Hello', assetId }

async function messageTo(identity: Identity, byte: number): Promise<InboxMessage> {
  const context = { requestId, assetId, kemKeyId: kemKeyId(identity.kemPublicKeyB64u) }
  const envelope = await sealContact(plaintext, identity, context)
  const msgId = encodeBase64url(new Uint8Array(16).fill(byte))
  return { msgId, requestId, assetId, envelope, receivedAt: 1, readAt: null }
}

function clientWith(pages: readonly object[], former: readonly Identity[] = []) {
  const urls: string[] = []
  const left = [...pages]
  const fetch = async ({ url, method }: Request) => {
    urls.push(`${method} ${url}`)
    return Response.json({ success: true, data: left.shift(), timestamp: 1 })
  }
  const client = new Client({
    core: 'https://core.test',
    did: 'https://did.test',
    identity: alice,
    former,
    fetch: fetchOf(fetch),
  })
  return { urls, inbox: client.inbox }
}
const page = (messages: readonly InboxMessage[], next: string | null, did = alice.did) => ({
  did,
  messages,
  next,
  total: 2,
  unread: 2,
})

describe('an inbox', () => {
  it('opens what was sealed to the key of now, and to a former one that it is given', async () => {
    const [now, earlier] = [await messageTo(alice, 1), await messageTo(before, 2)]
    const opened = { ...plaintext, sealedWith: 'x-wing' }
    expect(await clientWith([]).inbox.open(now)).toEqual(opened)
    expect(await clientWith([], [before]).inbox.open(earlier)).toEqual(opened)
    await expect(clientWith([]).inbox.open(earlier)).rejects.toThrow('a key that this client does not have')
  })

  it('opens what a client sealed with ML-KEM-768 alone, and says so', async () => {
    const message = await messageTo(alice, 1)
    const { kemKeyId: keyId } = message.envelope
    const purpose = contactPurpose({ requestId, assetId, kemKeyId: keyId })
    const { ciphertext, sharedSecret } = await mlKem768.encapsulate(bytesOf(alice.kemPublicKeyB64u))
    const raw = new Uint8Array(derivedKey(sharedSecret, ciphertext, purpose))
    const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt'])
    const parameters = { name: 'AES-GCM', iv: new Uint8Array(12), additionalData: new Uint8Array(purpose.info) }
    const sealed = await crypto.subtle.encrypt(parameters, key, new Uint8Array(padMessage(plaintext) ?? []))
    const envelope = {
      kemKeyId: keyId,
      kemCiphertextB64u: encodeBase64url(ciphertext),
      nonceB64u: encodeBase64url(parameters.iv),
      ciphertextB64u: encodeBase64url(new Uint8Array(sealed)),
    }
    const opened = await clientWith([]).inbox.open({ ...message, envelope })
    expect(opened).toEqual({ ...plaintext, sealedWith: 'ml-kem-768' })
  })

  it('does not open a message that was put under another request or asset', async () => {
    const message = await messageTo(alice, 1)
    const other = { ...message, requestId: encodeBase64url(new Uint8Array(60).fill(1)) }
    await expect(clientWith([]).inbox.open(other)).rejects.toThrow('modified')
    const moved = { ...message, assetId: `asset:sha3-384:${'b7'.repeat(48)}` }
    await expect(clientWith([]).inbox.open(moved)).rejects.toThrow('modified')
  })

  it('exports every page, once each', async () => {
    const [one, two] = [await messageTo(alice, 1), await messageTo(alice, 2)]
    const { inbox, urls } = clientWith([page([one], '7'), page([two], null)])
    const { messages, did } = await inbox.export()
    expect({ messages, did }).toEqual({ messages: [one, two], did: alice.did })
    const base = `GET https://core.test/api/inbox/${alice.did}`
    expect(urls).toEqual([`${base}?limit=100`, `${base}?cursor=7&limit=100`])
  })

  it('refuses another’s inbox, and pages that lead in a circle', async () => {
    await expect(clientWith([page([], null, before.did)]).inbox.list()).rejects.toThrow('a different inbox')
    const circle = clientWith([page([], '7'), page([], '7')])
    await expect(circle.inbox.export()).rejects.toThrow('repeats pages')
  })
})
