import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Platform, startPlatform } from '../lib/platform.ts'
import { findFreePortBase } from '../lib/ports.ts'
import { send } from '../measure/load.ts'
import { Actor, createActors } from './actor.ts'
import { type Kind, MIX } from './mix.ts'
import type { Planned } from './planned.ts'
import { faultsOfAll, faultsOfReplay } from './proof.ts'
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

async function plan(kind: Kind): Promise<Planned> {
  const planned = await kind.plan(one())
  if (!planned) throw new Error('nothing is planned')
  return planned
}

it.each(MIX)('$name is answered as it is planned, once, and reads back', async (kind) => {
  const { samples, spent } = await sendWhenDue([{ ...(await plan(kind)), kind }], [0])
  expect(samples).toMatchObject([{ outcome: 'answered' }])
  expect(await faultsOfReplay(spent)).toEqual([])
  expect(await faultsOfAll(actors)).toEqual([])
})

it('finds an assertion that was not spent', async () => {
  const { request } = await plan(MIX.find(({ name }) => name === 'head read') ?? MIX[0]!)
  expect(await faultsOfReplay([request])).toEqual(['a spent assertion at GET /api/chain/head: 200'])
})

it.each(MIX.filter(({ access }) => access === 'write'))('finds that an acknowledged $name is lost', async (kind) => {
  const actor = await Actor.create(stage(), () => actors)
  await actor.resume(2)
  const [kept, lost] = [await kind.plan(actor), await kind.plan(actor)]
  if (!kept?.settle || !lost?.settle) throw new Error('nothing is planned')
  const { status, body } = await send(kept.request)
  expect(status).toBe(kept.status)
  const answer: unknown = JSON.parse(body.toString())
  kept.settle(answer)
  expect(await actor.faults()).toEqual([])
  // As if the service had answered, and what it answered for was gone.
  lost.settle(answer)
  expect(await actor.faults()).not.toEqual([])
})

function stage(): Platform {
  if (!begun) throw new Error('nothing runs')
  return begun
}
