import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { rebuildAnchors } from '@svc/operations/rebuild-anchors'
import { rebuildObjects, rebuildOf } from '@svc/operations/rebuild-objects'
import { mailFolder, urlsOf } from '@svc/platform'
import type { LoadRequest } from '@svc/platform/callers/send'
import { loadDevSecrets } from '@svc/platform/dev-secrets'
import { KillablePlatform } from '@svc/platform/killable-platform'
import { LocalMail } from '@svc/platform/local/mail'
import { reservePortBase } from '@svc/platform/ports'
import { type Actor, createActors } from '../traffic/actor.ts'
import { planRequests } from '../traffic/mix.ts'
import { faultsOfAll, faultsOfLogs, faultsOfReplay, type Heads, headsOf } from '../traffic/proof.ts'
import { arrivals, type Random, seededRandom } from '../traffic/random.ts'
import { sendWhenDue } from '../traffic/run.ts'
import { errorsOf } from '../traffic/summary.ts'
import type { Command, Loss } from './losses.ts'
import { StateFolder } from './state-folder.ts'

export interface DrillOptions {
  readonly losses: readonly Loss[]
  readonly identities: number
  /** Before the snapshot, and again after it. */
  readonly requests: number
  readonly seed: number
  readonly onStep?: (line: string) => void
}

export interface Row {
  readonly lost: string
  readonly restoredFrom: string
  /** Writes that were acknowledged before the loss, and assertions that were spent. */
  readonly acknowledged: number
  readonly replayed: number
  /** A sentence for each acknowledged write that is missing or has changed. */
  readonly missing: readonly string[]
  /** The same for what nobody wrote, or what is there twice, and for assertions that were accepted again. */
  readonly doubled: readonly string[]
}

/** What the page on restore promises: a change is recorded after this time. */
const RECORDED_WITHIN_MS = 60_000
/** Core accepts clocks that are this far off, so what was signed until then may have been spent. */
const SKEW_MS = 120_000
const REFUSED_AFTER_A_REBUILD = ['assertion_replay', 'assertion_expired', 'unauthorized'] as const
const RATE = 40
const AT_ONCE = 8
const [MOST_PER_READ, MESSAGES_EACH] = [1_000, 2] as const

/** What everybody knows at the moment of the loss. */
interface Known {
  readonly actors: readonly Actor[]
  readonly spent: readonly LoadRequest[]
  readonly heads: Heads
}

/**
 * Loads a platform, snapshots its state, goes on writing, and then for each loss: takes the stores away, lets an operator
 * restore, and asks every client for everything that was acknowledged to it. Each loss begins from the same state.
 */
