import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Caller } from '@svc/assertion'
import { hashHex, hashTextHex } from '@svc/protocol/base/hash'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, inject, it, vi } from 'vitest'
import { BlobStore } from '../../../src/notes/blob-store.ts'
import type { NoteVaultObject } from '../../../src/notes/object.ts'
import { createRuntime } from '../../../src/services.ts'
import { freshCaller } from '../../harness.ts'
import { ask, pageOf, storedKeys, vaultOf, vaultPath } from '../notes.fixture.ts'
import { at, ciphertext, DAY_MS, HOUR_MS } from '../vault.fixture.ts'
import { randomOf } from './interleaving.fixture.ts'
import { ModelVault, type Refusal } from './model.fixture.ts'

const STEPS = inject('isLong') ? 1_000 : 300
const QUOTA_BYTES = 2_500
const CONTENTS = Array.from({ length: 16 }, (_, i) => ciphertext(i, 50 * (i + 1)))
const WAITS = [1_000, HOUR_MS, DAY_MS / 2, DAY_MS + 1]

afterEach(() => {
  vi.useRealTimers()
})

/** Applies the same operations to vault and model, one after the other. */
class Run {
  readonly model = new ModelVault(QUOTA_BYTES)
  readonly outcomes = new Set<Refusal>()
  readonly #caller: TestCaller
  readonly #vault: NoteVaultObject
  readonly #random
  readonly #attachments
  readonly #store = new BlobStore(env.BLOBS)
  #now = Date.now() + 400 * DAY_MS
  #count = 0
  #last: () => Promise<void> = async () => {}

  constructor(caller: TestCaller, vault: NoteVaultObject, seed: number) {
    this.#caller = caller
    this.#vault = vault
    this.#random = randomOf(seed)
    const bindings = { NOTE_VAULTS: { getByName: () => vault }, NOTES_QUOTA_BYTES: QUOTA_BYTES }
    this.#attachments = createRuntime({ ...env, ...bindings } as unknown as Env).deps.attachments
  }

