import { send } from '@svc/platform/callers/send'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { statementHash } from '@svc/protocol/base/statement'
import { leafIdOf } from '@svc/protocol/keys/account-updates'
import type { PublishPackage } from '@svc/protocol/keys/directory'
import { beforeAll, expect, it } from 'vitest'
import { Actor, createActors } from './actor.ts'
import { MIX } from './mix.ts'
import type { Planned } from './planned.ts'
import { faultsOfAll, faultsOfLogs, faultsOfReplay, headsOf } from './proof.ts'
import { sendWhenDue } from './run.ts'

const stage = sharedPlatform()
let actors: Actor[]

beforeAll(async () => {
  actors = await createActors(stage, 2)
  await one().resume(4)
}, 120_000)

function one(): Actor {
  const [actor] = actors
  if (!actor) throw new Error('nobody')
  return actor
}

it.each([...MIX])('$name gets the expected response once, and reads back', async (kind) => {
  const [planned] = await plans(one(), kind.name, 1)
  const { samples, spent } = await sendWhenDue([{ ...planned!, kind }], [0])
  expect(samples).toMatchObject([{ outcome: 'answered' }])
  expect(await faultsOfReplay(spent)).toEqual([])
  expect(await faultsOfAll(actors)).toEqual([])
})

it('finds an assertion that was not spent', async () => {
  const [planned] = await plans(one(), 'head read', 1)
  expect(await faultsOfReplay([planned!.request])).toEqual(['a spent assertion at GET /api/chain/head: 200'])
})

it('finds a log that does not extend its earlier state', async () => {
  const { client } = one().strangers
  const heads = await headsOf(client)
  expect(await faultsOfLogs(client, heads)).toEqual([])
  const root = 'ab'.repeat(48)
  const [anchors, directory] = [structuredClone(heads.anchors), structuredClone(heads.directory)]
  anchors.statement.root = root
  directory.statement.root = root
  expect(await faultsOfLogs(client, { anchors, directory })).toEqual([
    'the log of anchors does not extend its earlier state',
    'the log of the directory does not extend its earlier state',
  ])
})

/** The fault that the proof reports for an acknowledged write that is missing. */
const LOST: readonly (readonly [kind: string, says: string])[] = [
  ['append', 'block 4 was acknowledged and is missing'],
  ['note', '404 not_found'],
  ['inbox message', 'was acknowledged and is missing'],
  ['anchor', '404 not_found'],
  ['text', 'was acknowledged and is now registered at'],
  ['consent', 'act 1 was acknowledged and is missing'],
  ['quota use', '1 uses were counted, expected 2 to 2'],
  ['package', 'another package was returned for 5'],
  ['prekey', 'has changed'],
]

it('covers every kind of write', () => {
  expect(LOST.map(([name]) => name)).toEqual(MIX.filter(({ access }) => access === 'write').map(({ name }) => name))
})

it.each(LOST)('finds that an acknowledged %s is lost', async (name, says) => {
  const actor = await Actor.create(stage, () => actors)
  await actor.resume(4)
  const [kept, , , lost] = await plans(actor, name, 4)
  const { status, body } = await send(kept!.request)
  expect(status).toBe(kept!.status)
  const answer: unknown = JSON.parse(body.toString())
  kept!.settle?.(answer)
  expect(await actor.faults()).toEqual([])
  // As if the service had acknowledged a write and lost it.
  lost!.settle?.(answer)
  expect((await actor.faults()).join('; ')).toContain(says)
})

it('finds that the directory shows an older package than it acknowledged', async () => {
  const actor = one()
  const [kept, lost] = await plans(actor, 'package', 2)
  const answer = JSON.parse((await send(kept!.request)).body.toString()) as { data: { package: object } }
  kept!.settle?.(answer)
  expect(await actor.faults()).toEqual([])
  const { credential } = JSON.parse(new TextDecoder().decode(lost!.request.body)) as PublishPackage
  const { version } = credential.statement
  const leafId = leafIdOf('0'.repeat(64), statementHash(credential.statement))
  lost!.settle?.({ data: { ...answer.data, package: { ...answer.data.package, version, leafId, credential } } })
  expect(await actor.books.packages.faults()).toEqual([
    expect.stringContaining(`${version} was acknowledged, but ${version - 1} is current`),
  ])
})

async function plans(actor: Actor, name: string, count: number): Promise<Planned[]> {
  const kind = MIX.find((known) => known.name === name)
  const planned: Planned[] = []
  while (planned.length < count) {
    const next = await kind?.plan(actor)
    if (!next) throw new Error('nothing is planned')
    planned.push(next)
  }
  return planned
}
