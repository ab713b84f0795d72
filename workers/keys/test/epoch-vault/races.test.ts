import { env } from 'cloudflare:workers'
import { statementHash } from '@svc/protocol/base/statement'
import { expectRefusal } from '@svc/service/testing'
import { expect, it } from 'vitest'
import { call, dataOf } from '../harness.ts'
import { joiner, publish, published, put, remove, signedKey, signedNote, vaultFor, vaultOf } from './vault.fixture.ts'

const TWENTY = Array.from({ length: 20 }, (_, index) => index)

it('of twenty keys at once one is published, with what its members get', async () => {
  const { epoch, members } = await vaultOf(2)
  const keys = await Promise.all(TWENTY.map((index) => signedKey(members[index % 2]!, epoch, members)))
  const answers = await Promise.all(keys.map((key, index) => publish(members[index % 2]!, epoch, key)))
  const won = answers.filter(({ status }) => status === 200)
  expect(won).toHaveLength(1)
  for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 'vault_generation_stale')
  const winner = keys[answers.indexOf(won[0]!)]!
  const { results } = await env.DB.prepare('SELECT wrap FROM epoch_vault_wraps WHERE epoch = ? ORDER BY did')
    .bind(epoch)
    .all()
  expect(results.map(({ wrap }) => JSON.parse(String(wrap)) as object)).toEqual(winner.wraps)
}, 30_000)

it('of twenty versions of a note at once one is stored', async () => {
  const { epoch, members } = await vaultOf(1)
  await published(members[0], epoch, members)
  const noteId = 'A'.repeat(22)
  const notes = await Promise.all(TWENTY.map(() => signedNote(members[0], epoch, { noteId })))
  const answers = await Promise.all(notes.map((note) => put(members[0], note)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 'vault_note_stale')
}, 30_000)

it('three members who write at once to a vault without a key all succeed, under one key', async () => {
  const { epoch, members } = await vaultOf(3)
  const vaults = await Promise.all(members.map((member) => vaultFor(member, epoch)))
  const written = await Promise.all(vaults.map((vault, index) => vault.write({ body: `${index}` })))
  expect(written.map(({ generation }) => generation)).toEqual([1, 1, 1])
  for (const [index, { noteId }] of written.entries())
    for (const vault of vaults) expect(await vault.read(noteId)).toMatchObject({ body: `${index}` })
}, 30_000)

it('no write under the old key is stored once a removal has been answered', async () => {
  const { epoch, members } = await vaultOf(2)
  const [ada, bob] = members as [(typeof members)[0], (typeof members)[0]]
  await published(ada, epoch, members)
  const notes = await Promise.all(TWENTY.map((index) => signedNote(index % 2 ? ada : bob, epoch)))
  let isRemoved = false
  const removal = remove(epoch, bob).then((answer) => {
    isRemoved = true
    return answer
  })
  const answers = await Promise.all(
    notes.map(async (note, index) => {
      if (index > 9) await removal
      const wasRemoved = isRemoved
      return { wasRemoved, answer: await put(index % 2 ? ada : bob, note) }
    }),
  )
  dataOf(await removal)
  for (const { wasRemoved, answer } of answers) if (wasRemoved) expect(answer.status).not.toBe(200)
  expect(answers.filter(({ wasRemoved }) => wasRemoved).length).toBeGreaterThanOrEqual(10)
  const left = await env.DB.prepare('SELECT count(*) AS n FROM epoch_vault_notes WHERE epoch = ? AND author = ?')
    .bind(epoch, bob.identity.did)
    .first<{ n: number }>()
  expect(left).toEqual({ n: 0 })
}, 30_000)

it('a key that was signed before a removal is refused after it, and so is one that overtakes a joiner', async () => {
  const { epoch, members } = await vaultOf(2)
  const [ada, bob] = members as [(typeof members)[0], (typeof members)[0]]
  const early = await signedKey(ada, epoch, members)
  dataOf(await remove(epoch, bob))
  expectRefusal(await publish(ada, epoch, early), 'vault_members_changed')
  const first = await published(ada, epoch, [ada])
  const next = await signedKey(ada, epoch, [ada], { generation: 2, previous: statementHash(first.key.statement) })
  const cleo = await joiner(epoch)
  expectRefusal(await publish(ada, epoch, next), 'vault_members_changed')
  expectRefusal(await put(ada, await signedNote(ada, epoch)), 'vault_rekey_needed')
  dataOf(await published(ada, epoch, [ada, cleo], first).then(() => call(cleo, 'GET', `/api/vault/${epoch}/keys`)))
})

it('leaving that fails half way changes nothing, and is repeated', async () => {
  const { epoch, members } = await vaultOf(2)
  await published(members[0], epoch, members)
  const failing = {
    DB: {
      prepare: (sql: string) => env.DB.prepare(sql.startsWith('DELETE FROM epoch_vault_notes') ? 'SELECT broken' : sql),
      batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
    },
  }
  const path = `/api/vault/${epoch}/leave`
  expectRefusal(await call(members[1]!, 'POST', path, { replaced: failing }), 'dependency_unavailable')
  expect(dataOf(await call(members[1]!, 'GET', `/api/vault/${epoch}/members`))).toMatchObject({ isCovered: true })
  dataOf(await call(members[1]!, 'POST', path))
  expectRefusal(await call(members[1]!, 'POST', path), 'not_found')
})
