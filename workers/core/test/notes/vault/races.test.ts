import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { hashHex } from '@svc/protocol/base/hash'
import { statementHash } from '@svc/protocol/base/statement'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { freshCaller, sendWith } from '../../harness.ts'
import { type Asked, ask, pageOf, storedKeys, vaultOf, vaultPath } from '../notes.fixture.ts'
import { append, at, ciphertext, DAY_MS, erase, keeper, reuse, upload, vaultsWith, version } from '../vault.fixture.ts'

const TWENTY = Array.from({ length: 20 }, (_, i) => i)
const count = (answers: readonly Asked[], wanted: number) => answers.filter(({ status }) => status === wanted).length

// In a future that the runtime does not reach, alarms run when they are told.
beforeEach(() => at(Date.now() + DAY_MS))
afterEach(() => {
  vi.useRealTimers()
})

describe('twenty at once', () => {
  it('write versions of one note: all are kept, in one order without gaps', async () => {
    const { caller, first } = await keeper()
    const follows = statementHash(first.statement)
    const updates = await Promise.all(TWENTY.map((i) => version(caller, 'note', ciphertext(i + 1), 'update', follows)))
    const answers = await Promise.all(updates.map((update) => append(caller, update)))
    expect(answers.map(({ status }) => status)).toEqual(TWENTY.map(() => 200))
    const taken = answers.map(({ data }) => data).toSorted((a, b) => Number(a?.['version']) - Number(b?.['version']))
    expect(taken.map((data) => data['version'])).toEqual(TWENTY.map((i) => i + 2))
    expect(taken.map((data) => data['seq'])).toEqual(TWENTY.map((i) => i + 1))
    const listed = await ask(caller, 'GET', vaultPath(caller, '/note/versions'))
    expect(listed.data['versions']).toMatchObject([
      { version: 1, seq: 0, recordHash: follows, follows: null },
      ...taken.map((data) => ({ version: data['version'], seq: data['seq'], recordHash: data['recordHash'], follows })),
    ])
    expect(new Set(taken.map((data) => data['recordHash']))).toEqual(
      new Set(updates.map(({ statement }) => statementHash(statement))),
    )
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 21 * 64, objects: 21, refs: 21 })
    expect(await storedKeys(caller)).toHaveLength(21)
  })

  it('send one statement: it is one version, and one ciphertext stays', async () => {
    const { caller } = await keeper()
    const update = await version(caller, 'note', ciphertext(7), 'update')
    const answers = await Promise.all(TWENTY.map(() => append(caller, update)))
    expect(answers[0]).toMatchObject({ status: 200, data: { version: 2, seq: 1 } })
    expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1)
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 128, objects: 2, refs: 2 })
    expect(await runDurableObjectAlarm(vaultOf(caller))).toBe(true)
    expect(await storedKeys(caller)).toHaveLength(2)
    expect((await ask(caller, 'GET', vaultPath(caller, '/note'))).data).toMatchObject({ version: 2 })
  })

  it('begin a vault with one statement: it is one note', async () => {
    const caller = await freshCaller()
    const first = await version(caller, 'note', ciphertext(0))
    const answers = await Promise.all(TWENTY.map(() => append(caller, first)))
    expect(answers.map(({ status, data }) => [status, data['version'], data['seq']])).toEqual(
      TWENTY.map(() => [200, 1, 0]),
    )
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 64, objects: 1, refs: 1 })
  })

  it('create notes of one name: one wins, and nothing of the others stays', async () => {
    const { caller } = await keeper()
    const creations = await Promise.all(TWENTY.map((i) => version(caller, 'contested', ciphertext(i + 1))))
    const answers = await Promise.all(creations.map((creation) => append(caller, creation)))
    expect([count(answers, 200), count(answers, 409)]).toEqual([1, 19])
    expect(new Set(answers.flatMap(({ error }) => error ?? []))).toEqual(new Set(['note_exists']))
    const won = creations[answers.findIndex(({ status }) => status === 200)]
    expect((await ask(caller, 'GET', vaultPath(caller, '/contested'))).data).toMatchObject({
      ciphertextB64u: won?.ciphertextB64u,
    })
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 128, objects: 2, refs: 2 })
    expect(await storedKeys(caller)).toHaveLength(2)
  })

  it('write different notes with one ciphertext: it is kept once', async () => {
    const { caller } = await keeper()
    const notes = await Promise.all(TWENTY.map((i) => version(caller, `note-${i}`, ciphertext(9))))
    const answers = await Promise.all(notes.map((note) => append(caller, note)))
    expect(count(answers, 200)).toBe(20)
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 128, objects: 2, refs: 21 })
    expect(await runDurableObjectAlarm(vaultOf(caller))).toBe(true)
    expect(await storedKeys(caller)).toHaveLength(2)
    for (const i of [0, 19]) expect((await ask(caller, 'GET', vaultPath(caller, `/note-${i}`))).status).toBe(200)
  })

  it('upload one attachment: it is one, and one ciphertext stays', async () => {
    const { caller } = await keeper()
    const answers = await Promise.all(TWENTY.map(() => upload(caller, 'note', 'a', ciphertext(5, 1_000))))
    expect(count(answers, 200)).toBe(20)
    expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1)
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 1_064, objects: 2, refs: 2 })
    expect(pageOf(await vaultOf(caller).index(0, 10))).toMatchObject({ notes: [{ attachments: 1 }], size: 2 })
    expect(await runDurableObjectAlarm(vaultOf(caller))).toBe(true)
    expect(await storedKeys(caller)).toHaveLength(2)
  })

  it('upload two contents under one attachment: one of them wins everywhere', async () => {
    const { caller } = await keeper()
    const contents = [ciphertext(5, 100), ciphertext(6, 200)] as const
    const answers = await Promise.all(TWENTY.map((i) => upload(caller, 'note', 'a', contents[i % 2 === 0 ? 0 : 1])))
    expect([count(answers, 200), count(answers, 409)]).toEqual([10, 10])
    expect(new Set(answers.flatMap(({ error }) => error ?? []))).toEqual(new Set(['attachment_exists']))
    const winner = answers[0]?.status === 200 ? contents[0] : contents[1]
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 64 + winner.length, objects: 2, refs: 2 })
    expect(await vaultOf(caller).attachment('note', 'a')).toMatchObject({
      value: { cipherHash: hashHex(winner), bytes: winner.length },
    })
    expect(await runDurableObjectAlarm(vaultOf(caller))).toBe(true)
    expect(await storedKeys(caller)).toHaveLength(2)
  })

  it('upload what fits only some of them: the quota is never exceeded', async () => {
    const { caller } = await keeper()
    const narrow = sendWith({ NOTES_QUOTA_BYTES: 64 + 7 * 1_000 + 999 })
    const answers = await Promise.all(TWENTY.map((i) => upload(caller, 'note', `a${i}`, ciphertext(i, 1_000), narrow)))
    expect([count(answers, 200), count(answers, 402)]).toEqual([7, 13])
    expect(new Set(answers.flatMap(({ error }) => error ?? []))).toEqual(new Set(['storage_quota']))
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 7_064, objects: 8, refs: 8 })
    expect(await storedKeys(caller)).toHaveLength(8)
    const kept = TWENTY[answers.findIndex(({ status }) => status === 200)] ?? 0
    const refused = TWENTY[answers.findIndex(({ status }) => status === 402)] ?? 0
    expect((await upload(caller, 'note', `a${refused}`, ciphertext(refused, 1_000), narrow)).status).toBe(402)
    expect((await upload(caller, 'note', 'b', ciphertext(kept, 1_000), narrow)).status).toBe(200)
    expect((await upload(caller, 'note', 'c', ciphertext(99, 999), narrow)).status).toBe(200)
    expect((await upload(caller, 'note', 'd', ciphertext(98, 1), narrow)).status).toBe(402)
  })

  it('write notes that fit only some of them: the quota is never exceeded', async () => {
    const { caller } = await keeper()
    const narrow = sendWith({ NOTES_QUOTA_BYTES: 64 * 6 })
    const notes = await Promise.all(TWENTY.map((i) => version(caller, `note-${i}`, ciphertext(i + 1))))
    const answers = await Promise.all(notes.map((note) => append(caller, note, narrow)))
    expect([count(answers, 200), count(answers, 402)]).toEqual([5, 15])
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 384, objects: 6, refs: 6 })
    expect(await storedKeys(caller)).toHaveLength(6)
  })
})

