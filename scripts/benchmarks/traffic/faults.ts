import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@svc/client'
import { urlsOf } from '@svc/platform'
import type { LoadRequest } from '@svc/platform/callers/send'
import { loadDevSecrets } from '@svc/platform/dev-secrets'
import { KillablePlatform } from '@svc/platform/killable-platform'
import { LocalMail, mailFolder } from '@svc/platform/local/mail'
import { reservePortBase } from '@svc/platform/ports'
import { median } from '../figures/load.ts'
import { type Actor, createActors } from './actor.ts'
import { type Kind, planRequests } from './mix.ts'
import { faultsOfAll, faultsOfLogs, faultsOfReplay, type Heads, headsOf } from './proof.ts'
import { arrivals, type Random, seededRandom } from './random.ts'
import { sendWhenDue } from './run.ts'
import { errorsOf } from './summary.ts'
import { Upheavals } from './upheavals.ts'

export interface FaultOptions {
  readonly kills: number
  /** Determines the requests, who sends them, when, and when the platform is killed. */
  readonly seed: number
  readonly onStep?: (line: string) => void
}

export interface FaultReport {
  /** A sentence for each fault. */
  readonly faults: readonly string[]
  readonly acknowledged: number
  /** Writes that were in flight when the platform was killed. */
  readonly unheard: number
  /** How many of these were applied. */
  readonly taken: number
  readonly replayed: number
  /** Rolls of logs that were completed. */
  readonly upheavals: string
}

const IDENTITIES = 6
const MESSAGES_EACH = 1
/** Per second: more than one machine can serve, so that the limit of requests in flight is always reached. */
const RATE = 250
/** In flight. With few, all are between two steps at the kill; with many, most still wait for their first step. */
const AT_ONCE = [3, 8, 16, 40] as const
const REQUESTS_OF_A_ROUND = 200
/** Answered before the kill. */
const [FEWEST_WRITES, MOST_WRITES] = [5, 50] as const
/** As a share of a write's median time: its first steps change nothing, and after the last it is answered. */
const [EARLIEST, LATEST] = [0.3, 1.2]

/**
 * Runs a mixed load on a platform, kills it at random moments, restarts it on the same state and checks everything that
 * it has acknowledged. In each round a log is rolled. Stops at the first kill that causes a fault.
 */
export async function runFaults({ kills, seed, onStep = () => {} }: FaultOptions): Promise<FaultReport> {
  const random = seededRandom(seed)
  const stateDir = mkdtempSync(join(tmpdir(), 'faults-'))
  const portBase = await reservePortBase()
  let platform = await KillablePlatform.start(portBase, stateDir)
  try {
    const [urls, secrets, mail] = [urlsOf(portBase), loadDevSecrets(stateDir), new LocalMail(mailFolder(stateDir))]
    const actors = await createActors({ urls, secrets, mail }, IDENTITIES)
    const upheavals = new Upheavals({ urls, secrets, mail }, anyoneOf(actors))
    const faults: string[] = []
    let replayed = 0
    for (let kill = 1; kill <= kills && faults.length === 0; kill++) {
      for (const actor of actors) await actor.resume(MESSAGES_EACH)
      const heads = await headsOf(anyoneOf(actors))
      const { spent, answers, refusals } = await loadUntilKilled(platform, actors, upheavals, random)
      platform = await KillablePlatform.start(portBase, stateDir)
      replayed += spent.length
      const unfinished = await upheavals.finish()
      const found = [...refusals, ...unfinished, ...(await faultsAfter(actors, spent, heads))]
      faults.push(...found.map((fault) => `kill ${kill}: ${fault}`))
      const { acknowledged, unheard, taken } = totals(actors)
      onStep(
        `kill ${kill} after ${answers} answers; so far ${acknowledged} writes acknowledged, ${unheard} unanswered, ${taken} of these applied; ${upheavals.done}`,
      )
    }
    return { faults, replayed, upheavals: upheavals.done, ...totals(actors) }
  } catch (error) {
    throw new Error(`with the seed ${seed}: ${String(error)}`, { cause: error })
  } finally {
    await platform.kill()
    rmSync(stateDir, { recursive: true, force: true })
  }
}

/** Checks assertions first, so that the writes of the proofs cannot be what spent them. */
async function faultsAfter(actors: readonly Actor[], spent: readonly LoadRequest[], heads: Heads): Promise<string[]> {
  const replays = await faultsOfReplay(spent)
  const logs = await faultsOfLogs(anyoneOf(actors), heads)
  return [...replays, ...logs, ...(await faultsOfAll(actors))]
}

function anyoneOf([first]: readonly Actor[]): Client {
  if (!first) throw new Error('there are no actors')
  return first.strangers.client
}

/**
 * Kills while a write and a roll are under way, after a share of the time that writes took in this round. What the kill interrupts is
 * random even with the same seed.
 */
async function loadUntilKilled(
  platform: KillablePlatform,
  actors: readonly Actor[],
  upheavals: Upheavals,
  random: Random,
) {
  const planned = await planRequests(actors, REQUESTS_OF_A_ROUND, random)
  const due = arrivals(planned.length, RATE, random)
  const atOnce = AT_ONCE[Math.floor(random() * AT_ONCE.length)] ?? 1
  const writesBefore = FEWEST_WRITES + Math.floor(random() * (MOST_WRITES - FEWEST_WRITES))
  const share = EARLIEST + (LATEST - EARLIEST) * random()
  const ended = new AbortController()
  await upheavals.prepare(random)
  const kill = async (milliseconds: number) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    ended.abort()
    await platform.kill()
  }
  const times: number[] = []
  let answers = 0
  let killing: Promise<void> | undefined
  let upheaval: Promise<void> | undefined
  const onSend = ({ access }: Kind) => {
    if (access !== 'write' || times.length < writesBefore) return
    // Under way at the kill, like the writes.
    upheaval ??= upheavals.begin()
    killing ??= kill(share * median(times))
  }
  const onAnswer = ({ access }: Kind, milliseconds: number) => {
    answers += 1
    if (access === 'write') times.push(milliseconds)
  }
  const { samples, spent } = await sendWhenDue(planned, due, { ended: ended.signal, atOnce, onSend, onAnswer })
  await (killing ?? kill(0))
  await upheaval
  // A broken connection or a time-out proves nothing; an unexpected response does.
  const answered = samples.filter(({ outcome }) => outcome === 'refused' || outcome === 'failed')
  return { spent, answers, refusals: errorsOf(answered) }
}

function totals(actors: readonly Actor[]) {
  const books = actors.flatMap(({ everyBook }) => everyBook)
  return {
    acknowledged: books.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    unheard: books.reduce((sum, { unanswered }) => sum + unanswered, 0),
    taken: books.reduce((sum, { taken }) => sum + taken, 0),
  }
}
