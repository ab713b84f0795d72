import type { VaultGenerations } from '@svc/protocol/keys/epoch-vault'
import { callerOf } from '@svc/testing'
import { expect, it } from 'vitest'
import { ORIGIN, passOn } from '../harness.ts'
import { joiner, vaultFor, vaultOf } from './vault.fixture.ts'

type Change = (body: { data: Record<string, never> }) => void

/** Two members with a note; the client of the second sees what `change` makes of the answers to this path. */
async function lied(path: RegExp) {
  const { epoch, members } = await vaultOf(2)
  const ada = await vaultFor(members[0], epoch)
  const { noteId } = await ada.write({ title: 'Plan', body: 'Meet at noon' })
  let change: Change | null = null
  const { client } = callerOf(members[1]!.identity, {
    origin: ORIGIN,
    fetch: async (request) => {
      const answer = await passOn(request)
      if (!change || !path.test(new URL(request.url).pathname)) return answer
      const body: { data: Record<string, never> } = await answer.json()
      change(body)
      return Response.json(body, { status: answer.status })
    },
  })
  const bob = await vaultFor({ ...members[1]!, client }, epoch)
  const lie = (next: Change) => {
    change = next
  }
  return { epoch, ada, bob, noteId, lie }
}

it('a note whose ciphertext, author or version the service changed is not believed', async () => {
  const { bob, noteId, lie } = await lied(/\/notes\//)
  lie(({ data }) => Object.assign(data, { ciphertextB64u: 'A'.repeat(400) }))
  await expect(bob.read(noteId)).rejects.toMatchObject({ subject: 'epochVault', reason: 'hash_mismatch' })
  const statement =
    (members: object): Change =>
    ({ data }) => {
      Object.assign((data as unknown as { note: { statement: object } }).note.statement, members)
    }
  lie(statement({ version: 7 }))
  await expect(bob.read(noteId)).rejects.toMatchObject({ reason: 'invalid_signature' })
  lie(statement({ author: `did:svc:${'AAAA'.repeat(8)}` }))
  await expect(bob.read(noteId)).rejects.toMatchObject({ reason: 'wrong_owner' })
  lie(statement({ epoch: 999 }))
  await expect(bob.read(noteId)).rejects.toMatchObject({ reason: 'different_answer' })
  lie(() => {})
  expect(await bob.read(noteId)).toMatchObject({ body: 'Meet at noon' })
})

it('an older key than before, a changed one or a withheld one is not believed', async () => {
  const { epoch, ada, bob, noteId, lie } = await lied(/\/keys$/)
  const keys =
    (edit: (page: VaultGenerations) => void): Change =>
    ({ data }) =>
      edit(data as unknown as VaultGenerations)
  lie(keys(({ generations }) => Object.assign(generations[0]!, { wrap: null })))
  await expect(bob.read(noteId)).rejects.toMatchObject({ reason: 'left_out' })
  lie(keys(({ generations }) => Object.assign(generations[0]!.key.statement, { keyHash: 'a7'.repeat(48) })))
  await expect(bob.read(noteId)).rejects.toMatchObject({ reason: 'invalid_signature' })
  lie(() => {})
  expect(await bob.read(noteId)).toMatchObject({ body: 'Meet at noon' })
  await joiner(epoch)
  expect(await ada.rekey()).toBe(2)
  expect(await bob.read(noteId)).toMatchObject({ body: 'Meet at noon' })
  lie(keys(({ generations }) => void generations.splice(0, 1)))
  await expect(bob.read(noteId)).rejects.toMatchObject({ reason: 'rollback' })
  lie(keys(({ generations }) => Object.assign(generations[0]!.key.statement, { issuedAt: 1 })))
  await expect(bob.read(noteId)).rejects.toMatchObject({ reason: 'fork' })
  lie(keys(({ generations }) => Object.assign(generations[0]!.key.statement, { epoch: 999 })))
  await expect(bob.read(noteId)).rejects.toMatchObject({ reason: 'different_answer' })
})
