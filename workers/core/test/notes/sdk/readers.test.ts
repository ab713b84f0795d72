import type { DeviceChange, Note, Signing } from '@svc/client'
import type { Capability } from '@svc/protocol/base/device'
import { kemKeyId } from '@svc/protocol/base/key-agreement'
import { deviceOf, type TestCaller, type TestDevice } from '@svc/testing'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { freshCaller, send } from '../../harness.ts'
import { rotated } from '../../rotation/rotation.fixture.ts'
import { clientOver, exportOf, type Resolved, readersOf, resolving, type Send } from './sdk.fixture.ts'

const READS: readonly Capability[] = ['account:read', 'notes:read']
const WRITES: readonly Capability[] = [...READS, 'notes:write']

let alice: TestCaller
const device = (capabilities: readonly Capability[], options: { expiresAt?: number } = {}) =>
  deviceOf(alice, { fetch: resolving([alice.identity]), capabilities, ...options })
/** A device that could read notes until the root key changed that. */
async function former(change: DeviceChange): Promise<TestDevice> {
  const made = await device(READS)
  await alice.client.devices.change(made.device.deviceId, change)
  return made
}
/** What a resolver would say of Alice with this root key and this statement. */
function statedBy(publicKeyB64u: string, keyAgreement: Resolved['keyAgreement']): Resolved {
  const { did, scope, userId, epoch } = alice.identity
  return { did, scope, userId, epoch, publicKeyB64u, keyAgreement }
}
/** What the root key writes now, for the current readers. */
const written = (body: string): Promise<Note> => clientOver(send, { identity: alice.identity }).notes.put({ body })
/** Returns the first version of a note from an export. */
async function storedOf({ noteId }: Note) {
  const items = await exportOf(alice.client)
  const entries = items.flatMap((item) => (item.kind === 'page' ? item.page.entries : []))
  const { record, ciphertextB64u, seq, version, recordHash, acceptedAt } = entries.find((one) => one.noteId === noteId)!
  const placed = { noteId, seq, version: version!, recordHash: recordHash!, acceptedAt }
  return { ...placed, ...record!, ciphertextB64u: ciphertextB64u! }
}
const readBy = ({ client }: TestDevice, { noteId }: Note) => client.notes.get(noteId)
const NOT_FOR_IT = 'The note is not encrypted for any of these keys'