export async function runDrill({
  losses,
  identities,
  requests,
  seed,
  onStep = () => {},
}: DrillOptions): Promise<Row[]> {
  const random = seededRandom(seed)
  const work = mkdtempSync(join(tmpdir(), 'restore-drill-'))
  const [stateDir, earlier, whole] = [join(work, 'state'), join(work, 'earlier'), join(work, 'whole')]
  const folder = new StateFolder(stateDir)
  const portBase = await reservePortBase()
  const start = () => KillablePlatform.start(portBase, stateDir)
  let platform = await start()
  try {
    const [urls, secrets, mail] = [urlsOf(portBase), loadDevSecrets(stateDir), new LocalMail(mailFolder(stateDir))]
    const actors = await createActors({ urls, secrets, mail }, identities)
    const spent = [...(await load(actors, requests, random))]
    if (losses.some(({ how }) => how === 'earlier')) {
      onStep('snapshot of the state')
      await platform.kill()
      folder.copyTo(earlier)
      platform = await start()
      spent.push(...(await load(actors, requests, random)))
    }
    onStep(`waiting ${RECORDED_WITHIN_MS / 1000} s for the records`)
    const [first] = actors
    if (!first) throw new Error('there are no identities')
    const known = { actors, spent, heads: await headsOf(first.strangers.client) }
    await setTimeout(RECORDED_WITHIN_MS)
    await platform.kill()
    folder.copyTo(whole)
    const rows: Row[] = []
    for (const loss of losses) {
      const lostAt = Date.now()
      folder.putBack(whole)
      for (const store of loss.stores) {
        if (loss.how === 'lost') folder.lose(store)
        else folder.restore(store, earlier)
      }
      onStep(`${loss.how}: ${loss.lost}`)
      platform = await start()
      const operator = { core: { service: urls.core, realm: urls.core }, seed: secrets.operatorSeed }
      const log = known.heads.anchors.statement.log
      const refused: string[] = []
      for (const command of loss.commands.flatMap((one) => eachOf(one, actors))) {
        const status = await perform(operator, command, { lostAt, log, onStep })
        if (status !== 0) refused.push(`scripts/admin ${command.join(' ')} ended with ${status}`)
      }
      const floor = lostAt + SKEW_MS + 1_000 - Date.now()
      if (loss.hasFloor && floor > 0) await setTimeout(floor)
      const row = await rowOf(loss, known, refused)
      onStep(`missing: ${row.missing.length}, doubled: ${row.doubled.length}`)
      rows.push(row)
      await platform.kill()
    }
    return rows
  } catch (error) {
    throw new Error(`with the seed ${seed}: ${String(error)}`, { cause: error })
  } finally {
    await platform.kill()
    rmSync(work, { recursive: true, force: true })
  }
}

/** Sends a mixed load and waits for every answer, so that everything sent is acknowledged. Returns spent requests. */
async function load(actors: readonly Actor[], requests: number, random: Random): Promise<readonly LoadRequest[]> {
  for (const actor of actors) await actor.resume(MESSAGES_EACH)
  const planned = await planRequests(actors, requests, random)
  const due = arrivals(planned.length, RATE, random)
  const { samples, spent } = await sendWhenDue(planned, due, { atOnce: AT_ONCE })
  const errors = errorsOf(samples.filter(({ outcome }) => outcome === 'refused' || outcome === 'failed'))
  if (errors.length > 0) throw new Error(`the load was refused: ${errors.join('; ')}`)
  return spent.slice(0, MOST_PER_READ)
}

function eachOf(command: Command, actors: readonly Actor[]): Command[] {
  if (!command.includes('EACH')) return [command]
  return actors.map(({ did }) => command.map((part) => (part === 'EACH' ? did : part)))
}

async function perform(
  { core, seed }: { readonly core: { readonly service: string; readonly realm: string }; readonly seed: Uint8Array },
  [name = '', ...operands]: Command,
  { lostAt, log, onStep }: { readonly lostAt: number; readonly log: string; readonly onStep: (line: string) => void },
): Promise<number> {
  if (name === 'rebuild-anchors') return rebuildAnchors(core, seed, log, onStep)
  const rebuild = rebuildOf(
    operands.map((operand) => (operand === 'LOST' ? new Date(lostAt).toISOString() : operand)),
    Date.now(),
  )
  if (!rebuild) throw new Error(`not a command: ${operands.join(' ')}`)
  return rebuildObjects(core, seed, rebuild, onStep)
}

async function rowOf(
  { lost, restoredFrom, hasFloor }: Loss,
  { actors, spent, heads }: Known,
  refused: readonly string[],
): Promise<Row> {
  const [first] = actors
  const replays = await faultsOfReplay(spent, hasFloor ? REFUSED_AFTER_A_REBUILD : undefined)
  const logs = first ? await faultsOfLogs(first.strangers.client, heads) : []
  const found = await faultsOfAll(actors)
  const isDouble = (fault: string) => /nobody sent|twice|was not sent/.test(fault)
  const books = actors.flatMap(({ everyBook }) => everyBook)
  return {
    lost,
    restoredFrom,
    acknowledged: books.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    replayed: spent.length,
    missing: [...refused, ...logs, ...found.filter((fault) => !isDouble(fault))],
    doubled: [...replays, ...found.filter(isDouble)],
  }
}