  async step(): Promise<void> {
    this.#count += 1
    this.#move(1)
    const [content, noteId] = [this.#one(CONTENTS), `note-${this.#random(8) + Math.floor(this.#count / 40)}`]
    const recordHash = hashTextHex(`${this.#count}`)
    const attachmentId = `a${this.#random(4)}`
    const act = this.#one([
      () => this.#append(noteId, true, recordHash, content),
      () => this.#append(noteId, false, recordHash, content),
      () => this.#append(noteId, false, recordHash, content),
      () => this.#attach(noteId, attachmentId, content, false),
      () => this.#attach(noteId, attachmentId, content, false),
      () => this.#attach(noteId, attachmentId, content, true),
      () => this.#attach(noteId, attachmentId, content, true),
      () => this.#erase(noteId),
      this.#last,
      () => this.#collect(),
      async () => this.#move(this.#one(WAITS)),
    ])
    await act()
    this.#last = act
  }

  async check(): Promise<void> {
    const { did } = this.#caller.identity
    await this.#vault.alarm()
    this.model.collect(this.#now)
    expect(this.#vault.usage()).toEqual(this.model.usage())
    expect(this.#vault.refs('', 1_000).blobs).toEqual(this.model.blobs())
    expect(pageOf(this.#vault.index(0, 1_000))).toMatchObject({ notes: this.model.index() })
    const exported = this.#vault.export(0, null, { entries: 10_000, bytes: 1e9 })
    expect(exported).toMatchObject({ value: { root: this.model.root(), rows: this.model.log() } })
    const hashes = (await storedKeys(this.#caller)).map((key) => this.#store.hashOfKey(key))
    expect(hashes).toEqual(this.model.blobs().map(({ cipherHash }) => cipherHash))
    const rebuilt = await this.#vault.rebuild(did, { hash: crypto.randomUUID(), keepUntil: this.#now }, true)
    expect(rebuilt).toMatchObject({ value: { differences: 0, orphans: { objects: 0, bytes: 0 } } })
  }

  #one<T>(choices: readonly T[]): T {
    return choices[this.#random(choices.length)] as T
  }

  #move(by: number): void {
    this.#now += by
    at(this.#now)
  }

  #agree(answer: { ok: true } | { ok: false; error: { reason: string } }, refusal: Refusal): void {
    expect(answer.ok ? null : answer.error.reason).toBe(refusal)
    this.outcomes.add(refusal)
  }

  async #append(noteId: string, isFirst: boolean, recordHash: string, content: Uint8Array): Promise<void> {
    const { did, userId: keyId } = this.#caller.identity
    const [cipherHash, bytes] = [hashHex(content), content.length]
    const r2Key = this.#store.newKey(did, cipherHash)
    await this.#store.put(r2Key, content)
    const columns = { noteId, recordHash, cipherHash, bytes, keyId, follows: null, record: '{}' }
    const operation = isFirst ? ('create' as const) : ('update' as const)
    const version = { ...columns, operation, r2Key, startedAt: this.#now }
    const answer = await this.#vault.append(did, version, { quotaBytes: QUOTA_BYTES })
    if (!answer.ok) await this.#store.delete([r2Key])
    this.#agree(answer, this.model.append(noteId, isFirst, recordHash, content, this.#now))
  }

  async #attach(noteId: string, attachmentId: string, content: Uint8Array, isReuse: boolean): Promise<void> {
    const { did, userId, publicKeyB64u } = this.#caller.identity
    const caller = { did, userId, publicKeyB64u, device: null } as unknown as Caller
    const stream = new Response(new Uint8Array(content)).body
    const body = isReuse || !stream ? null : { stream, length: content.length }
    const upload = { noteId, attachmentId, cipherHash: hashHex(content), body }
    const answer = await this.#attachments.upload(caller, upload, this.#now)
    this.#agree(answer, this.model.attach(noteId, attachmentId, content, isReuse, this.#now))
  }

  async #erase(noteId: string): Promise<void> {
    this.#agree(this.#vault.tombstone(noteId), this.model.erase(noteId, this.#now))
  }

  async #collect(): Promise<void> {
    const statement = { hash: crypto.randomUUID(), keepUntil: this.#now }
    expect(await this.#vault.collect(this.#caller.identity.did, statement)).toMatchObject({ ok: true })
    this.model.collect(this.#now)
  }
}

/** Every page of a listing, from the one that a query names. */
async function pagesOf(
  caller: TestCaller,
  items: string,
  queryOf: (token: string) => string,
  query = queryOf(''),
): Promise<unknown[]> {
  const { status, data } = await ask(caller, 'GET', vaultPath(caller, query))
  if (status !== 200) throw new Error(`${query}: ${status}`)
  const token = data['more'] === false ? null : (data['next'] ?? data['cursor'])
  const found = data[items] as unknown[]
  return typeof token === 'string' ? [...found, ...(await pagesOf(caller, items, queryOf, queryOf(token)))] : found
}
const refsFrom = (hash: string) => `/cas/refs?limit=3${hash && `&after=${hash}`}`
const indexFrom = (cursor: string) => `?limit=9${cursor && `&cursor=${cursor}`}`
const exportFrom = (cursor: string) => `/export${cursor && `?cursor=${cursor}`}`

describe('a vault and its model', () => {
  it.each([1, 2])(`agree after ${STEPS} random operations (%i)`, { timeout: 120_000 }, async (seed) => {
    const caller = await freshCaller()
    const { model, outcomes } = await runInDurableObject(vaultOf(caller), async (vault) => {
      const run = new Run(caller, vault, seed)
      for (let step = 1; step <= STEPS; step++) {
        await run.step()
        if (step % 50 === 0) await run.check()
      }
      return run
    })
    expect(outcomes).toEqual(
      new Set([null, 'not_found', 'note_exists', 'note_tombstoned', 'attachment_exists', 'storage_quota']),
    )
    const { bytes, objects } = model.usage()
    const used = await ask(caller, 'GET', vaultPath(caller, '/storage'))
    expect(used.data).toMatchObject({ bytesUsed: bytes, objectCount: objects })
    expect(await pagesOf(caller, 'blobs', refsFrom)).toEqual(model.blobs())
    expect(await pagesOf(caller, 'notes', indexFrom)).toEqual(model.index())
    const entries = await pagesOf(caller, 'entries', exportFrom)
    expect(entries).toMatchObject(
      model.log().map(({ change, isErased, bytes: size }) => ({ ...change, isErased, bytes: size })),
    )
    const { manifest } = (await ask(caller, 'GET', vaultPath(caller, '/export'))).data
    expect(manifest).toMatchObject({ statement: { size: entries.length, root: model.root() } })
  })
})
