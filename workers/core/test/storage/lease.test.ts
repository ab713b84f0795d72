import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LEASE_STEP, LOG_ENTRY_BYTES } from '../../src/storage/rules.ts'
import { freshCaller } from '../harness.ts'
import { ask, freshCiphertext, noteBy, post, stored, vaultOf, vaultPath } from '../notes/notes.fixture.ts'
import { at, DAY_MS } from '../notes/vault.fixture.ts'
import { FREE, identityOf, kept, leave } from './storage.fixture.ts'

const LARGE = 700_000

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** A note whose ciphertext fills most of a step after twelve of them. */
const large = () => freshCiphertext(LARGE)

describe('the lease of a vault', () => {
  it('is one step for the first note, and grows by steps', async () => {
    const author = await freshCaller()
    expect(await kept(author, 'notes')).toEqual({ bytes: 0, rows: 0 })
    await stored(author)
    expect(await kept(author, 'notes')).toEqual(LEASE_STEP)
    for (let i = 0; i < 12; i++) await stored(author, { ciphertext: large() })
    expect(await kept(author, 'notes')).toEqual({ ...LEASE_STEP, bytes: 2 * LEASE_STEP.bytes })
  })

  it('asks the identity for the first of many notes only', async () => {
    const author = await freshCaller()
    await stored(author)
    const seqs = await runInDurableObject(identityOf(author), (instance) => instance.stored.facts.get('leases'))
    for (let i = 0; i < 5; i++) await stored(author)
    const after = await runInDurableObject(identityOf(author), (instance) => instance.stored.facts.get('leases'))
    expect(after).toEqual(seqs)
  })

  it('is as small as needed when no step fits, and a note that fits in nothing is 402', async () => {
    const author = await freshCaller()
    await leave(author, { bytes: 20_000 })
    await stored(author)
    const { bytes } = await kept(author, 'notes')
    expect(bytes).toBeLessThan(20_000)
    const before = await kept(author)
    const refused = await post(author, await noteBy(author, { ciphertext: large() }))
    expect(refused).toMatchObject({ status: 402, error: 'budget_exhausted' })
    expect(await kept(author)).toEqual(before)
    expect((await ask(author, 'GET', vaultPath(author))).data).toMatchObject({ size: 1 })
  })

  it('counts ciphertexts, records and the log', async () => {
    const author = await freshCaller()
    const { statement, signatureB64u } = await stored(author, { ciphertext: freshCiphertext(100) })
    const used = await runInDurableObject(vaultOf(author), (_, { storage }) =>
      storage.sql.exec('SELECT bytes, records FROM usage').one(),
    )
    expect(used).toEqual({ bytes: 100, records: JSON.stringify({ statement, signatureB64u }).length })
    expect(LOG_ENTRY_BYTES).toBeGreaterThan(0)
  })

  it('never exceeds the budget when twenty notes race for the last room', async () => {
    const author = await freshCaller()
    await stored(author)
    await leave(author, { bytes: 2 * LARGE })
    const notes = await Promise.all(Array.from({ length: 20 }, () => noteBy(author, { ciphertext: large() })))
    const answers = await Promise.all(notes.map((note) => post(author, note)))
    const statuses = new Set(answers.map(({ status }) => status))
    expect(statuses).toEqual(new Set([200, 402]))
    expect((await kept(author)).bytes).toBeLessThanOrEqual(FREE.storedBytes)
    const usage = await vaultOf(author).usage()
    expect(usage.bytes).toBeLessThanOrEqual((await kept(author, 'notes')).bytes)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(usage.objects - 1)
  })

  it('is given back when deleted notes are collected', async () => {
    const author = await freshCaller()
    const notes = await Promise.all(Array.from({ length: 30 }, () => stored(author, { ciphertext: large() })))
    expect((await kept(author, 'notes')).bytes).toBe(3 * LEASE_STEP.bytes)
    for (const { statement } of notes) await ask(author, 'DELETE', vaultPath(author, `/${statement.header.noteId}`))
    at(Date.now() + 2 * DAY_MS)
    await runDurableObjectAlarm(vaultOf(author))
    expect((await kept(author, 'notes')).bytes).toBe(2 * LEASE_STEP.bytes)
  })

  it('is not used beyond what the identity knows after a crash between the two', async () => {
    const author = await freshCaller()
    await stored(author)
    // The identity granted more, and the vault never heard of it.
    const demand = { kind: 'notes', seq: 2, needed: LEASE_STEP, wanted: { ...LEASE_STEP, bytes: 3 * LEASE_STEP.bytes } }
    await identityOf(author).lease(author.identity.did, demand as never)
    for (let i = 0; i < 12; i++) await stored(author, { ciphertext: large() })
    expect((await kept(author, 'notes')).bytes).toBe(2 * LEASE_STEP.bytes)
  })

  it('begins again for a vault that was lost', async () => {
    const author = await freshCaller()
    for (let i = 0; i < 13; i++) await stored(author, { ciphertext: large() })
    await runInDurableObject(vaultOf(author), (_, { storage }) => {
      storage.sql.exec('UPDATE lease SET seq = 0, bytes = 0, rows = 0')
    })
    expect((await post(author, await noteBy(author))).status).toBe(200)
  })
})
