import { evictDurableObject, listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { type StatementType, signStatement } from '@svc/protocol/base/statement'
import type { KeyHolder } from '@svc/testing'
import { deviceOf, REALM, signerOf, type TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshCaller, send, sendWith } from '../../harness.ts'
import { rotated } from '../../rotation/rotation.fixture.ts'
import { type AskOptions, ask, kept, stored, vaultOf, vaultPath } from '../notes.fixture.ts'
import { at, vaultsWith } from '../vault.fixture.ts'

const MINUTE_MS = 60_000
const NOW = 1_900_000_000_000
const ACTS = [
  { name: 'gc', type: 'svc/note-gc/v1', realm: REALM, other: 'svc/note-rebuild/v1', step: 'collect' },
  { name: 'rebuild', type: 'svc/note-rebuild/v1', realm: REALM, other: 'svc/note-gc/v1', step: 'rebuild' },
] as const

const tablesOf = (object: ReturnType<typeof env.IDENTITIES.getByName>) =>
  runInDurableObject(object, (_, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
  )

afterEach(() => {
  vi.useRealTimers()
})

describe.each(ACTS)('POST /api/notes/{did}/cas/$name', ({ name, type, other, step }) => {
  const signedBy = (by: KeyHolder, did: string, changes: { type?: StatementType; issuedAt?: number } = {}) =>
    signStatement({ type, realm: REALM, did, inception: null, issuedAt: Date.now(), ...changes }, signerOf(by))
  const act = (owner: TestCaller, json: unknown, options: AskOptions = {}) =>
    ask(null, 'POST', vaultPath(owner, `/cas/${name}`), { json, ...options })
  const withNote = async () => {
    const owner = await freshCaller()
    await stored(owner, { noteId: 'n' })
    return { owner, identity: owner.identity, did: owner.identity.did }
  }
  const refused = { status: 403, error: 'invalid_signature' }

  it('accepts the signature of the owner’s root key as a credential', async () => {
    const { owner, identity, did } = await withNote()
    expect((await act(owner, await signedBy(identity, did))).status).toBe(200)
    const beside = { headers: { authorization: 'ServiceAssertion nothing.good' } }
    expect((await act(owner, await signedBy(identity, did, { issuedAt: Date.now() - 1 }), beside)).status).toBe(200)
  })

  it.each([-5 * MINUTE_MS, 5 * MINUTE_MS])('accepts one dated %i ms off', async (off) => {
    const { owner, identity, did } = await withNote()
    at(NOW)
    expect((await act(owner, await signedBy(identity, did, { issuedAt: NOW + off }))).status).toBe(200)
  })

  it.each([-5 * MINUTE_MS - 1, 5 * MINUTE_MS + 1])(
    'refuses one that is dated %i ms off, and tells the time',
    async (off) => {
      const { owner, identity, did } = await withNote()
      at(NOW)
      const expired = await act(owner, await signedBy(identity, did, { issuedAt: NOW + off }))
      expect(expired).toMatchObject({ status: 401, error: 'statement_expired', body: { serverTime: NOW } })
    },
  )

  it('accepts each once, also after a restart, and a rejected one never', async () => {
    const { owner, identity, did } = await withNote()
    const signed = await signedBy(identity, did)
    const forged = { ...signed, signatureB64u: (await signedBy((await freshCaller()).identity, did)).signatureB64u }
    expect(await act(owner, forged)).toMatchObject(refused)
    const answers = await Promise.all(Array.from({ length: 5 }, () => act(owner, signed)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ error }) => error === 'statement_replay')).toHaveLength(4)
    await evictDurableObject(vaultOf(owner))
    expect(await act(owner, signed)).toMatchObject({ status: 409, error: 'statement_replay' })
    const resigned = await signedBy(identity, did, { issuedAt: signed.statement.issuedAt })
    expect(await act(owner, resigned)).toMatchObject({ status: 409, error: 'statement_replay' })
  })

  it('accepts none twice at the end of its validity', async () => {
    const { owner, identity, did } = await withNote()
    at(NOW)
    const signed = await signedBy(identity, did)
    expect((await act(owner, signed)).status).toBe(200)
    at(NOW + 5 * MINUTE_MS)
    expect(await act(owner, signed)).toMatchObject({ status: 409, error: 'statement_replay' })
    const late = sendWith(vaultsWith({ before: { [step]: () => at(NOW + 5 * MINUTE_MS + 1) } }))
    expect(await act(owner, signed, { fetch: late })).toMatchObject({ status: 401, error: 'statement_expired' })
  })

  it('accepts one once in a vault never written to', async () => {
    const owner = await freshCaller()
    const signed = await signedBy(owner.identity, owner.identity.did)
    expect((await act(owner, signed)).status).toBe(200)
    expect(await act(owner, signed)).toMatchObject({ status: 409, error: 'statement_replay' })
  })

  it('rejects another identity’s signature and statement, a device’s, and a statement about someone else', async () => {
    const [{ owner, did }, stranger] = [await withNote(), await freshCaller()]
    const device = await deviceOf(owner, { fetch: send, capabilities: ['notes:write', 'notes:delete', 'notes:read'] })
    const before = await kept(owner)
    for (const signed of [
      await signedBy(stranger.identity, did),
      await signedBy(stranger.identity, stranger.identity.did),
      await signedBy(owner.identity, stranger.identity.did),
      await signedBy(device.device, did),
    ]) {
      expect(await act(owner, signed)).toMatchObject(refused)
    }
    expect(await kept(owner)).toEqual(before)
  })

  it('rejects a superseded key and accepts its successor', async () => {
    const { owner, identity, did } = await withNote()
    const { next } = await rotated(owner)
    expect(await act(owner, await signedBy(identity, did))).toMatchObject(refused)
    expect((await act(owner, await signedBy(next.identity, did))).status).toBe(200)
  })

  it('refuses an identity that was ended', async () => {
    const { owner, identity, did } = await withNote()
    await owner.client.security.deactivate()
    expect(await act(owner, await signedBy(identity, did))).toMatchObject(refused)
  })

  it('answers alike for an identity that does not exist, and creates nothing', async () => {
    const [{ owner }, nobody, stranger] = [await withNote(), await freshCaller({ genesis: false }), await freshCaller()]
    const known = await act(owner, await signedBy(stranger.identity, owner.identity.did))
    const vaults = async () => (await listDurableObjectIds(env.NOTE_VAULTS)).length
    const before = await vaults()
    const unknown = await act(nobody, await signedBy(nobody.identity, nobody.identity.did))
    expect(unknown).toMatchObject(refused)
    const { timestamp: _, ...told } = unknown.body
    expect(known.body).toEqual({ ...told, timestamp: expect.any(Number) })
    expect(await vaults()).toBe(before)
    expect(await tablesOf(env.IDENTITIES.getByName(nobody.identity.did))).toEqual([])
  })

  it('refuses a statement of the other act, and members that have no place', async () => {
    const { owner, identity, did } = await withNote()
    const good = await signedBy(identity, did)
    for (const body of [
      await signedBy(identity, did, { type: other }),
      { ...good, statement: { ...good.statement, more: 1 } },
      { ...good, more: true },
      { ...good, dryRun: 'yes' },
      { statement: good.statement },
      {},
    ]) {
      expect(await act(owner, body)).toMatchObject({ status: 400, error: 'invalid_request' })
    }
    const malformed = `/api/notes/did:svc:x/cas/${name}`
    expect(await ask(null, 'POST', malformed, { json: good })).toMatchObject({ status: 400, error: 'invalid_request' })
    expect((await act(owner, good, { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await act(owner, good)).status).toBe(200)
  })

  it('refuses while the identity or the vault cannot be reached, and spends nothing', async () => {
    const { owner, identity, did } = await withNote()
    const unreachable = { getByName: () => new Proxy({}, { get: () => () => Promise.reject(new Error('overloaded')) }) }
    const signed = await signedBy(identity, did)
    for (const binding of ['IDENTITIES', 'NOTE_VAULTS'] as const) {
      const down = await act(owner, signed, { fetch: sendWith({ [binding]: unreachable }) })
      expect(down).toMatchObject({ status: 503, error: 'dependency_unavailable' })
    }
    expect((await act(owner, signed)).status).toBe(200)
  })
})
