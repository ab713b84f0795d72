import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { didOf } from '@svc/protocol/base/identity'
import { signStatement } from '@svc/protocol/base/statement'
import type { KeyHolder } from '@svc/testing'
import { callerOf, REALM, signerOf, type TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anonymous, call, freshCaller, sendWith } from '../harness.ts'
import { withPhone } from './committed/committed.fixture.ts'
import { cosignerOf, DAY_MS, type Identity, internal, memberOf, opened, rotated } from './rotation.fixture.ts'

const REHEARSE = '/api/chain/rotation/rehearse'

/** Everything that the object of a DID stores except nonces, and until when they are forgotten. */
async function storageOf(did: string): Promise<unknown> {
  return runInDurableObject(env.IDENTITIES.getByName(did), (_, { storage: { sql } }) => {
    const tables = sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT GLOB 'nonces_*'",
      )
      .toArray()
      .map(({ name }) => name)
    const plain = (value: SqlStorageValue) =>
      value instanceof ArrayBuffer ? encodeBase64url(new Uint8Array(value)) : value
    return Object.fromEntries(
      tables.map((name) => [
        name,
        [...sql.exec(`SELECT * FROM ${name}`).raw()]
          .filter(([first]) => first !== 'noncesForgotten')
          .map((row) => row.map(plain)),
      ]),
    )
  })
}

