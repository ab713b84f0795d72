/** Shared by the fault and race tests of a vault: a clock, a broken store, and hooks between two steps. */
import { env } from 'cloudflare:workers'
import { hashHex } from '@svc/protocol/base/hash'
import type { NoteStatement, NoteSubmission } from '@svc/protocol/notes/notes'
import type { TestCaller } from '@svc/testing'
import { vi } from 'vitest'
import { CORE, freshCaller, send } from '../harness.ts'
import { type Asked, ask, attach, noteBy, post, type Send, vaultPath } from './notes.fixture.ts'

export const HOUR_MS = 60 * 60_000
export const DAY_MS = 24 * HOUR_MS

/** Stops the clock of tests and objects at a time; the caller restarts it. */
export function at(time: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: time })
}

export function ciphertext(fill: number, bytes = 64): Uint8Array {
  return new Uint8Array(bytes).fill(fill)
}

/** By default, the first version of a note. */
export function version(
  caller: TestCaller,
  noteId: string,
  content: Uint8Array,
  operation: NoteStatement['header']['operation'] = 'create',
  follows: string | null = null,
): Promise<NoteSubmission> {
  return noteBy(caller, { noteId, ciphertext: content, operation, statement: { follows } })
}

export const append = (caller: TestCaller, submission: NoteSubmission, fetch: Send = send): Promise<Asked> =>
  post(caller, submission, { fetch })

/** A caller whose vault has one note, named `note`, of 64 bytes. */
export async function keeper() {
  const caller = await freshCaller()
  const first = await version(caller, 'note', ciphertext(0))
  const { status } = await append(caller, first)
  if (status !== 200) throw new Error(`not appended: ${status}`)
  return { caller, did: caller.identity.did, first }
}

export const upload = (
  caller: TestCaller,
  noteId: string,
  attachmentId: string,
  bytes: Uint8Array,
  fetch: Send = send,
): Promise<Asked> =>
  attach(caller, noteId, attachmentId, bytes, { fetch, headers: { 'content-length': String(bytes.length) } })

/** Refers to a ciphertext that the vault should have, under an assertion as a client makes it. */
export async function reuse(caller: TestCaller, noteId: string, attachmentId: string, bytes: Uint8Array) {
  const path = vaultPath(caller, `/${noteId}/attachments/${attachmentId}?cipherHash=${hashHex(bytes)}&reuse=true`)
  const request = { audience: 'notes', method: 'PUT', url: CORE + path, now: Date.now() } as const
  return ask(null, 'PUT', path, { headers: { authorization: await caller.identity.assertion(request) } })
}

export const erase = (caller: TestCaller, noteId = 'note', fetch: Send = send): Promise<Asked> =>
  ask(caller, 'DELETE', vaultPath(caller, `/${noteId}`), { fetch })

/** A statement is single-use, and two of one instant are identical, so advance a stopped clock. */
function tick(): void {
  if (vi.isFakeTimers()) vi.setSystemTime(Date.now() + 1)
}

export function collect({ client }: TestCaller) {
  tick()
  return client.notes.collect()
}

export function rebuild({ client }: TestCaller, options: { readonly dryRun?: boolean } = {}) {
  tick()
  return client.notes.rebuild(options)
}

type Step = () => unknown
export interface Steps {
  readonly before?: Readonly<Record<string, Step>>
  readonly after?: Readonly<Record<string, Step>>
}

/** A binding with hooks before or after calls of some of its methods. */
export function stepping<T extends object>(target: T, { before = {}, after = {} }: Steps): T {
  const methods = target as Record<string, (...operands: unknown[]) => unknown>
  return new Proxy(target, {
    get:
      (_, name: string) =>
      async (...operands: unknown[]) => {
        await before[name]?.()
        const answer = await methods[name]?.(...operands)
        await after[name]?.()
        return answer
      },
  })
}

/** The store as a Worker sees it; objects use the real one. */
export const storeWith = (steps: Steps) => ({ BLOBS: stepping(env.BLOBS, steps) })

export function vaultsWith(steps: Steps) {
  return { NOTE_VAULTS: { getByName: (did: string) => stepping(env.NOTE_VAULTS.getByName(did), steps) } }
}

type StoreCall = (this: R2Bucket, ...operands: unknown[]) => Promise<unknown>

/** The prototype of every bucket binding: replacing a method affects Workers and objects alike. */
export function storeMethods() {
  return Object.getPrototypeOf(env.BLOBS) as Record<'put' | 'get' | 'head' | 'delete' | 'list', StoreCall>
}

/** Breaks one method of the store everywhere until the end of the test. */
export function breakStore(method: 'delete' | 'head' | 'list') {
  return vi.spyOn(storeMethods(), method).mockImplementation(broken)
}

/** Limits the page size of the store’s listings until the end of the test. */
export function listPagesOf(limit: number) {
  const { list } = storeMethods()
  return vi.spyOn(storeMethods(), 'list').mockImplementation(function (this: R2Bucket, options) {
    return list.call(this, { ...(options as R2ListOptions), limit })
  })
}

export function broken(): never {
  throw new Error('out of reach')
}
