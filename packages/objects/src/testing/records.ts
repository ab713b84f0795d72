import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { expect, vi } from 'vitest'
import { FACTS_TABLE } from '../facts.ts'
import { CHANGED_KEYS_TABLE } from '../records/changed-keys.ts'
import { RECORD_DELAY_MS, type RebuildOptions, type Rebuilt, type RecordPlan } from '../records/index.ts'
import { tableNames } from '../sql.ts'
import type { VersionedObject } from '../versioned-object.ts'

/** Nobody signed the rows of a seed. */
export function unproved(instance: Recorded): Recorded {
  if ('proveRebuilt' in instance) instance.proveRebuilt = null
  return instance
}

/** What the objects of a recorded class have in common. */
export type Recorded = VersionedObject & {
  readonly keepRecords: () => Promise<boolean>
  rebuildFromRecords(options: RebuildOptions): Promise<Rebuilt | 'failed'>
}

/** The tables that a plan names, and how. */
export function tablesOfPlan({ appended = {}, keyed = [], leftOut = [], erased, lasting }: RecordPlan): string[] {
  return [...new Set([...Object.keys(appended), ...keyed, ...leftOut, ...erased, ...lasting])]
}

/** The tables that a plan names as left out, erased or lasting. */
export function judgedTables({ leftOut = [], erased, lasting }: RecordPlan): string[] {
  return [...leftOut, ...erased, ...lasting].toSorted()
}

/**
 * Records an object with rows in every table, loses it and rebuilds it; then again after a row of each table has changed.
 * `rebuilt` are tables whose rows a rebuild changes on purpose.
 */
export async function expectRebuilt(
  stub: DurableObjectStub,
  plan: RecordPlan,
  rebuilt: readonly string[],
): Promise<void> {
  const object = stub as DurableObjectStub<Recorded>
  const compared = (table: string) => !rebuilt.includes(table)
  const tables = await inObject(object, ({ stored: { sql } }) => tableNames(sql, '*'))
  // Its rows were not written by the object, which has not noticed them.
  await inObject(object, ({ stored }) => {
    const facts = stored.sql.exec<{ name: string }>(`SELECT name FROM ${FACTS_TABLE}`).toArray()
    for (const { name } of facts) if (name !== 'schema') stored.facts.put(name, stored.facts.get(name))
  })
  await recordLoseAndRebuild(object, plan, compared)
  await inObject(object, ({ stored: { sql } }) => {
    for (const table of tables) {
      const isGrowing = plan.appended?.[table] !== undefined
      const isLeft = [FACTS_TABLE, CHANGED_KEYS_TABLE].includes(table) || table.startsWith('nonces_') || isGrowing
      if (!isLeft) sql.exec(`DELETE FROM "${table}"`)
    }
  })
  await recordLoseAndRebuild(object, plan, compared)
}

async function recordLoseAndRebuild(
  object: DurableObjectStub<Recorded>,
  plan: RecordPlan,
  compared: (table: string) => boolean,
): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + RECORD_DELAY_MS })
  try {
    expect(await inObject(object, (instance) => instance.keepRecords())).toBe(true)
    const before = await stateOf(object, plan, compared)
    await inObject(object, ({ stored }) => stored.deleteAll())
    await evictDurableObject(object)
    const rebuild = { replaces: false, lostAt: Date.now() }
    expect(await inObject(object, (instance) => unproved(instance).rebuildFromRecords(rebuild))).toBe('rebuilt')
    expect(await stateOf(object, plan, compared)).toEqual(before)
  } finally {
    vi.useRealTimers()
  }
}

/** Rows of every table that is recorded, as text. */
function stateOf(object: DurableObjectStub<Recorded>, plan: RecordPlan, compared: (table: string) => boolean) {
  return inObject(object, ({ stored: { sql } }) =>
    tableNames(sql, '*')
      .filter((table) => table !== CHANGED_KEYS_TABLE && !table.startsWith('nonces_'))
      .filter((table) => !plan.leftOut?.includes(table) && compared(table))
      .map((table) => {
        const rows = sql.exec(`SELECT * FROM "${table}"`).toArray()
        const kept =
          table === FACTS_TABLE ? rows.filter(({ name }) => typeof name === 'string' && isKept(plan, name)) : rows
        return [table, kept.map((row) => JSON.stringify(row, bytesAsNumbers)).toSorted()]
      }),
  )
}

export function bytesAsNumbers(_key: string, value: unknown): unknown {
  return value instanceof ArrayBuffer ? [...new Uint8Array(value)] : value
}

function isKept(plan: RecordPlan, fact: string): boolean {
  return !['records', 'noncesForgotten', 'noncesFrom'].includes(fact) && !plan.leftOutFacts?.includes(fact)
}

export function inObject<R>(object: DurableObjectStub<Recorded>, work: (instance: Recorded) => R): Promise<Awaited<R>> {
  return runInDurableObject(object, async (instance) => work(instance)) as Promise<Awaited<R>>
}
