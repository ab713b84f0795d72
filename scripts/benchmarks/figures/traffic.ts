import { writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Platform } from '@svc/platform'
import { type Actor, createActors } from '../traffic/actor.ts'
import { latencyChart } from '../traffic/chart.ts'
import { loseTable } from '../traffic/lost-table.ts'
import { MIX, planRequests } from '../traffic/mix.ts'
import { faultsOfAll } from '../traffic/proof.ts'
import { arrivals, type Random, seededRandom } from '../traffic/random.ts'
import { type Sample, sendWhenDue } from '../traffic/run.ts'
import { errorsOf, type Summary, slicesOf, summarize, tableOf } from '../traffic/summary.ts'
import { Upheavals } from '../traffic/upheavals.ts'
import type { Figure, Measured } from './figure.ts'

export interface TrafficOptions {
  /** Average requests per second. */
  readonly rate: number
  readonly seconds: number
  readonly seed: number
  /** The file for the chart. */
  readonly chart: string | undefined
  /** Rolls both logs and moves a bucket while the load runs. */
  readonly upheavals: boolean
  /** Takes a table away while the load runs. */
  readonly fault: boolean
}

/** As after the theft of a seed. */
export const NEXT_SEED_VERSION = 2

const IDENTITIES = 24
/** Sent before the measurement, to compile code, wake objects and fill caches. */
const WARM_UP = 200
const MESSAGES_EACH = 3
/** One request in a thousand may fail. */
const ERROR_BUDGET = 0.001
/** Each request takes two signatures of 1.3 ms and memory, both before the start; for more requests, use several runs. */
const MAX_REQUESTS = 20_000

/** Mixed reads and writes over all eight Workers, sent at their scheduled times. Reads back every acknowledged write. */
export async function measureTraffic(platform: Platform, options: TrafficOptions): Promise<Measured> {
  const { rate, seconds, seed } = options
  const count = Math.round(rate * seconds)
  if (!(count > 0 && count <= MAX_REQUESTS))
    throw new Error(`a run has 1 to ${MAX_REQUESTS} requests, not ${count}: change --rate or --seconds`)
  const random = seededRandom(seed)
  const actors = await createActors(platform, IDENTITIES)
  for (const actor of actors) await actor.resume(MESSAGES_EACH)
  await sendWhenDue(await planRequests(actors, WARM_UP, random), arrivals(WARM_UP, rate, random))
  const planned = await planRequests(actors, count, random)
  const startedAt = performance.now()
  const upheavals = options.upheavals ? upheaveDuring(platform, actors, seconds, random) : null
  const fault = options.fault ? loseTable(platform, seconds) : undefined
  const { samples } = await sendWhenDue(planned, arrivals(count, rate, random))
  const unfinished = (await upheavals) ?? []
  await fault
  const took = (performance.now() - startedAt) / 1000

  const names = MIX.map(({ name }) => name)
  const summaries = summarize(samples, names, took)
  const title = `Mixed load: ${count} requests by ${IDENTITIES} identities`
  const subtitle = `due at ${rate} per second on average, answered in ${took.toFixed(1)} s; seed ${seed}`
  if (options.chart !== undefined)
    writeFileSync(options.chart, latencyChart(title, subtitle, summaries, slicesOf(samples)))
  const faults = [...unfinished, ...(await faultsOfAll(actors))]
  const writes = actors.flatMap(({ everyBook }) => everyBook).reduce((sum, { acknowledged }) => sum + acknowledged, 0)
  return {
    figures: [budgetFigure(samples), readBackFigure(faults, writes), tailFigure(summaries)],
    table: tableOf(`${title}, ${subtitle}`, summaries),
  }
}

/** At a third and at two thirds of the time. The next log of the directory has a key of another seed. */
async function upheaveDuring(
  platform: Platform,
  actors: readonly Actor[],
  seconds: number,
  random: Random,
): Promise<string[]> {
  const [first] = actors
  if (!first) return []
  const upheavals = new Upheavals(platform, first.strangers.client, { transparency: NEXT_SEED_VERSION })
  const unfinished: string[] = []
  for (const what of ['roll of anchors', 'roll of the directory'] as const) {
    await setTimeout((seconds * 1000) / 3)
    await upheavals.prepare(random, what)
    await upheavals.begin()
    unfinished.push(...(await upheavals.finish()))
  }
  await platform.reportRolls()
  const { done } = upheavals
  return done.split(', ').length === 2 ? unfinished : [...unfinished, `only ${done} of two acts`]
}

function budgetFigure(samples: readonly Sample[]): Figure {
  const errors = samples.filter(({ outcome }) => outcome !== 'answered').length
  return {
    name: `share of errors / budget of ${ERROR_BUDGET * 100} %`,
    ratio: errors / samples.length / ERROR_BUDGET,
    bar: { limit: 1, good: 'at most' },
    detail:
      errors === 0 ? `none in ${samples.length}` : `${errors} in ${samples.length}: ${errorsOf(samples).join('; ')}`,
  }
}

function readBackFigure(faults: readonly string[], writes: number): Figure {
  return {
    name: `writes that do not read back / ${writes} acknowledged`,
    ratio: faults.length / writes,
    bar: { limit: 0, good: 'at most' },
    detail: faults.length === 0 ? 'each is complete and unique' : faults.slice(0, 5).join('; ').slice(0, 500),
  }
}

function tailFigure(summaries: readonly Summary[]): Figure {
  const all = summaries.at(-1)
  const [p50 = Number.NaN, p99 = Number.NaN] = [all?.p50, all?.p99]
  return { name: 'p99 / p50 of all', ratio: p99 / p50, detail: `${p99.toFixed(1)} ms / ${p50.toFixed(1)} ms` }
}