beforeAll(async () => {
  alice = await freshCaller()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a note', () => {
  it('is read by every device that may read notes when it is written', async () => {
    const [phone, tablet] = [await device(READS), await device(WRITES)]
    const note = await written('for all')
    expect(await readBy(phone, note)).toMatchObject({ body: 'for all', keyId: alice.identity.userId })
    expect(await readBy(tablet, note)).toMatchObject({ body: 'for all' })
  })

  it('is not readable for a device that came later, until it is written again', async () => {
    const note = await written('early')
    const late = await device(READS)
    await expect(readBy(late, note)).rejects.toThrow(NOT_FOR_IT)
    const { notes } = clientOver(send, { identity: alice.identity })
    const key = kemKeyId(late.device.kemPublicKeyB64u)
    expect([note.readers.includes(key), (await notes.readers()).includes(key)]).toEqual([false, true])
    const again = await notes.put({ body: 'again' }, note)
    const read = await readBy(late, again)
    expect(read).toMatchObject({ body: 'again', version: 2, readers: await notes.readers() })
    expect(again.readers).toEqual(read.readers)
  })

  it.each([
    ['without notes:read', async () => device(['account:read', 'notes:write'])],
    ['that is revoked', async () => former({ event: 'revoke' })],
    ['that is suspended', async () => former({ event: 'suspend' })],
    ['that has lost notes:read', async () => former({ event: 'capabilities', capabilities: ['account:read'] })],
    ['that has expired', async () => device(READS, { expiresAt: Date.now() + 1_000 })],
  ])('is not encrypted to a device %s', async (_, make) => {
    const { device: keys } = await make()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2_000 })
    const readers = await readersOf(alice, (await written('not for it')).noteId)
    expect(readers).toContain(kemKeyId(alice.identity.kemPublicKeyB64u))
    expect(readers).not.toContain(kemKeyId(keys.kemPublicKeyB64u))
  })

  it('follows the devices from one to the next, whatever the client wrote before', async () => {
    const { client } = alice
    const { noteId } = await client.notes.put({ body: 'before' })
    const put = async () => client.notes.put({ body: 'next' }, await client.notes.get(noteId))
    const phone = await device(READS)
    expect(await readBy(phone, await put())).toMatchObject({ body: 'next' })
    const readersAfter = async (change: DeviceChange) => {
      await client.devices.change(phone.device.deviceId, change)
      await put()
      return readersOf(alice, noteId)
    }
    const key = kemKeyId(phone.device.kemPublicKeyB64u)
    expect(await readersAfter({ event: 'suspend' })).not.toContain(key)
    expect(await readersAfter({ event: 'resume' })).toContain(key)
    expect(await readersAfter({ event: 'revoke' })).not.toContain(key)
  })

  it('follows a head that the client was only shown, and asks for nothing until then', async () => {
    let questions = 0
    const counting: Send = (request) => {
      if (request.url.includes('/inception/events')) questions += 1
      return send(request)
    }
    const laptop = clientOver(counting, { identity: alice.identity })
    const note = await laptop.notes.put({ body: 'before' })
    const asked = questions
    const phone = await device(READS)
    const unaware = await laptop.notes.put({ body: 'unaware' }, note)
    expect(questions).toBe(asked)
    await laptop.devices.head()
    expect(await readBy(phone, await laptop.notes.put({ body: 'aware' }, unaware))).toMatchObject({ body: 'aware' })
  })

  it('is not fetched by a device that may not read notes', async () => {
    const note = await written('private')
    const writer = await device(['account:read', 'notes:write'])
    await expect(readBy(writer, note)).rejects.toMatchObject({ error: 'capability_required' })
    await expect(writer.client.notes.list()).rejects.toMatchObject({ error: 'capability_required' })
    await expect(writer.client.notes.delete(note.noteId)).rejects.toMatchObject({ error: 'capability_required' })
  })
})