/** A rehearsal signed by a root key; statement and signers can be overridden. */
async function rehearsalBy(
  identity: Identity,
  next: KeyHolder & { readonly publicKeyB64u: string },
  changes: { statement?: object; byRoot?: Identity; byNewKey?: Identity } = {},
) {
  const statement = {
    type: 'svc/rotation-rehearsal/v1' as const,
    realm: REALM,
    did: identity.did,
    scope: identity.scope,
    version: 2,
    epoch: identity.epoch + 1,
    newPublicKeyB64u: next.publicKeyB64u,
    next: [],
    replaceable: false,
    nonce: crypto.randomUUID(),
    inception: null,
    issuedAt: Date.now(),
    ...changes.statement,
  }
  const byRoot = await signStatement(statement, signerOf(changes.byRoot ?? identity))
  const byNewKey = await signStatement(statement, signerOf(changes.byNewKey ?? next))
  return { ...byRoot, newKeySignatureB64u: byNewKey.signatureB64u }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a rehearsal', () => {
  it('reports what a rotation would require, and changes nothing', async () => {
    const caller = await freshCaller()
    const phone = await cosignerOf(caller)
    await memberOf(caller, 'rotation:request')
    const successor = await caller.identity.successor()
    const before = await storageOf(caller.identity.did)
    const startedAt = Date.now()
    const answer = await caller.client.rotation.rehearse(successor, { version: 2 })
    expect(answer).toEqual({
      wouldSucceed: true,
      rehearsedAt: expect.any(Number),
      version: 2,
      epoch: 1,
      windowMs: 86_400_000,
      requiredCosigners: 1,
      eligibleCosigners: [phone.device.deviceId],
      needsApproval: false,
      devices: { cosign: 1, veto: 0, tooNew: 1 },
      prospects: expect.any(Array),
    })
    expect(answer.rehearsedAt).toBeGreaterThanOrEqual(startedAt)
    expect(await caller.client.rotation.rehearse(successor, { version: 1 })).toMatchObject({
      version: 1,
      windowMs: 0,
      requiredCosigners: 0,
      needsApproval: true,
    })
    expect(await storageOf(caller.identity.did)).toEqual(before)
    expect(await storageOf(didOf(successor.userId))).toEqual({})
  })

  it('tells what each theft would come to, and what to prepare', async () => {
    const caller = await freshCaller()
    const successor = await caller.identity.successor()
    const { rotation } = caller.client
    const bare = await rotation.rehearse(successor, { version: 2 })
    expect(bare.devices).toEqual({ cosign: 0, veto: 0, tooNew: 0 })
    expect(bare.prospects.map(({ theft, row, outcome }) => [theft, row, outcome])).toEqual([
      ['root', 'no_device', 'lost'],
      ['root_lost', 'nothing_signed', 'lost'],
    ])
    await cosignerOf(caller)
    const { prospects } = await rotation.rehearse(successor, { version: 2 })
    expect(prospects.map(({ theft, row, preparations }) => [theft, row, preparations])).toEqual([
      ['root', 'device_recovers', []],
      ['root_and_device', 'nothing_against_two', ['add_cosigner', 'keep_operator_request']],
      ['device', 'device_delays', []],
      ['root_lost', 'kept_request', []],
    ])
    expect(prospects[0]).toMatchObject({ within: 7 * DAY_MS, notBefore: null })
    expect(prospects[0]?.summary).toContain('in 1 day, or 7 days if the thief contests')
    const withCopy = await rotation.rehearse(successor, { version: 2, kept: { rootCopy: true, requests: [] } })
    expect(withCopy.prospects[1]).toMatchObject({ row: 'operator_in_time', outcome: 'recovers', within: null })
    const withNothing = await rotation.rehearse(successor, { version: 2, kept: { rootCopy: false, requests: [] } })
    expect(withNothing.prospects[0]).toMatchObject({ row: 'vetoes_run_out', notBefore: 30 * DAY_MS })
  })

  it('reckons with no operator where there is none, and with no co-signature where version 2 is off', async () => {
    const caller = await freshCaller()
    await cosignerOf(caller)
    const prospectsWith = async (replaced: object, version: 1 | 2) => {
      const fetch = sendWith(replaced)
      const { client } = callerOf(caller.identity, { fetch })
      const kept = { rootCopy: true, requests: [] }
      const { prospects } = await client.rotation.rehearse(await caller.identity.successor(), { version, kept })
      return Object.fromEntries(prospects.map(({ theft, row }) => [theft, row]))
    }
    expect(await prospectsWith({ OPERATOR_PUBLIC_KEY: '' }, 2)).toMatchObject({
      root: 'device_recovers',
      root_and_device: 'copy_against_two',
    })
    expect(await prospectsWith({ ROTATION_V2: 'off' }, 1)).toMatchObject({ root: 'operator_recovers' })
    const neither = { ROTATION_V2: 'off', OPERATOR_PUBLIC_KEY: '' }
    expect(await prospectsWith(neither, 1)).toMatchObject({ root: 'vetoes_run_out' })
  })

  it('tells the owner of named successors what their words are good for', async () => {
    const { alice, sheets } = await withPhone(true)
    const { rotation } = alice.client
    const one = await rotation.rehearse(sheets[0], { version: 2 })
    expect(one.prospects.map(({ theft, row, preparations }) => [theft, row, preparations])).toEqual([
      ['root', 'words_recover', []],
      ['root_and_device', 'words_recover', []],
      ['device', 'words_recover', []],
      ['root_lost', 'words_recover', []],
      ['words', 'words_watched', []],
      ['words_and_device', 'words_watched', []],
      ['words_and_root', 'unopposed', ['keep_sheet']],
      ['everything', 'unopposed', ['keep_sheet']],
      ['words_lost', 'replaced', []],
    ])
    const kept = { rootCopy: false, requests: [], sheets: 0 }
    const none = await rotation.rehearse(sheets[0], { version: 2, kept })
    expect(none.prospects.map(({ theft, row }) => [theft, row])).toEqual([
      ['root', 'replaced_by_thief'],
      ['root_and_device', 'replaced_by_thief'],
      ['device', 'device_revoked'],
      ['root_lost', 'nothing_signed'],
    ])
  })

  it('promises what then happens: the same key, and it is taken', async () => {
    const caller = await freshCaller()
    const successor = await caller.identity.successor()
    const { epoch, requiredCosigners } = await caller.client.rotation.rehearse(successor, { version: 2 })
    const { rotation } = await opened(caller, 2, successor)
    expect(rotation).toMatchObject({ epoch, requiredCosigners })
  })

  it('is not a request: core stores no rotation for it', async () => {
    const caller = await freshCaller()
    const rehearsal = await rehearsalBy(caller.identity, await caller.identity.successor())
    const { did } = caller.identity
    const path = `/api/internal/rotation/${did}?caller=${did}`
    expect((await internal('POST', path, { body: rehearsal })).status).toBe(400)
    const relabelled = {
      ...rehearsal,
      statement: { ...rehearsal.statement, type: 'svc/rotation-request/v1', realm: REALM },
    }
    expect(await internal('POST', path, { body: relabelled })).toMatchObject({
      status: 403,
      body: { error: 'invalid_signature' },
    })
    expect((await caller.client.rotation.current()).latest).toBeNull()
  })

  it('is not made with a request', async () => {
    const caller = await freshCaller()
    const signed = await caller.client.rotation.makeRequest(await caller.identity.successor(), { version: 2 })
    expect((await call(caller, 'POST', REHEARSE, signed)).status).toBe(400)
  })

  it('needs the root key’s own assertion', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const signed = await rehearsalBy(alice.identity, await alice.identity.successor())
    expect(await anonymous('POST', REHEARSE, signed)).toMatchObject({ status: 401 })
    expect(await call(bob, 'POST', REHEARSE, signed)).toMatchObject({ status: 403, body: { error: 'owner_mismatch' } })
    const phone = await memberOf(alice, 'rotation:request', 'rotation:cosign')
    const body = new TextEncoder().encode(JSON.stringify(signed))
    const url = `https://core.test${REHEARSE}`
    const authorization = await phone.device.assertion({
      audience: 'chain',
      method: 'POST',
      url,
      body,
      now: Date.now(),
    })
    expect(await anonymous('POST', REHEARSE, new TextDecoder().decode(body), { authorization })).toMatchObject({
      status: 403,
      body: { error: 'capability_required' },
    })
  })
})

