import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { EpochVault } from '@svc/client/epoch-vault'
import { REALM } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { recordRootStatements } from '../../src/directory/root-statements.ts'
import { caller, dataOf, deviceFor } from '../harness.ts'
import { admit, close, enter, joiner, remove, vaultFor, vaultOf } from './vault.fixture.ts'

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

describe('the vault of an epoch, through the SDK', () => {
  it('is read and written by its members, and a removed one reads nothing more', async () => {
    const { epoch, members } = await vaultOf(3)
    const [ada, bob, eve] = await Promise.all(members.map((member) => vaultFor(member, epoch)))
    const first = await ada!.write({ title: 'Plan', body: 'Meet at noon' })
    expect(first).toMatchObject({ version: 1, generation: 1, author: members[0].identity.did })
    for (const vault of [bob!, eve!])
      expect(await vault.read(first.noteId)).toMatchObject({ title: 'Plan', body: 'Meet at noon' })
    const theirs = await eve!.write({ body: 'I agree' })
    expect(theirs.generation).toBe(1)
    expect(await all(bob!.list())).toHaveLength(2)

    dataOf(await remove(epoch, members[2]!))
    expect(await bob!.members()).toMatchObject({ generation: 1, isCovered: false })
    const second = await bob!.write({ body: 'Without her' })
    expect(second.generation).toBe(2)
    for (const use of [
      () => eve!.read(first.noteId),
      () => eve!.read(second.noteId),
      () => eve!.write({ body: 'x' }),
      () => eve!.members(),
      () => eve!.leave(),
    ])
      await expect(use()).rejects.toMatchObject({ error: 'not_found', status: 404 })
    // Her notes went with her; what came before stays readable to those who stay.
    expect((await all(ada!.list())).map(({ noteId }) => noteId).sort()).toEqual([first.noteId, second.noteId].sort())
    expect(await ada!.read(second.noteId)).toMatchObject({ body: 'Without her' })
    expect(await bob!.read(first.noteId)).toMatchObject({ body: 'Meet at noon' })
  })

  it('gives a new member the earlier notes, once a member who has the key was there', async () => {
    const { epoch, members } = await vaultOf(2)
    const ada = await vaultFor(members[0], epoch)
    const { noteId } = await ada.write({ body: 'Before' })
    const late = await joiner(epoch)
    const vault = await vaultFor(late, epoch)
    await expect(vault.read(noteId)).rejects.toMatchObject({ reason: 'no_key_yet' })
    await expect(vault.write({ body: 'x' })).rejects.toMatchObject({ reason: 'no_key_yet' })
    expect(await ada.rekey()).toBe(2)
    expect(await ada.rekey()).toBe(2)
    expect(await vault.read(noteId)).toMatchObject({ body: 'Before', generation: 1 })
    expect(await vault.write({ body: 'After' })).toMatchObject({ generation: 2 })
  })

  it('opens earlier notes through many keys', async () => {
    const { epoch, members } = await vaultOf(1)
    const ada = await vaultFor(members[0], epoch)
    const { noteId } = await ada.write({ body: 'Long ago' })
    for (let round = 0; round < 9; round++) {
      await joiner(epoch)
      await ada.rekey()
    }
    const late = await joiner(epoch)
    await ada.rekey()
    expect(await (await vaultFor(late, epoch)).read(noteId)).toMatchObject({ body: 'Long ago' })
  }, 60_000)

  it('keeps versions of a note apart, and to their author', async () => {
    const { epoch, members } = await vaultOf(2)
    const [ada, bob] = await Promise.all(members.map((member) => vaultFor(member, epoch)))
    const first = await ada!.write({ body: 'one' })
    const second = await ada!.write({ base: first, body: 'two' })
    expect(second).toMatchObject({ noteId: first.noteId, version: 2 })
    await expect(ada!.write({ base: first, body: 'again' })).rejects.toMatchObject({ error: 'vault_note_stale' })
    await expect(bob!.write({ base: second, body: 'mine' })).rejects.toMatchObject({ error: 'owner_mismatch' })
    await expect(bob!.delete(first.noteId)).rejects.toMatchObject({ error: 'owner_mismatch' })
    expect(await bob!.read(first.noteId)).toMatchObject({ body: 'two', version: 2 })
    await ada!.delete(first.noteId)
    await expect(bob!.read(first.noteId)).rejects.toMatchObject({ error: 'not_found' })
  })

  it('encrypts for nobody whom a client does not expect', async () => {
    const { epoch, members } = await vaultOf(2)
    const expects = [members[0].identity.did]
    const vault = await vaultFor(members[0], epoch, { expects })
    const stranger = members[1]!.identity.did
    expect(await vault.members()).toMatchObject({ unexpected: [stranger] })
    await expect(vault.write({ body: 'secret' })).rejects.toMatchObject({
      reason: 'unexpected_member',
      members: [stranger],
    })
    dataOf(await remove(epoch, members[1]!))
    expect(await vault.write({ body: 'secret' })).toMatchObject({ generation: 1 })
  })

  it('names the member who has no key to encrypt to', async () => {
    const { epoch, members } = await vaultOf(1)
    const bare = await caller()
    await enter(epoch, bare)
    dataOf(await admit(epoch, bare))
    const vault = await vaultFor(members[0], epoch)
    await expect(vault.write({ body: 'x' })).rejects.toMatchObject({
      reason: 'member_without_key',
      members: [bare.identity.did],
    })
    await bare.client.did.register()
    expect(await vault.write({ body: 'x' })).toMatchObject({ generation: 1 })
  })

  it('refuses a device: it has no key to open anything with', async () => {
    const { epoch, members } = await vaultOf(1)
    const { client } = await deviceFor(members[0], { capabilities: ['epochs:write'] })
    await expect(EpochVault.open(client, epoch)).rejects.toThrow('pass `identity`')
  })

  it('goes on without earlier notes if nobody is left who has their key', async () => {
    const { epoch, members } = await vaultOf(1)
    const ada = await vaultFor(members[0], epoch)
    const { noteId } = await ada.write({ body: 'lost' })
    const late = await joiner(epoch)
    await ada.leave()
    const vault = await vaultFor(late, epoch)
    await expect(vault.write({ body: 'x' })).rejects.toMatchObject({ reason: 'no_key_yet' })
    expect(await vault.rekey({ withoutEarlier: true })).toBe(2)
    expect(await vault.write({ body: 'x' })).toMatchObject({ generation: 2 })
    await expect(vault.read(noteId)).rejects.toMatchObject({ error: 'not_found' })
  })

  it('is only read once the epoch has closed, and not at all 30 days later', async () => {
    const { epoch, members } = await vaultOf(2)
    const [ada, bob] = await Promise.all(members.map((member) => vaultFor(member, epoch)))
    const { noteId } = await ada!.write({ body: 'kept' })
    await close(epoch)
    await expect(ada!.write({ body: 'x' })).rejects.toMatchObject({ error: 'vault_closed' })
    await expect(bob!.read(noteId)).resolves.toMatchObject({ body: 'kept' })
    await close(epoch, 30 * 86_400_000 - 60_000)
    await expect(bob!.read(noteId)).resolves.toMatchObject({ body: 'kept' })
    await close(epoch, 30 * 86_400_000)
    await expect(bob!.read(noteId)).rejects.toMatchObject({ error: 'not_found' })
  })

  it('loses a member that was deactivated, with its notes, and others write under a new key', async () => {
    const { epoch, members } = await vaultOf(2)
    const [ada, bob] = await Promise.all(members.map((member) => vaultFor(member, epoch)))
    const { noteId } = await ada!.write({ body: 'hers' })
    const { did, scope, epoch: rootEpoch } = members[0].identity
    const statement = {
      type: 'svc/did-deactivate/v1',
      realm: REALM,
      did,
      scope,
      epoch: rootEpoch,
      issuedAt: Date.now(),
    }
    const context = createExecutionContext()
    await recordRootStatements(env, context, did, [statement])
    await waitOnExecutionContext(context)
    await expect(bob!.read(noteId)).rejects.toMatchObject({ error: 'not_found' })
    expect(await bob!.write({ body: 'his' })).toMatchObject({ generation: 2 })
    expect((await bob!.members()).members).toHaveLength(1)
  })
})