describe('what a device writes', () => {
  it('is read by the root key, by itself and by the others', async () => {
    const [phone, tablet] = [await device(WRITES), await device(READS)]
    const note = await phone.client.notes.put({ body: 'from the phone' })
    expect(note.keyId).not.toBe(alice.identity.userId)
    expect(await alice.client.notes.get(note.noteId)).toMatchObject({ body: 'from the phone', keyId: note.keyId })
    expect(await readBy(phone, note)).toMatchObject({ body: 'from the phone' })
    expect(await readBy(tablet, note)).toMatchObject({ body: 'from the phone' })
  })

  it('is trusted after its revocation if the note was read or accepted by the vault before', async () => {
    const phone = await device(WRITES)
    const note = await phone.client.notes.put({ body: 'in its time' })
    const stored = await storedOf(note)
    const [reader, fresh] = [alice, alice].map(({ identity }) => clientOver(send, { identity }))
    const active = { body: 'in its time', signer: 'active', order: 'inception' }
    expect(await reader!.notes.get(note.noteId)).toMatchObject(active)
    await alice.client.devices.revoke(phone.device.deviceId)
    await reader!.devices.head()
    expect(await reader!.notes.get(note.noteId)).toMatchObject({ signer: 'revoked', order: 'memory' })
    const taken = { body: 'in its time', signer: 'revoked', order: 'log' }
    expect(await fresh!.notes.open(stored)).toMatchObject(taken)
    const late = { ...stored, acceptedAt: Date.now() + 1 }
    await expect(fresh!.notes.open(late)).rejects.toMatchObject({ subject: 'note', reason: 'unordered' })
    expect(await fresh!.notes.open(late, { acceptEnded: true })).toMatchObject({ ...taken, order: 'unknown' })
    expect(await fresh!.notes.get(note.noteId)).toMatchObject(taken)
    expect(await fresh!.notes.get(note.noteId)).toMatchObject({ order: 'memory' })
    await expect(phone.client.notes.put({ body: 'after' })).rejects.toMatchObject({ status: 401 })
  })

  it('is trusted after its revocation if a version from before follows the note, but not for later versions', async () => {
    const phone = await device(WRITES)
    const [early, late] = [await phone.client.notes.put({ body: 'one' }), await phone.client.notes.put({ body: 'two' })]
    await alice.client.notes.put({ body: 'from before' }, await alice.client.notes.get(early.noteId))
    await alice.client.devices.revoke(phone.device.deviceId)
    await alice.client.notes.put({ body: 'from after' }, await alice.client.notes.get(late.noteId))
    const fresh = clientOver(send, { identity: alice.identity })
    expect(await fresh.notes.get(early.noteId)).toMatchObject({ body: 'from before', signer: 'active' })
    expect(await fresh.notes.get(early.noteId, 1)).toMatchObject({ signer: 'revoked', order: 'inception' })
    expect(await fresh.notes.get(late.noteId)).toMatchObject({ body: 'from after', signer: 'active' })
    const reader = clientOver(send, { identity: alice.identity })
    expect(await reader.notes.get(late.noteId, 1)).toMatchObject({ signer: 'revoked', order: 'log' })
  })

  it('counts only at an event at which it could write notes', async () => {
    const phone = await device(WRITES)
    const before = await alice.client.devices.known()
    await alice.client.devices.change(phone.device.deviceId, { event: 'capabilities', capabilities: [...READS] })
    await alice.client.devices.change(phone.device.deviceId, { event: 'capabilities', capabilities: [...WRITES] })
    expect((await phone.client.devices.head()).sequence).toBe((before?.sequence ?? 0) + 2)
    const note = await phone.client.notes.put({ body: 'again' })
    const fresh = clientOver(send, { identity: alice.identity })
    expect(await fresh.notes.get(note.noteId)).toMatchObject({ signer: 'active', order: 'inception' })
  })

  it('is written for nobody when the identity states no key that the root could read it with', async () => {
    const silent = statedBy(alice.identity.publicKeyB64u, async () => null)
    const phone = await deviceOf(alice, { fetch: resolving([silent]), capabilities: WRITES })
    const error = 'The identity has no key agreement, so its root key could not read this: call `did.register` first'
    await expect(phone.client.notes.put({ body: 'x' })).rejects.toThrow(error)
  })

  it('is not encrypted to a key that somebody else states for the identity', async () => {
    const { identity: mallory } = await freshCaller()
    const theirs = (signing: Signing) => mallory.keyAgreement(signing)
    for (const [impostor, error] of [
      [statedBy(alice.identity.publicKeyB64u, theirs), 'The root key does not state the key-agreement key'],
      [statedBy(mallory.publicKeyB64u, theirs), 'The root key does not match the DID'],
    ] as const) {
      const phone = await deviceOf(alice, { fetch: resolving([impostor]), capabilities: WRITES })
      await expect(phone.client.notes.put({ body: 'x' })).rejects.toThrow(error)
    }
  })
})

describe('after a rotation', () => {
  it('earlier notes are read with the earlier key, and new ones without it', async () => {
    const owner = await freshCaller()
    const note = await owner.client.notes.put({ body: 'before' })
    const { successor } = await rotated(owner)
    const next = clientOver(send, { identity: successor }, { former: [owner.identity] })
    const alone = clientOver(send, { identity: successor })
    const before = await next.notes.get(note.noteId)
    const signing = { keyId: owner.identity.userId, signer: 'superseded', order: 'log' }
    expect(before).toMatchObject({ body: 'before', ...signing })
    await expect(alone.notes.get(note.noteId)).rejects.toThrow(NOT_FOR_IT)
    const again = await next.notes.put({ body: 'after' }, before)
    expect(await alone.notes.get(note.noteId)).toMatchObject({ body: 'after', version: 2, keyId: successor.userId })
    expect(again.isConcurrent).toBe(false)
    await expect(owner.client.notes.put({ body: 'by the old key' })).rejects.toMatchObject({ status: 401 })
  })

  it('devices of the earlier key cannot read until they are attested again', async () => {
    const owner = await freshCaller()
    const phone = await deviceOf(owner, { fetch: send, capabilities: [...READS] })
    const { successor, next: after } = await rotated(owner)
    const next = after.client
    const note = await next.notes.put({ body: 'after' })
    expect(await next.devices.verify()).toMatchObject({ devices: [{ deviceId: phone.device.deviceId }] })
    expect(await readersOf(after, note.noteId)).toEqual([kemKeyId(successor.kemPublicKeyB64u)])
  })
})