type Case = (caller: TestCaller) => Promise<{ by?: TestCaller; signed: Awaited<ReturnType<typeof rehearsalBy>> }>
const changed =
  (statement: object): Case =>
  async ({ identity }) => ({ signed: await rehearsalBy(identity, await identity.successor(), { statement }) })

describe('a rehearsal is refused as the request would be', () => {
  it.each<[string, Case, number, string]>([
    ['for a scope of another', changed({ scope: 'f'.repeat(96) }), 403, 'owner_mismatch'],
    ['for an epoch that is not the next', changed({ epoch: 7 }), 409, 'stale_epoch'],
    [
      'without the root key’s signature',
      async ({ identity }) => {
        const next = await identity.successor()
        return { signed: await rehearsalBy(identity, next, { byRoot: next }) }
      },
      403,
      'invalid_signature',
    ],
    [
      'without the new key’s signature',
      async ({ identity }) => ({
        signed: await rehearsalBy(identity, await identity.successor(), { byNewKey: identity }),
      }),
      403,
      'invalid_signature',
    ],
    [
      'for the current key',
      async ({ identity }) => ({ signed: await rehearsalBy(identity, identity) }),
      409,
      'key_in_use',
    ],
    [
      'for the key of another identity',
      async ({ identity }) => ({ signed: await rehearsalBy(identity, (await freshCaller()).identity) }),
      409,
      'key_in_use',
    ],
    [
      'for the key of a device',
      async (caller) => {
        const { device } = await memberOf(caller)
        const key = { publicKeyB64u: device.devicePublicKeyB64u, sign: signerOf(device) }
        return { signed: await rehearsalBy(caller.identity, key) }
      },
      409,
      'key_in_use',
    ],
    [
      'for a key that was the root before',
      async (caller) => {
        const { next, successor } = await rotated(caller)
        return { by: next, signed: await rehearsalBy(successor, caller.identity) }
      },
      409,
      'key_in_use',
    ],
    [
      'while a rotation is pending',
      async (caller) => {
        await opened(caller, 1)
        return { signed: await rehearsalBy(caller.identity, await caller.identity.successor()) }
      },
      409,
      'rotation_pending',
    ],
    [
      'by a key that was superseded',
      async (caller) => {
        await rotated(caller)
        return { signed: await rehearsalBy(caller.identity, await caller.identity.successor()) }
      },
      401,
      'unauthorized',
    ],
  ])('%s', async (_, make, status, error) => {
    const caller = await freshCaller()
    const { by = caller, signed } = await make(caller)
    const before = await storageOf(caller.identity.did)
    expect(await call(by, 'POST', REHEARSE, signed)).toMatchObject({ status, body: { error } })
    expect(await storageOf(caller.identity.did)).toEqual(before)
  })

  it('while the gate of its version is closed', async () => {
    const caller = await freshCaller()
    const closed = sendWith({ ROTATION_V2: 'off' })
    const successor = await caller.identity.successor()
    const signed = await rehearsalBy(caller.identity, successor)
    expect(await call(caller, 'POST', REHEARSE, signed, closed)).toMatchObject({
      status: 403,
      body: { error: 'rotation_v2_disabled' },
    })
    const v1 = await rehearsalBy(caller.identity, successor, { statement: { version: 1 } })
    expect((await call(caller, 'POST', REHEARSE, v1, closed)).status).toBe(200)
  })
})
