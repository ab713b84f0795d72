import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Caller } from '@svc/assertion'
import { hashHex, hashTextHex } from '@svc/protocol/base/hash'
import type { TestCaller } from '@svc/testing'
import { afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import type { NoteVaultObject } from '../../../src/notes/object.ts'
import { createRuntime } from '../../../src/services.ts'
import { freshCaller } from '../../harness.ts'
import { storedKeys, vaultOf } from '../notes.fixture.ts'
import { at, ciphertext, DAY_MS, HOUR_MS, stepping } from '../vault.fixture.ts'
import { Gates, type Random, randomOf } from './interleaving.fixture.ts'

const SCRIPTS = inject('isLong') ? 200 : 40
const CONTENTS = [ciphertext(1), ciphertext(2, 100), ciphertext(3, 200)] as const
const REFERENCES = 'SELECT cipher_hash FROM versions UNION SELECT cipher_hash FROM attachments'

let owner: TestCaller
let now = Date.now() + 400 * DAY_MS
beforeAll(async () => {
  owner = await freshCaller()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Keys that records refer to, and ciphertexts that they refer to without a key. */
function referred({ sql }: DurableObjectStorage) {
  const keys = sql.exec<{ key: string }>(
    `SELECT r2_key AS key FROM blobs WHERE cipher_hash IN (${REFERENCES}) ORDER BY r2_key`,
  )
  const lost = sql.exec(`SELECT * FROM (${REFERENCES}) WHERE cipher_hash NOT IN (SELECT cipher_hash FROM blobs)`)
  return { keys: keys.toArray().map(({ key }) => key), lost: lost.toArray() }
}

class Script {
  readonly #name: string
  readonly #random: Random
  readonly #gates: Gates
  readonly #services
  readonly #vault: NoteVaultObject
  readonly #storage: DurableObjectStorage
  #count = 0

  constructor(seed: number, vault: NoteVaultObject, storage: DurableObjectStorage) {
    this.#vault = vault
    this.#storage = storage
    this.#name = `s${seed}`
    this.#random = randomOf(seed)
    this.#gates = new Gates(this.#random)
    const { pass } = this.#gates
    const steps = { append: pass, attach: pass, checkAttachment: pass, tombstone: pass }
    const vaults = { getByName: () => stepping(vault, { before: steps, after: steps }) }
    this.#services = createRuntime({ ...env, NOTE_VAULTS: vaults } as unknown as Env).deps
  }

  async run(): Promise<void> {
    this.#gates.guardStore()
    this.#move(0)
    const noteIds = [0, 1, 2].map((i) => `${this.#name}-${i}`)
    for (const noteId of noteIds) await this.#create(noteId)
    this.#vault.tombstone(noteIds[0] ?? '')
    this.#move(this.#random(2) === 0 ? DAY_MS : HOUR_MS)
    await this.#gates.drive([
      () => this.#times(3, () => this.#upload(noteIds)),
      () => this.#times(3, () => this.#upload(noteIds)),
      () => this.#times(2, () => this.#reuse(noteIds)),
      () => this.#times(1, async () => this.#vault.tombstone(noteIds[1] ?? '')),
      () => this.#times(3, () => this.#collect()),
      () => this.#times(2, async () => this.#move([HOUR_MS / 2, 2 * HOUR_MS, DAY_MS][this.#random(3)] ?? 0)),
    ])
    await this.#settle(noteIds)
  }

  /** What dies on the way has said all that it had to say. */
  async #times(times: number, act: () => Promise<unknown>): Promise<void> {
    for (let i = 0; i < times; i++) {
      await this.#gates
        .pass()
        .then(act)
        .catch(() => {})
    }
  }

  #move(by: number): void {
    now += by
    at(now)
  }

  #content(): Uint8Array {
    return CONTENTS[this.#random(3)] ?? CONTENTS[0]
  }

  get #caller(): Caller {
    const { did, userId, publicKeyB64u } = owner.identity
    return { did, userId, publicKeyB64u, device: null } as unknown as Caller
  }

  async #create(noteId: string): Promise<void> {
    const content = this.#content()
    const cipherHash = hashHex(content)
    const r2Key = `notes/${owner.identity.did}/${cipherHash}/${noteId}`
    await env.BLOBS.put(r2Key, content)
    const recordHash = hashTextHex(noteId)
    const columns = { noteId, recordHash, cipherHash, bytes: content.length, keyId: owner.identity.userId }
    const rest = { operation: 'create', follows: null, record: '{}', r2Key, startedAt: now } as const
    const appended = await this.#vault.append(owner.identity.did, { ...columns, ...rest }, { quotaBytes: 1_000_000 })
    expect(appended).toMatchObject({ ok: true })
  }

  async #upload(noteIds: readonly string[]): Promise<void> {
    const bytes = this.#content()
    const { body } = new Response(new Uint8Array(bytes))
    if (body) await this.#attach(noteIds, bytes, { stream: body, length: bytes.length })
  }

  async #reuse(noteIds: readonly string[]): Promise<void> {
    const bytes = this.#content()
    const there = await this.#services.vaults.blob(owner.identity.did, hashHex(bytes))
    await this.#gates.pass()
    if (there) await this.#attach(noteIds, bytes, null)
  }

  #attach(noteIds: readonly string[], bytes: Uint8Array, body: { stream: ReadableStream; length: number } | null) {
    this.#count += 1
    const noteId = noteIds[1 + this.#random(2)] ?? ''
    const upload = { noteId, attachmentId: `a${this.#count}`, cipherHash: hashHex(bytes), body }
    return this.#services.attachments.upload(this.#caller, upload, Date.now())
  }

  #collect(): Promise<unknown> {
    const { did } = owner.identity
    const statement = { hash: crypto.randomUUID(), keepUntil: now }
    return [
      () => this.#vault.collect(did, statement),
      () => this.#vault.alarm(),
      () => this.#vault.rebuild(did, statement, false),
    ][this.#random(3)]?.() as Promise<unknown>
  }

  /** Every referenced object exists; after two more collections, nothing else does. */
  async #settle(noteIds: readonly string[]): Promise<void> {
    const before = referred(this.#storage)
    expect(before.lost).toEqual([])
    expect(await storedKeys(owner)).toEqual(expect.arrayContaining(before.keys))
    const { did } = owner.identity
    const sound = { refs: [], missing: [], differences: 0 }
    const usage = await this.#vault.rebuild(did, { hash: crypto.randomUUID(), keepUntil: now }, true)
    expect(usage).toMatchObject({ value: sound })
    for (let i = 0; i < 2; i++) {
      this.#move(DAY_MS + HOUR_MS)
      await this.#vault.collect(did, { hash: crypto.randomUUID(), keepUntil: now })
    }
    expect(await storedKeys(owner)).toEqual(before.keys)
    expect(referred(this.#storage)).toEqual(before)
    for (const noteId of noteIds) this.#vault.tombstone(noteId)
  }
}

describe('a ciphertext that is sent, shared and collected at once', () => {
  it.each(Array.from({ length: SCRIPTS / 20 }, (_, i) => i * 20))(
    'is there while it is referred to and gone afterwards (scripts from %i)',
    { timeout: 60_000 },
    async (first) => {
      await runInDurableObject(vaultOf(owner), async (vault, { storage }) => {
        for (let seed = first; seed < first + 20; seed++) {
          await new Script(seed, vault, storage).run()
          vi.restoreAllMocks()
        }
      })
    },
  )
})