describe('a note that is deleted meanwhile', () => {
  it('takes every version before its tombstone and none after', async () => {
    const { caller } = await keeper()
    const updates = await Promise.all(
      TWENTY.slice(0, 9).map((i) => version(caller, 'note', ciphertext(i + 1), 'update')),
    )
    const writing = updates.map((update) => append(caller, update))
    const [deleted, ...answers] = await Promise.all([erase(caller), ...writing])
    expect(deleted?.status).toBe(200)
    const [taken, refused] = [count(answers, 200), count(answers, 409)]
    expect(taken + refused).toBe(9)
    expect(new Set(answers.flatMap(({ error }) => error ?? []))).toEqual(new Set(refused ? ['note_tombstoned'] : []))
    expect(deleted?.data['statement']).toMatchObject({ versions: taken + 1, seq: taken + 1, size: taken + 2 })
    expect(await vaultOf(caller).usage()).toMatchObject({ refs: 0, objects: taken + 1 })
    expect(await storedKeys(caller)).toHaveLength(taken + 1)
  })

  it.each(['checkAttachment', 'attach'])('keeps no attachment that was on its way before %s', async (step) => {
    const { caller } = await keeper()
    const meanwhile = sendWith({
      ...vaultsWith({ before: { [step]: () => erase(caller) } }),
    })
    expect(await upload(caller, 'note', 'a', ciphertext(5), meanwhile)).toMatchObject({
      status: 409,
      error: 'note_tombstoned',
    })
    expect(await storedKeys(caller)).toHaveLength(1)
    expect(await vaultOf(caller).usage()).toEqual({ bytes: 64, objects: 1, refs: 0 })
  })

  it('keeps what it shared with another note that refers to it in that instant', async () => {
    const { caller } = await keeper()
    const other = await version(caller, 'other', ciphertext(3))
    expect((await append(caller, other)).status).toBe(200)
    const shared = ciphertext(0)
    const [deleted, reused] = await Promise.all([erase(caller), reuse(caller, 'other', 'a', shared)])
    expect([deleted.status, reused.status]).toEqual([200, 200])
    expect(await vaultOf(caller).blob(hashHex(shared))).toMatchObject({ refs: 1, unreferencedSince: null })
    expect(await env.BLOBS.head((await storedKeys(caller))[0] ?? '')).not.toBeNull()
  })
})
