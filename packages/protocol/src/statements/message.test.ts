import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import { hashHex } from '../base/hash.ts'
import { userIdOfKey } from '../base/identity.ts'
import { signStatement } from '../base/statement.ts'
import type { Signer } from '../chain/chain.fixture.ts'
import { attestationOf, changeOf } from '../devices/inception.fixture.ts'
import { alice, first, genesisHash, keyOf, logOf, mallory, phone, successor } from '../devices/log.fixture.ts'
import { InceptionVerifier } from '../devices/verifier.ts'
import {
  type ExpectedMessage,
  type Message,
  messageFormFault,
  messageSchema,
  readMessage,
  signedMessageSchema,
} from './message.ts'

const NOW = 1_790_000_000_000
const bytes = new Uint8Array([1, 2, 3])

const messageBy = (signer: Signer, changed: Partial<Message> = {}): Message => ({
  type: 'svc/message/v1',
  realm: REALM,
  did: alice.did,
  keyId: userIdOfKey(signer.ownerPublicKey),
  audience: 'login.example.com',
  text: 'challenge',
  hash: null,
  nonce: 'nonce-0123456789',
  issuedAt: NOW,
  inception: null,
  ...changed,
})
async function signedBy(signer: Signer, changed: Partial<Message> = {}) {
  const signed = await signStatement(messageBy(signer, changed), signer.sign)
  return { ...signed, publicKeyB64u: signer.ownerPublicKey }
}
const expected: ExpectedMessage = {
  did: alice.did,
  keys: [keyOf(0, alice)],
  audience: 'login.example.com',
  realms: [REALM],
  content: 'challenge',
  now: NOW,
}
const refused = (error: string) => ({ ok: false, error })

describe('the form of a message', () => {
  const fault = (changed: Partial<Message>) => messageFormFault(messageBy(alice, changed))

  it.each<[Partial<Message>, string | null]>([
    [{}, null],
    [{ realm: 'https://Core.test' }, 'realm: must be an origin in lower case, like https://core.example.com'],
    [{ audience: '' }, 'audience: must be 1 to 256 visible ASCII characters'],
    [{ audience: 'a b' }, 'audience: must be 1 to 256 visible ASCII characters'],
    [{ audience: 'a\n' }, 'audience: must be 1 to 256 visible ASCII characters'],
    [{ audience: '\na' }, 'audience: must be 1 to 256 visible ASCII characters'],
    [{ audience: 'a'.repeat(256) }, null],
    [{ audience: 'a'.repeat(257) }, 'audience: must be 1 to 256 visible ASCII characters'],
    [{ text: null, hash: 'a7'.repeat(48) }, null],
    [{ nonce: 'short' }, 'nonce: must be 16 to 64 base64url characters'],
    [{ issuedAt: 0 }, null],
    [{ issuedAt: -1 }, 'now: must be whole milliseconds since 1970'],
    [{ issuedAt: 0.5 }, 'now: must be whole milliseconds since 1970'],
    [{ issuedAt: Number.NaN }, 'now: must be whole milliseconds since 1970'],
  ])('with %j has the fault %j', (changed, said) => {
    expect(fault(changed)).toBe(said)
    expect(messageSchema.safeParse(messageBy(alice, changed)).success).toBe(said === null)
  })

  it('has at most 65,536 characters of text', () => {
    expect(fault({ text: 'x'.repeat(65_536) })).toBeNull()
    expect(fault({ text: 'x'.repeat(65_537) })).toBe(
      'content: must have at most 65536 characters; sign longer text as bytes',
    )
  })

  it.each<Partial<Message>>([{ text: null }, { hash: 'a7'.repeat(48) }, { text: '', hash: 'a7'.repeat(48) }])(
    'has either text or a hash: %j',
    (changed) => {
      expect(messageSchema.safeParse(messageBy(alice, changed)).error?.issues).toMatchObject([
        { path: ['hash'], message: 'exactly one of text and hash must be null' },
      ])
    },
  )
})

describe('the schema of a message', () => {
  const issuesOf = (changed: Partial<Message>) =>
    messageSchema
      .safeParse(messageBy(alice, changed))
      .error?.issues.map(({ path, message }) => [path.join('.'), message])

  it.each(['', ' a', 'a ', 'a b', 'a\n', 'é', 'a'.repeat(257)])('refuses the audience %j', (audience) => {
    expect(issuesOf({ audience })).toEqual([['audience', 'must be 1 to 256 visible ASCII characters']])
  })

  it('names the member and the rule, if text and hash are there or neither is', () => {
    const said = [['hash', 'exactly one of text and hash must be null']]
    expect(issuesOf({ hash: 'a7'.repeat(48) })).toEqual(said)
    expect(issuesOf({ text: null })).toEqual(said)
    expect(issuesOf({})).toBeUndefined()
  })

  it('wants the key of the signer beside a signed message', async () => {
    const signed = await signedBy(alice)
    const { publicKeyB64u: _, ...without } = signed
    expect(signedMessageSchema.safeParse(signed).success).toBe(true)
    expect(signedMessageSchema.safeParse(without).success).toBe(false)
    expect(signedMessageSchema.safeParse({ ...signed, publicKeyB64u: 'short' }).success).toBe(false)
  })
})

