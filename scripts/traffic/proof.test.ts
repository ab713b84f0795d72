import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PublishPackage } from '@svc/protocol/key-directory'
import { statementHash } from '@svc/protocol/statement'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Platform, startPlatform } from '../lib/platform.ts'
import { findFreePortBase } from '../lib/ports.ts'
import { send } from '../measure/load.ts'
import { Actor, createActors } from './actor.ts'
import { MIX } from './mix.ts'
import type { Planned } from './planned.ts'
import { faultsOfAll, faultsOfLogs, faultsOfReplay, headsOf } from './proof.ts'
import { sendWhenDue } from './run.ts'

const stateDir = mkdtempSync(join(tmpdir(), 'proof-'))
let begun: Platform | undefined
let actors: Actor[]

beforeAll(async () => {
  begun = await startPlatform({
    portBase: await findFreePortBase(23_000 + 10 * Math.floor(Math.random() * 500)),
    stateDir,
    onLog: () => {},
  })
  actors = await createActors(begun, 2)
  await one().resume(4)
}, 120_000)
afterAll(async () => {
  await begun?.stop()
  rmSync(stateDir, { recursive: true, force: true })
})

function one(): Actor {
  const [actor] = actors
  if (!actor) throw new Error('nobody')
  return actor
}

it.each([...MIX])('$name is answered as it is planned, once, and reads back', async (kind) => {
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

it('finds a log that does not extend what it was', async () => {
  const { client } = one().strangers
  const heads = await headsOf(client)
  expect(await faultsOfLogs(client, heads)).toEqual([])
  const root = 'ab'.repeat(48)
  const [anchors, directory] = [structuredClone(heads.anchors), structuredClone(heads.directory)]
  anchors.statement.root = root
  directory.statement.root = root
  expect(await faultsOfLogs(client, { anchors, directory })).toEqual([
    'the log of anchors does not extend what it was',
    'the log of the directory does not extend what it was',
  ])
})

/** What the proof says of a write that was acknowledged, to somebody who then finds nothing. */
const LOST: readonly (readonly [kind: string, says: string])[] = [
  ['append', 'block 4 was acknowledged and is not there'],
  ['note', '404 not_found'],
  ['inbox message', 'was acknowledged and is not there'],
  ['anchor', '404 not_found'],
  ['text', 'it was acknowledged and is registered at'],
  ['consent', 'act 1 was acknowledged and is not there'],
  ['quota use', '1 uses are counted, of 2 to 2'],
  ['package', 'another one was answered for 5'],
  ['prekey', 'it is another one now'],
]

it('has a sentence for every write', () => {
  expect(LOST.map(([name]) => name)).toEqual(MIX.filter(({ access }) => access === 'write').map(({ name }) => name))
})

it.each(LOST)('finds that an acknowledged %s is lost', async (name, says) => {
  const actor = await Actor.create(stage(), () => actors)
  await actor.resume(4)
  const [kept, , , lost] = await plans(actor, name, 4)
  const { status, body } = await send(kept!.request)
  expect(status).toBe(kept!.status)
  const answer: unknown = JSON.parse(body.toString())
  kept!.settle?.(answer)
  expect(await actor.faults()).toEqual([])
  // As if the service had answered, and what it answered for was gone.
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
  const leafId = statementHash(credential.statement)
  lost!.settle?.({ data: { ...answer.data, package: { ...answer.data.package, version, leafId, credential } } })
  expect(await actor.books.packages.faults()).toEqual([
    expect.stringContaining(`${version} was acknowledged, and ${version - 1} is there`),
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

function stage(): Platform {
  if (!begun) throw new Error('nothing runs')
  return begun
}
