import { encodeBase64url } from '@svc/protocol/base/base64url'
import { jcsBytes } from '@svc/protocol/base/jcs'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import {
  caller,
  creation,
  DISALLOW,
  dataOf,
  deletion,
  device,
  deviceKey,
  freshHash,
  type Key,
  put,
  read,
  rootKey,
  signatureOf,
  update,
  type Write,
} from '../harness.ts'
import { act, importOf } from './settlement.fixture.ts'

const imported = async (records: readonly object[]) => act(await importOf(records))
const owner = async () => rootKey(await caller())
const withSignature = (write: Write, signature: string): Write => ({
  ...write,
  headers: { 'x-svc-signature': signature },
})
const expectMissing = (exchange: Awaited<ReturnType<typeof put>>, hash: unknown) =>
  expect(exchange).toMatchObject({ status: 404, body: { found: false, hash, source: 'default' } })

describe('a creation', () => {
  it('publishes a record', async () => {
    const [by, hash] = [await owner(), freshHash()]
    const preferences = { ai_training: 'disallow', search: 'allow', conditional: true } as const
    const data = dataOf(await put(await creation(by, hash, preferences)))
    expect(data).toMatchObject({
      found: true,
      content_hash: hash,
      creator_did: by.did,
      public_key_b64u: by.key,
      preferences,
      version: 1,
      signed: { action: 'create', preferences, signer: { kind: 'root', epoch: 0 } },
    })
    expect((await read(hash)).body).toEqual(data)
  })

  it('takes a signature that was made by hand, members in any order', async () => {
    const [by, hash] = [await owner(), freshHash()]
    const text = `{"content_hash":${JSON.stringify(hash)},"creator_did":"${by.did}","preferences":{"ai_training":"allow","search":"disallow"}}`
    const signature = encodeBase64url(await by.sign(new TextEncoder().encode(btoa(text).replaceAll('=', ''))))
    const body = `{"preferences":{"search":"disallow","ai_training":"allow"},"public_key_b64u":"${by.key}","creator_did":"${by.did}","content_hash":${JSON.stringify(hash)}}`
    const write = { method: 'POST', path: '/api/v1/consent', headers: { 'x-svc-signature': signature }, body } as const
    expect(dataOf(await put(write))['preferences']).toEqual({ ai_training: 'allow', search: 'disallow' })
  })

  it('refuses a signature over the bytes themselves, or over other words', async () => {
    const [by, hash] = [await owner(), freshHash()]
    const write = await creation(by, hash)
    const message = { content_hash: hash, preferences: DISALLOW, creator_did: by.did }
    const raw = encodeBase64url(await by.sign(jcsBytes(message)))
    const others = [
      raw,
      await signatureOf(by, { ...message, preferences: { ai_training: 'allow' } }),
      await signatureOf(by, { ...message, content_hash: freshHash() }),
      await signatureOf(by, { content_hash: hash, action: 'delete', creator_did: by.did }),
      await signatureOf(await owner(), message),
      'A'.repeat(4412),
      'short',
    ]
    for (const signature of others) expectRefusal(await put(withSignature(write, signature)), 'invalid_signature')
    expectMissing(await read(hash), hash)
    expect((await put(write)).status).toBe(200)
  })

  it('refuses a key that may not speak for the creator', async () => {
    const [by, other, hash] = [await owner(), await owner(), freshHash()]
    const stranger = rootKey(await caller({ genesis: false }))
    for (const key of [other, stranger]) {
      expectRefusal(await put(await creation({ ...key, did: by.did }, hash)), 'key_not_entitled')
    }
    expectRefusal(await put(await creation(stranger, hash)), 'key_not_entitled')
    expectMissing(await read(hash), hash)
  })

  it('refuses another identity, and another record of the same', async () => {
    const [by, other, hash] = [await owner(), await owner(), freshHash()]
    await put(await creation(by, hash))
    expectRefusal(await put(await creation(other, hash)), 'consent_held')
    expectRefusal(await put(await creation(by, hash, { search: 'allow' })), 'consent_exists')
    expect((await read(hash)).body).toMatchObject({ creator_did: by.did, preferences: DISALLOW, version: 1 })
  })
})