describe('a message', () => {
  it('of the root key is read', async () => {
    const signed = await signedBy(alice)
    expect(await readMessage(signed, expected)).toEqual({ ok: true, value: { ...signed, signer: 'active' } })
  })

  it('of bytes is read by their hash', async () => {
    const signed = await signedBy(alice, { text: null, hash: hashHex(bytes) })
    expect(await readMessage(signed, { ...expected, content: bytes })).toMatchObject({ ok: true })
    expect(await readMessage(signed, { ...expected, content: bytes.with(0, 9) })).toEqual(refused('mismatch'))
    expect(await readMessage(signed, { ...expected, content: hashHex(bytes) })).toEqual(refused('mismatch'))
  })

  it.each<[string, Partial<ExpectedMessage>]>([
    ['wrong_identity', { did: mallory.did }],
    ['mismatch', { audience: 'other.example.com' }],
    ['mismatch', { content: 'another challenge' }],
    ['mismatch', { content: bytes }],
    ['wrong_key', { keys: [keyOf(0, successor)] }],
    ['wrong_realm', { realms: ['https://other.test'] }],
  ])('is refused as %s where another is expected: %j', async (fault, changed) => {
    expect(await readMessage(await signedBy(alice), { ...expected, ...changed })).toEqual(refused(fault))
  })

  it('is refused if it is of no form', async () => {
    const signed = await signedBy(alice)
    for (const other of [null, {}, signed.statement, { ...signed, more: 1 }, { ...signed, publicKeyB64u: undefined }]) {
      expect(await readMessage(other, expected)).toEqual(refused('malformed'))
    }
  })

  it('is refused if its key is another than it names, or has not signed it', async () => {
    const stolen = await signedBy(alice, { keyId: userIdOfKey(mallory.ownerPublicKey) })
    expect(await readMessage(stolen, expected)).toEqual(refused('wrong_key'))
    const signed = await signedBy(alice)
    for (const other of [
      await signedBy(alice, { nonce: 'nonce-9876543210' }),
      await signedBy(mallory, { keyId: signed.statement.keyId }),
    ]) {
      const forged = { ...signed, signatureB64u: other.signatureB64u }
      expect(await readMessage(forged, expected)).toEqual(refused('invalid_signature'))
    }
  })
})

describe('a message of a device', async () => {
  const events = await logOf(
    (head) => attestationOf(first, head, phone),
    (head) => changeOf(first, head, phone, { event: 'revoke' }),
  )
  const stepsOf = async (count: number) => {
    const verifier = new InceptionVerifier([keyOf(0, alice)], genesisHash, [REALM])
    for (const event of events.slice(0, count)) await verifier.next(event)
    return verifier.steps
  }
  const known = { deviceKeysB64u: [phone.ownerPublicKey] }
  const attested = await stepsOf(1)
  const inception = { sequence: 1, hash: attested[1]?.hash ?? '' }

  it('is read by a verifier that knows the device', async () => {
    const signed = await signedBy(phone)
    expect(await readMessage(signed, { ...expected, ...known })).toMatchObject({ value: { signer: 'active' } })
    expect(await readMessage(signed, expected)).toEqual(refused('wrong_key'))
    expect(await readMessage(signed, { ...expected, deviceKeysB64u: [mallory.ownerPublicKey] })).toEqual(
      refused('wrong_key'),
    )
  })

  it('is read by the log, which says what a device is, whatever else is known', async () => {
    const signed = await signedBy(phone, { inception })
    expect(await readMessage(signed, { ...expected, steps: attested })).toMatchObject({ value: { signer: 'active' } })
    const revoked = await stepsOf(2)
    expect(await readMessage(signed, { ...expected, ...known, steps: revoked })).toEqual(refused('unordered'))
    const followedAt = { epoch: 0, sequence: 1, before: null }
    expect(await readMessage(signed, { ...expected, steps: revoked, followedAt })).toMatchObject({
      value: { signer: 'revoked' },
    })
  })

  it('is judged at the time that the verifier gives, or now', async () => {
    const signed = await signedBy(phone, { inception })
    const { now: _, ...atOnce } = expected
    expect(await readMessage(signed, { ...atOnce, steps: attested })).toMatchObject({ ok: true })
  })
})
