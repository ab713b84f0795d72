import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@svc/client'
import { loadDevSecrets } from '../lib/dev-secrets.ts'
import { KillablePlatform } from '../lib/killable-platform.ts'
import { LocalMail } from '../lib/local-mail.ts'
import { mailFolder, urlsOf } from '../lib/platform.ts'
import { findFreePortBase } from '../lib/ports.ts'
import { type LoadRequest, median } from '../measure/load.ts'
import { type Actor, createActors } from './actor.ts'
import { type Kind, planRequests } from './mix.ts'
import { faultsOfAll, faultsOfLogs, faultsOfReplay, type Heads, headsOf } from './proof.ts'
import { arrivals, type Random, seededRandom } from './random.ts'
import { sendWhenDue } from './run.ts'
import { errorsOf } from './summary.ts'

export interface FaultOptions {
  readonly kills: number
  /** Decides what is asked for, by whom, when, and when the runtime is killed. */
  readonly seed: number
  readonly onStep?: (line: string) => void
}

export interface FaultReport {
  /** As sentences; none when everything holds. */
  readonly faults: readonly string[]
  readonly acknowledged: number
  /** Writes that were under way when the runtime was killed. */
  readonly unheard: number
  /** Of these, those that were there all the same. */
  readonly taken: number
  readonly replayed: number
}

const IDENTITIES = 6
const MESSAGES_EACH = 1
/** In a second: more than one machine answers, so that as many are under way as may be. */
const RATE = 250
/** Under way: few are all between two steps when the kill comes, of many most still wait for their first one. */
const AT_ONCE = [3, 8, 16, 40] as const
const REQUESTS_OF_A_ROUND = 200
const MOST_WRITES = 60
/** Of the median time of a write: the first steps of one change nothing, and after the last one it is answered. */
const [EARLIEST, LATEST] = [0.3, 1.2]
const PORTS_FROM = 20_000

/**
 * Mixed load on a platform that is killed at random moments, started again on the same state, and asked for everything
 * that it has acknowledged. Ends with the first kill after which something does not hold.
 */
export async function runFaults({ kills, seed, onStep = () => {} }: FaultOptions): Promise<FaultReport> {
  const random = seededRandom(seed)
  const stateDir = mkdtempSync(join(tmpdir(), 'faults-'))
  const portBase = await findFreePortBase(PORTS_FROM + 10 * Math.floor(Math.random() * 1000))
  let platform = await KillablePlatform.start(portBase, stateDir)
  try {
    const [urls, secrets, mail] = [urlsOf(portBase), loadDevSecrets(stateDir), new LocalMail(mailFolder(stateDir))]
    const actors = await createActors({ urls, secrets, mail }, IDENTITIES)
    const faults: string[] = []
    let replayed = 0
    for (let kill = 1; kill <= kills && faults.length === 0; kill++) {
      for (const actor of actors) await actor.resume(MESSAGES_EACH)
      const heads = await headsOf(anyoneOf(actors))
      const { spent, answers, refusals } = await loadUntilKilled(platform, actors, random)
      platform = await KillablePlatform.start(portBase, stateDir)
      replayed += spent.length
      const found = [...refusals, ...(await faultsAfter(actors, spent, heads))]
      faults.push(...found.map((fault) => `kill ${kill}: ${fault}`))
      const { acknowledged, unheard, taken } = totals(actors)
      onStep(
        `kill ${kill} after ${answers} answers; so far ${acknowledged} writes acknowledged, ${unheard} unheard of, ${taken} of these taken`,
      )
    }
    return { faults, replayed, ...totals(actors) }
  } catch (error) {
    throw new Error(`with the seed ${seed}: ${String(error)}`, { cause: error })
  } finally {
    await platform.kill()
    rmSync(stateDir, { recursive: true, force: true })
  }
}

/** Assertions first: nothing that the proofs write may be what makes them spent. */
async function faultsAfter(actors: readonly Actor[], spent: readonly LoadRequest[], heads: Heads): Promise<string[]> {
  const replays = await faultsOfReplay(spent)
  const logs = await faultsOfLogs(anyoneOf(actors), heads)
  return [...replays, ...logs, ...(await faultsOfAll(actors))]
}

function anyoneOf([first]: readonly Actor[]): Client {
  if (!first) throw new Error('nobody acts')
  return first.strangers.client
}

/**
 * Kills while a write is on its way: so long after one was sent, against the time that writes have taken in this round. What
 * the moment meets is chance, also under the same seed.
 */
async function loadUntilKilled(platform: KillablePlatform, actors: readonly Actor[], random: Random) {
  const planned = await planRequests(actors, REQUESTS_OF_A_ROUND, random)
  const due = arrivals(planned.length, RATE, random)
  const atOnce = AT_ONCE[Math.floor(random() * AT_ONCE.length)] ?? 1
  const writesBefore = Math.ceil(random() * MOST_WRITES)
  const share = EARLIEST + (LATEST - EARLIEST) * random()
  const ended = new AbortController()
  const kill = async (milliseconds: number) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    ended.abort()
    await platform.kill()
  }
  const times: number[] = []
  let [answers, writes] = [0, 0]
  let killing: Promise<void> | undefined
  const onSend = ({ access }: Kind) => {
    if (access === 'write') writes += 1
    if (access === 'write' && writes >= writesBefore) killing ??= kill(share * (times.length > 0 ? median(times) : 0))
  }
  const onAnswer = ({ access }: Kind, milliseconds: number) => {
    answers += 1
    if (access === 'write') times.push(milliseconds)
  }
  const { samples, spent } = await sendWhenDue(planned, due, { ended: ended.signal, atOnce, onSend, onAnswer })
  await (killing ?? kill(0))
  // What breaks off, or is too late on a busy machine, says nothing; an answer that nobody expects does.
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