describe('an update', () => {
  it('changes what it names and leaves the rest', async () => {
    const [by, hash] = [await owner(), freshHash()]
    await put(await creation(by, hash, { ai_training: 'disallow', search: 'allow', automated_processing: 'allow' }))
    const changed = dataOf(await put(await update(by, hash, { ai_training: 'allow', conditional: false })))
    expect(changed).toMatchObject({
      preferences: { ai_training: 'allow', search: 'allow', automated_processing: 'allow', conditional: false },
      version: 2,
      signed: { action: 'update', preferences: { ai_training: 'allow', conditional: false } },
    })
    expect((await read(hash)).body).toEqual(changed)
  })

  it('takes its creator from the record', async () => {
    const [by, other, hash] = [await owner(), await owner(), freshHash()]
    await put(await creation(by, hash))
    // Signed for its own DID the message is another one; signed for the record’s, the key is not entitled.
    expectRefusal(await put(await update(other, hash, { search: 'allow' })), 'invalid_signature')
    expectRefusal(await put(await update({ ...other, did: by.did }, hash, { search: 'allow' })), 'key_not_entitled')
  })

  it('of nothing is 404 with the miss body', async () => {
    const [by, hash] = [await owner(), freshHash()]
    expectMissing(await put(await update(by, hash, DISALLOW)), hash)
  })
})

describe('a deletion', () => {
  it('makes the record read as one that never was, and leaves it to its first publisher', async () => {
    const [by, other, hash] = [await owner(), await owner(), freshHash()]
    await put(await creation(by, hash))
    const revoked = dataOf(await put(await deletion(by, hash)))
    expect(revoked).toEqual({
      content_hash: hash,
      creator_did: by.did,
      revoked: true,
      version: 2,
      revoked_at: expect.any(Number),
    })
    expectMissing(await read(hash), hash)
    expectMissing(await put(await update(by, hash, DISALLOW)), hash)
    expectMissing(await put(await deletion(by, hash)), hash)
    expectRefusal(await put(await creation(other, hash)), 'consent_held')
    expect(dataOf(await put(await creation(by, hash, { search: 'disallow' })))).toMatchObject({
      version: 3,
      preferences: { search: 'disallow' },
    })
  })

  it('takes the signature of a deletion alone', async () => {
    const [by, hash] = [await owner(), freshHash()]
    await put(await creation(by, hash))
    const write = await deletion(by, hash)
    const declared = await signatureOf(by, { content_hash: hash, preferences: DISALLOW, creator_did: by.did })
    expectRefusal(await put(withSignature(write, declared)), 'invalid_signature')
    expectMissing(await put(await deletion(by, freshHash())), expect.any(String))
    expect((await put(write)).status).toBe(200)
  })
})

describe('a signature that was taken', () => {
  it('is the same answer while nothing has changed, whatever the act', async () => {
    const [by, hash] = [await owner(), freshHash()]
    for (const write of [
      await creation(by, hash),
      await update(by, hash, { search: 'allow' }),
      await deletion(by, hash),
      await creation(by, hash, { search: 'disallow' }),
    ]) {
      const first = dataOf(await put(write))
      expect(dataOf(await put(write))).toEqual(first)
    }
  })

  it('is 409 once the record has changed, before and after a deletion', async () => {
    const [by, hash] = [await owner(), freshHash()]
    const created = await creation(by, hash, { ai_training: 'allow' })
    await put(created)
    const closed = await update(by, hash, DISALLOW)
    await put(closed)
    // A creation and an update sign the same message.
    const asUpdate = { ...(await update(by, hash, { ai_training: 'allow' })), headers: created.headers }
    for (const replayed of [created, asUpdate]) expectRefusal(await put(replayed), 'consent_replay')
    const revoked = await deletion(by, hash)
    await put(revoked)
    expectRefusal(await put(created), 'consent_replay')
    const asCreation = { ...(await creation(by, hash, DISALLOW)), headers: closed.headers }
    expectRefusal(await put(asCreation), 'consent_replay')
    await put(await creation(by, hash, DISALLOW))
    expectRefusal(await put(revoked), 'consent_replay')
    expect((await read(hash)).body).toMatchObject({ preferences: DISALLOW, version: 4 })
  })

  it('is judged anew beside other words', async () => {
    const [by, hash] = [await owner(), freshHash()]
    const created = await creation(by, hash)
    await put(created)
    const other = { ...(await update(by, hash, { ai_training: 'allow' })), headers: created.headers }
    expectRefusal(await put(other), 'invalid_signature')
  })
})

