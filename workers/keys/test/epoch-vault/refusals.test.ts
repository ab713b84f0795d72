import { createExecutionContext, createScheduledController, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { statementHash } from '@svc/protocol/base/statement'
import {
  MAX_MEMBER_NOTES,
  MAX_MEMBER_REPORTS,
  MAX_VAULT_BYTES,
  MAX_VAULT_GENERATIONS,
  MAX_VAULT_MEMBERS,
  MAX_VAULT_NOTE_BYTES,
} from '@svc/protocol/keys/epoch-vault'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import worker from '../../src/index.ts'
import { call, caller, dataOf, deviceFor } from '../harness.ts'
import {
  act,
  admit,
  close,
  enter,
  joiner,
  openEpoch,
  publish,
  published,
  put,
  remove,
  signedKey,
  signedNote,
  vaultFor,
  vaultOf,
} from './vault.fixture.ts'

const DAY = 86_400_000
const NOBODY = `did:svc:${'AAAA'.repeat(8)}`

/** Fills a vault as the store would, without signing each row. */
const fillNotes = (epoch: number, author: string, notes: number, bytes: number) =>
  env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
     INSERT INTO epoch_vault_notes (epoch, note_id, author, version, hash, bytes, signed, ciphertext, written_at)
     SELECT ?1, ?2 || i, ?2, 1, 'h', ?4, '{}', '', 1 FROM n`,
  )
    .bind(epoch, author, notes, bytes)
    .run()

describe('everybody but a member', () => {
  it('gets the same 404 for a vault that exists and one that does not', async () => {
    const { epoch, members } = await vaultOf(1)
    const note = await signedNote(members[0], epoch)
    await published(members[0], epoch, members)
    dataOf(await put(members[0], note))
    const outsiders = [await caller(), await joiner(epoch, { isAdmitted: false })]
    const onlyJoined = await caller()
    await onlyJoined.client.epochs.join()
    dataOf(await admit(epoch, onlyJoined))
    const onlyAdmitted = await caller()
    dataOf(await admit(epoch, onlyAdmitted))
    const body = await signedKey(members[0], epoch, members)
    const at = (number: number | string) =>
      [
        ['GET', `/api/vault/${number}/members`, undefined],
        ['GET', `/api/vault/${number}/keys`, undefined],
        ['POST', `/api/vault/${number}/keys`, body],
        ['POST', `/api/vault/${number}/keys/1/report`, undefined],
        ['GET', `/api/vault/${number}/notes`, undefined],
        ['GET', `/api/vault/${number}/notes/${note.statement.noteId}`, undefined],
        ['PUT', `/api/vault/${number}/notes/${note.statement.noteId}`, note],
        ['DELETE', `/api/vault/${number}/notes/${note.statement.noteId}`, undefined],
        ['POST', `/api/vault/${number}/leave`, undefined],
      ] as const
    for (const outsider of [...outsiders, onlyJoined, onlyAdmitted]) {
      for (const number of [epoch, 999_999, 'x', '0', '01', `${epoch} `]) {
        for (const [method, path, sent] of at(encodeURIComponent(number))) {
          const refused = await call(outsider, method, path, sent === undefined ? {} : { body: sent })
          expectRefusal(refused, 'not_found')
        }
      }
    }
    const mine = (path: string) => call(members[0], 'GET', `/api/vault/${epoch}/notes/${path}`)
    for (const id of ['x', 'A'.repeat(22), encodeURIComponent('../keys')]) expectRefusal(await mine(id), 'not_found')
    expectRefusal(await call(members[0], 'POST', `/api/vault/${epoch}/keys/x/report`), 'not_found')
    expect(dataOf(await mine(note.statement.noteId))).toMatchObject({ bytes: 272 })
  }, 60_000)

  it('needs a root key', async () => {
    const { epoch, members } = await vaultOf(1)
    const device = await deviceFor(members[0], { capabilities: ['epochs:write', 'notes:read', 'notes:write'] })
    expectRefusal(await call(device, 'GET', `/api/vault/${epoch}/notes`), 'capability_required')
    expectRefusal(await call(null, 'GET', `/api/vault/${epoch}/notes`), 'Authorization required')
  })
})

describe('the operator', () => {
  it('admits to an open epoch alone, up to 64 members, and frees a place by removing', async () => {
    const epoch = await openEpoch()
    const decide = (did: string, action: string, number = epoch) =>
      act('svc/operator-epoch-member/v1', { epoch: number, did, action })
    const did = (index: number) => `did:svc:${encodeBase64url(new Uint8Array(24).fill(index))}`
    for (let index = 1; index <= MAX_VAULT_MEMBERS; index++) dataOf(await decide(did(index), 'admit'))
    dataOf(await decide(did(1), 'admit'))
    expectRefusal(await decide(did(65), 'admit'), 'vault_member_limit')
    dataOf(await decide(did(1), 'remove'))
    dataOf(await decide(did(1), 'remove'))
    dataOf(await decide(did(65), 'admit'))
    expectRefusal(await decide(did(1), 'admit'), 'vault_member_limit')
    expectRefusal(await decide(did(66), 'remove'), 'not_found')
    expectRefusal(await decide(did(66), 'admit', 999_999), 'no_epoch')
    await close(epoch)
    expectRefusal(await decide(did(66), 'admit'), 'no_epoch')
  }, 60_000)

  it('admits a member again who left, and nobody else can', async () => {
    const { epoch, members } = await vaultOf(2)
    const [ada, bob] = await Promise.all(members.map((member) => vaultFor(member, epoch)))
    const { noteId } = await ada!.write({ body: 'one' })
    await bob!.leave()
    await enter(epoch, members[1]!)
    await expect(bob!.read(noteId)).rejects.toMatchObject({ error: 'not_found' })
    dataOf(await admit(epoch, members[1]!))
    // The same members as before, so the key is the same.
    expect(await bob!.read(noteId)).toMatchObject({ body: 'one' })
    expect(await bob!.write({ body: 'two' })).toMatchObject({ generation: 1 })
    dataOf(await remove(epoch, members[1]!))
    expect(await ada!.write({ body: 'three' })).toMatchObject({ generation: 2 })
    dataOf(await admit(epoch, members[1]!))
    await expect(bob!.read(noteId)).resolves.toMatchObject({ body: 'one' })
    await expect(bob!.write({ body: 'four' })).rejects.toMatchObject({ reason: 'no_key_yet' })
    expect(await ada!.rekey()).toBe(3)
    expect(await bob!.write({ body: 'four' })).toMatchObject({ generation: 3 })
  })
})

describe('a key', () => {
  it('is refused unless it is the next one, for exactly the members, by one of them', async () => {
    const { epoch, members } = await vaultOf(2)
    const [ada, bob] = members as [(typeof members)[0], (typeof members)[0]]
    const removed = await joiner(epoch)
    dataOf(await remove(epoch, removed))
    const stranger = await caller()
    const refused = async (body: object, error: Parameters<typeof expectRefusal>[1]) =>
      expectRefusal(await publish(ada, epoch, body), error)
    await refused(await signedKey(ada, epoch, [ada, bob, removed]), 'vault_members_changed')
    await refused(await signedKey(ada, epoch, [ada]), 'vault_members_changed')
    await refused(await signedKey(ada, epoch, [ada, bob, stranger]), 'vault_members_changed')
    await refused(await signedKey(ada, epoch, members, { generation: 2 }), 'vault_generation_stale')
    await refused(await signedKey(ada, epoch, members, { previous: 'a7'.repeat(48) }), 'vault_generation_stale')
    await refused(await signedKey(bob, epoch, members), 'invalid_signature')
    await refused(await signedKey(ada, epoch, members, { publisher: bob.identity.did }), 'owner_mismatch')
    await refused(await signedKey(ada, epoch, members, { issuedAt: Date.now() + 400_000 }), 'statement_expired')
    await refused(await signedKey(ada, epoch + 1, members), 'invalid_request')
    await refused(await signedKey(ada, epoch, members, { realm: 'https://other.test' }), 'wrong_realm')
    const good = await signedKey(ada, epoch, members)
    await refused({ ...good, wraps: good.wraps.toReversed() }, 'hash_mismatch')
    await refused({ ...good, wraps: good.wraps.slice(1) }, 'hash_mismatch')
    dataOf(await publish(ada, epoch, good))
    expect(dataOf(await publish(ada, epoch, good))).toMatchObject({ wrap: { did: ada.identity.did } })
    const next = { generation: 2, previous: statementHash(good.key.statement) }
    await refused(await signedKey(ada, epoch, members, next), 'vault_rekey_unneeded')
    dataOf(await remove(epoch, bob))
    await refused(await signedKey(ada, epoch, members, next), 'vault_members_changed')
    await refused(await signedKey(ada, epoch, [ada], { ...next, previous: 'a7'.repeat(48) }), 'vault_generation_stale')
    dataOf(await publish(ada, epoch, await signedKey(ada, epoch, [ada], next)))
    await close(epoch)
    await refused(await signedKey(ada, epoch, [ada], { ...next, generation: 3 }), 'vault_closed')
  }, 30_000)

  it('is the last one after 256', async () => {
    const { epoch, members } = await vaultOf(1)
    const last = await signedKey(members[0], epoch, members, { generation: MAX_VAULT_GENERATIONS })
    await env.DB.prepare(
      `INSERT INTO epoch_vault_keys (epoch, generation, hash, members, signed, published_at)
       VALUES (?, ?, 'h', '[]', ?, 1)`,
    )
      .bind(epoch, MAX_VAULT_GENERATIONS, JSON.stringify(last.key))
      .run()
    const next = { generation: MAX_VAULT_GENERATIONS + 1, previous: 'a7'.repeat(48) }
    await env.DB.prepare('UPDATE epoch_vault_keys SET hash = ? WHERE epoch = ?').bind(next.previous, epoch).run()
    const refused = await publish(members[0], epoch, await signedKey(members[0], epoch, members, next))
    expectRefusal(refused, 'vault_full')
    expect(refused.body).toMatchObject({ details: { limit: 'generations' } })
  })

  it('that a member cannot open is reported by it, and another member publishes the next', async () => {
    const { epoch, members } = await vaultOf(2)
    const [eve, bob] = members as [(typeof members)[0], (typeof members)[0]]
    // Of the right form, and garbage for everybody.
    await published(eve, epoch, members)
    const vault = await vaultFor(bob, epoch)
    await expect(vault.write({ body: 'x' })).rejects.toMatchObject({
      reason: 'key_unreadable',
      members: [eve.identity.did],
    })
    expectRefusal(await put(eve, await signedNote(eve, epoch)), 'vault_rekey_needed')
    const ada = await joiner(epoch)
    const hers = await vaultFor(ada, epoch)
    await expect(hers.write({ body: 'x' })).rejects.toMatchObject({ reason: 'no_key_yet' })
    expect(await hers.rekey({ withoutEarlier: true })).toBe(2)
    expect(await vault.write({ body: 'now' })).toMatchObject({ generation: 2 })
  })

  it('is reported by whom it is for, while it is the newest, and not without end', async () => {
    const { epoch, members } = await vaultOf(1)
    const [ada] = members
    const report = (generation: number, by = ada) => call(by, 'POST', `/api/vault/${epoch}/keys/${generation}/report`)
    expectRefusal(await report(1), 'vault_generation_stale')
    let key = await published(ada, epoch, members)
    for (let generation = 1; generation <= MAX_MEMBER_REPORTS; generation++) {
      expect(dataOf(await report(generation))).toEqual({ generation, reportedBy: ada.identity.did })
      expect(dataOf(await report(generation))).toEqual({ generation, reportedBy: ada.identity.did })
      key = await published(ada, epoch, members, key)
    }
    const refused = await report(MAX_MEMBER_REPORTS + 1)
    expectRefusal(refused, 'vault_full')
    expect(refused.body).toMatchObject({ details: { limit: 'reports' } })
    expectRefusal(await report(1), 'vault_generation_stale')
    expectRefusal(await report(MAX_MEMBER_REPORTS + 1, await joiner(epoch)), 'vault_rekey_needed')
    await close(epoch)
    expectRefusal(await report(MAX_MEMBER_REPORTS + 1), 'vault_closed')
  }, 30_000)
})

describe('a note', () => {
  it('is refused unless it is the next version, by its author, under the newest key', async () => {
    const { epoch, members } = await vaultOf(2)
    const [ada, bob] = members as [(typeof members)[0], (typeof members)[0]]
    expectRefusal(await put(ada, await signedNote(ada, epoch)), 'vault_rekey_needed')
    await published(ada, epoch, members)
    const note = await signedNote(ada, epoch)
    const { noteId } = note.statement
    expectRefusal(await put(bob, note), 'invalid_signature')
    expectRefusal(await put(bob, await signedNote(bob, epoch, { author: ada.identity.did })), 'owner_mismatch')
    expectRefusal(await put(ada, note, { noteId: 'B'.repeat(22) }), 'invalid_request')
    expectRefusal(await put(ada, await signedNote(ada, epoch + 1), { epoch }), 'invalid_request')
    expectRefusal(await put(ada, { ...note, ciphertextB64u: encodeBase64url(new Uint8Array(64)) }), 'hash_mismatch')
    expectRefusal(await put(ada, await signedNote(ada, epoch, { issuedAt: Date.now() + 400_000 })), 'statement_expired')
    expectRefusal(await put(ada, await signedNote(ada, epoch, { version: 2 })), 'vault_note_stale')
    expectRefusal(await put(ada, await signedNote(ada, epoch, { generation: 2 })), 'vault_generation_stale')
    dataOf(await put(ada, note))
    expect(dataOf(await put(ada, note))).toMatchObject({ bytes: 272 })
    expectRefusal(await put(ada, await signedNote(ada, epoch, { noteId })), 'vault_note_stale')
    expectRefusal(await put(bob, await signedNote(bob, epoch, { noteId, version: 2 })), 'owner_mismatch')
    dataOf(await remove(epoch, bob))
    expectRefusal(await put(ada, await signedNote(ada, epoch, { noteId, version: 2 })), 'vault_rekey_needed')
    await close(epoch)
    expectRefusal(await put(ada, await signedNote(ada, epoch)), 'vault_closed')
    dataOf(await call(ada, 'DELETE', `/api/vault/${epoch}/notes/${noteId}`))
    expectRefusal(await call(ada, 'DELETE', `/api/vault/${epoch}/notes/${noteId}`), 'not_found')
  }, 30_000)

  it('has at most 64 KiB, and a member 200 notes and 2 MiB', async () => {
    const { epoch, members } = await vaultOf(1)
    const [ada] = members
    const { did } = ada.identity
    await published(ada, epoch, members)
    const largest = MAX_VAULT_NOTE_BYTES + 16
    const note = await signedNote(ada, epoch, { bytes: largest })
    dataOf(await put(ada, note))
    expectRefusal(await put(ada, await signedNote(ada, epoch, { bytes: largest + 1 })), 'invalid_request')
    const limitOf = async (sent: typeof note) => {
      const refused = await put(ada, sent)
      expectRefusal(refused, 'vault_full')
      return (refused.body as { details: { limit: string } }).details.limit
    }
    await fillNotes(epoch, did, MAX_MEMBER_NOTES - 1, 1)
    expect(await limitOf(await signedNote(ada, epoch))).toBe('notes')
    const { noteId } = note.statement
    dataOf(await put(ada, await signedNote(ada, epoch, { noteId, version: 2 })))
    await env.DB.prepare("UPDATE epoch_vault_notes SET bytes = 10500 WHERE hash = 'h' AND epoch = ?").bind(epoch).run()
    expect(await limitOf(await signedNote(ada, epoch, { noteId, version: 3, bytes: 30_000 }))).toBe('memberBytes')
    dataOf(await put(ada, await signedNote(ada, epoch, { noteId, version: 3, bytes: 200 })))
  }, 30_000)

  it('is refused in a vault with 32 MiB', async () => {
    const { epoch, members } = await vaultOf(1)
    const [ada] = members
    await published(ada, epoch, members)
    await fillNotes(epoch, NOBODY, 1, MAX_VAULT_BYTES - 300)
    dataOf(await put(ada, await signedNote(ada, epoch, { bytes: 272 })))
    const refused = await put(ada, await signedNote(ada, epoch, { bytes: 272 }))
    expectRefusal(refused, 'vault_full')
    expect(refused.body).toMatchObject({ details: { limit: 'vaultBytes' } })
  })

  it('is listed page by page, without content', async () => {
    const { epoch, members } = await vaultOf(1)
    const [ada] = members
    const vault = await vaultFor(ada, epoch)
    const ids = new Set<string>()
    for (let index = 0; index < 34; index++) ids.add((await vault.write({ body: `${index}` })).noteId)
    const listed: string[] = []
    for await (const { noteId } of vault.list()) listed.push(noteId)
    expect(listed).toEqual([...ids].sort())
    const page = dataOf<{ notes: object[]; next: string }>(await call(ada, 'GET', `/api/vault/${epoch}/notes`))
    expect(page.notes).toHaveLength(32)
    expect(page.notes[0]).not.toHaveProperty('ciphertextB64u')
  }, 60_000)
})

describe('the hourly sweep', () => {
  it('deletes a vault 30 days after its epoch closed, and no other', async () => {
    const rowsOf = async (epoch: number) =>
      Promise.all(
        ['epoch_admissions', 'epoch_vault_keys', 'epoch_vault_wraps', 'epoch_vault_notes'].map(async (table) => {
          const found = env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE epoch = ?`).bind(epoch)
          return (await found.first<{ n: number }>())?.n
        }),
      )
    const [old, kept] = [await vaultOf(1), await vaultOf(1)]
    for (const { epoch, members } of [old, kept]) {
      await env.DB.prepare('UPDATE epochs SET closes_at = ? WHERE epoch = ?')
        .bind(Date.now() + DAY, epoch)
        .run()
      await (await vaultFor(members[0], epoch)).write({ body: 'x' })
    }
    await close(old.epoch, 30 * DAY)
    await close(kept.epoch, 30 * DAY - 60_000)
    const context = createExecutionContext()
    worker.scheduled(createScheduledController({ scheduledTime: new Date() }), env, context)
    await waitOnExecutionContext(context)
    expect([await rowsOf(old.epoch), await rowsOf(kept.epoch)]).toEqual([
      [0, 0, 0, 0],
      [1, 1, 1, 1],
    ])
  })
})
