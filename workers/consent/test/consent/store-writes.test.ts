/**
 * A store decides by `decideWrite`, in the transaction that writes: on every state it takes what the rule lets through, whole,
 * and nothing else. What the rule says of each state is in `src/consent/rules.test.ts`.
 *
 * @module
 */
import { type ACTIONS, MAX_ACTS } from '@svc/protocol/consent/consent'
import { expect, it } from 'vitest'
import { decideWrite } from '../../src/consent/rules.ts'
import type { NewAct } from '../../src/store/records.ts'
import { actOn, stores } from '../acts.fixture.ts'
import { freshHash } from '../harness.ts'
import { inStoreOf } from '../stores.fixture.ts'

type Action = (typeof ACTIONS)[number]

const [ALICE, BOB] = ['A', 'B'].map((letter) => `did:svc:${letter.repeat(32)}`) as [string, string]

const act = (hash: string, action: Action, changed: Partial<NewAct> = {}) => actOn(hash, ALICE, action, changed)

const HISTORIES: readonly (readonly Action[])[] = [
  [],
  ['create'],
  ['create', 'update'],
  ['create', 'delete'],
  ['create', 'update', 'delete'],
  ['create', 'delete', 'create'],
]
/** Whose write it is, and which signature: one that nobody has seen, or that of an act of the record. */
const WRITERS = [
  { by: ALICE, signature: 'new' },
  { by: ALICE, signature: 'first' },
  { by: ALICE, signature: 'last' },
  { by: BOB, signature: 'new' },
  { by: BOB, signature: 'last' },
] as const
/** What is done to the record by hand after its history. */
const CHANGES = [
  ['as it is', null],
  ['one act below the limit', `UPDATE records SET version = ${MAX_ACTS - 1} WHERE identifier_hash = ?`],
  ['at the limit', `UPDATE records SET version = ${MAX_ACTS} WHERE identifier_hash = ?`],
  ['without an owner', 'UPDATE records SET creator_did = NULL, creator_hash = NULL WHERE identifier_hash = ?'],
] as const

async function recordOf(history: readonly Action[], change: string | null) {
  const hash = freshHash()
  const acts = history.map((action) => act(hash, action))
  for (const one of acts) await stores.write(one, 1_000)
  if (change !== null) await inStoreOf(hash, change)
  return { hash, acts }
}

const countActs = async (hash: string) =>
  (await inStoreOf(hash, 'SELECT a.id FROM acts a JOIN records r ON r.id = a.record WHERE r.identifier_hash = ?'))
    .length

interface Case {
  readonly history: readonly Action[]
  readonly action: Action
  readonly writer: (typeof WRITERS)[number]
}

const CASES: readonly Case[] = HISTORIES.flatMap((history) =>
  (['create', 'update', 'delete'] as const).flatMap((action) => WRITERS.map((writer) => ({ history, action, writer }))),
)

/** What the rule says of a write. The store takes it then, whole, or leaves everything as it was. */
async function judge({ history, action, writer }: Case, change: string | null): Promise<string> {
  const { hash, acts } = await recordOf(history, change)
  const known = { new: undefined, first: acts[0], last: acts.at(-1) }[writer.signature]
  const tried = act(hash, action, { creatorDid: writer.by, ...(known ? { actHash: known.actHash } : {}) })
  const standing = await stores.find(hash, tried.actHash)
  const decision = decideWrite(standing, tried)
  const left = await stores.write(tried, 2_000)
  const told = `${history.join()}; ${action} by ${writer.by}, ${writer.signature}: ${JSON.stringify(decision)}`
  const isWritten = decision.is === 'proceed'
  expect(await countActs(hash), told).toBe(acts.length + Number(isWritten))
  if (isWritten) expect(left, told).toMatchObject({ version: (standing?.version ?? 0) + 1, lastAct: tried.actHash })
  else expect(left && { ...left, remembersAct: false }, told).toEqual(standing && { ...standing, remembersAct: false })
  return decision.is
}

it.each(CHANGES)('a record %s takes what the rule lets through, and nothing else', async (_, change) => {
  const decisions = await Promise.all(CASES.map((one) => judge(one, change)))
  expect(new Set(decisions).size).toBeGreaterThan(1)
})