describe('a device', () => {
  const consenting = { capabilities: ['consent:write'] } as const

  it('that may write consent speaks for its owner', async () => {
    const { device: keys } = await device(consenting)
    const hash = freshHash()
    const data = dataOf(await put(await creation(deviceKey(keys), hash)))
    expect(data).toMatchObject({
      creator_did: keys.did,
      public_key_b64u: keys.devicePublicKeyB64u,
      signed: { signer: { kind: 'device', device_id: keys.deviceId, epoch: 0 } },
    })
    expect((await put(await deletion(deviceKey(keys), hash))).status).toBe(200)
  })

  it('that may not, that was revoked or suspended, or that is another’s, does not', async () => {
    const by = await caller()
    const refused = async (key: Key) => expectRefusal(await put(await creation(key, freshHash())), 'key_not_entitled')
    await refused(deviceKey((await device({ capabilities: ['notes:write'] })).device))
    await refused(deviceKey((await device(consenting)).device, by.identity.did))
    await refused(deviceKey((await device({ ...consenting, attested: false, owner: by })).device, by.identity.did))
    const revoked = await device(consenting)
    expect((await put(await creation(deviceKey(revoked.device), freshHash()))).status).toBe(200)
    await revoked.owner.client.devices.revoke(revoked.device.deviceId)
    await refused(deviceKey(revoked.device))
    const suspended = await device(consenting)
    await suspended.owner.client.devices.suspend(suspended.device.deviceId)
    await refused(deviceKey(suspended.device))
  })
})

describe('an identity that has ended', () => {
  it('declares nothing more, and what it declared stays', async () => {
    const by = await caller()
    const hash = freshHash()
    await put(await creation(rootKey(by), hash))
    await by.client.security.deactivate()
    expectRefusal(await put(await update(rootKey(by), hash, { search: 'allow' })), 'key_not_entitled')
    expect((await read(hash)).body).toMatchObject({ preferences: DISALLOW })
  })
})

describe('an ownerless record', () => {
  it('is 409 to every mutation, untouched, and readable', async () => {
    const [by, hash] = [await owner(), freshHash()]
    const record = { contentHash: hash, preferences: { ai_training: 'allow' }, declaredAt: 1_600_000_000_000 } as const
    const sent = () => imported([record])
    expect(await sent()).toMatchObject({ status: 200, body: { data: { imported: 1, known: 0, refused: [] } } })
    expect(await sent()).toMatchObject({ body: { data: { imported: 0, known: 1, refused: [] } } })
    const before = await read(hash)
    expect(before).toMatchObject({ status: 200, body: { creator_did: null, signed: null, public_key_b64u: null } })
    for (const write of [
      await creation(by, hash),
      await update(by, hash, DISALLOW),
      await deletion(by, hash),
      withSignature(await creation(by, hash), 'x'),
    ]) {
      expectRefusal(await put(write), 'non_native_consent_record')
    }
    expect((await read(hash)).body).toEqual(before.body)
  })

  it('is never imported over another', async () => {
    const [by, held, ownerless] = [await owner(), freshHash(), freshHash()]
    await put(await creation(by, held))
    await imported([{ contentHash: ownerless, preferences: DISALLOW, declaredAt: 1_600_000_000_000 }])
    const before = [await read(held), await read(ownerless)]
    const records = [held, ownerless].map((contentHash) => ({
      contentHash,
      preferences: { search: 'allow' },
      declaredAt: 1_600_000_000_000,
    }))
    const refused = [held, ownerless].toSorted()
    expect(await imported(records)).toMatchObject({ body: { data: { imported: 0, known: 0, refused } } })
    expect([(await read(held)).body, (await read(ownerless)).body]).toEqual(before.map(({ body }) => body))
  })

  it.each([
    [0, 'invalid_request'],
    [65, 'too_many_items'],
  ] as const)('is not imported by an act with %i of them', async (length, error) => {
    const record = { preferences: DISALLOW, declaredAt: 1_600_000_000_000 }
    expectRefusal(await imported(Array.from({ length }, () => ({ contentHash: freshHash(), ...record }))), error)
  })

  it.each([1, Date.now() + 3_600_000])(
    'is not imported with the date %i, which is none of the past',
    async (declaredAt) => {
      const refused = await imported([{ contentHash: freshHash(), preferences: DISALLOW, declaredAt }])
      expectRefusal(refused, 'invalid_request')
      expect(JSON.stringify(refused.body)).toContain('body.statement.records.0.declaredAt: ')
    },
  )
})
