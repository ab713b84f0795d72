import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { rebuildAnchors } from '@svc/operations/rebuild-anchors'
import { rebuildObjects, rebuildOf } from '@svc/operations/rebuild-objects'
import { isVectorService, reindex } from '@svc/operations/reindex'
import { freshAddress, type LoadRequest } from '@svc/platform/callers/send'
import { KillablePlatform } from '@svc/platform/killable-platform'
import { reservePortBase } from '@svc/platform/ports'
import { connectTo, type RunningPlatform } from '@svc/platform/running'
import { type Actor, createActors } from '../traffic/actor.ts'
import { planRequests } from '../traffic/mix.ts'
import { headsOf } from '../traffic/proof.ts'
import { arrivals, type Random, seededRandom } from '../traffic/random.ts'
import { sendWhenDue } from '../traffic/run.ts'
import { errorsOf } from '../traffic/summary.ts'
import { Backups } from './backups.ts'
import type { Command, Loss } from './losses.ts'
import { Cast, LOCAL_ORIGIN } from './memories/cast.ts'
import { Memories } from './memories/memories.ts'
import { remember } from './memories/remember.ts'
import { erasedRowOf, type Known, type Row, rowOf } from './row.ts'
import { StateFolder } from './state-folder.ts'

export interface DrillOptions {
  readonly losses: readonly Loss[]
  /** The load has two parts, with a snapshot between them. */
  readonly isWhole: boolean
  readonly identities: number
  /** Before the snapshot, and again after it. */
  readonly requests: number
  readonly seed: number
  readonly onStep?: (line: string) => void
}

/** What the page on restore promises: a change is recorded after this time. */
const RECORDED_WITHIN_MS = 60_000
/** Siblings accept clocks that are five minutes ahead, and have clocks of their own: what was signed until then may have been spent. */
const REFUSED_MS = 360_000
const RATE = 40
const AT_ONCE = 8
const [MOST_PER_READ, MESSAGES_EACH] = [1_000, 2] as const

/**
 * Loads a platform, snapshots its state, goes on writing, and then for each loss: takes the stores away, lets an operator
 * restore, and asks every client for everything that was acknowledged to it. Each loss begins from the same state.
 */
export async function runDrill({ losses, isWhole, onStep = () => {}, ...load }: DrillOptions): Promise<Row[]> {
  const work = mkdtempSync(join(tmpdir(), 'restore-drill-'))
  const stateDir = join(work, 'state')
  const portBase = await reservePortBase()
  const drill = new Drill({
    stage: () => connectTo({ portBase, stateDir }),
    start: () => KillablePlatform.start(portBase, stateDir),
    folder: new StateFolder(stateDir),
    copies: { earlier: join(work, 'earlier'), whole: join(work, 'whole') },
    backups: await Backups.create(stateDir, join(work, 'backups')),
    onStep,
  })
  try {
    const known = await drill.load(load, isWhole)
    const rows: Row[] = []
    for (const loss of losses) rows.push(await drill.rowWithPrefixes(loss, known))
    return rows
  } catch (error) {
    throw new Error(`with the seed ${load.seed}: ${String(error)}`, { cause: error })
  } finally {
    await drill.stop()
    rmSync(work, { recursive: true, force: true })
  }
}

interface Parts {
  readonly stage: () => RunningPlatform
  readonly start: () => Promise<KillablePlatform>
  readonly folder: StateFolder
  /** States of the whole folder: before the last part of the load, and after it. */
  readonly copies: { readonly earlier: string; readonly whole: string }
  readonly backups: Backups
  readonly onStep: (line: string) => void
}

class Drill {
  readonly #parts: Parts
  #platform: KillablePlatform | null = null
  /** The names of the exports. */
  readonly #exports = { earlier: '', newest: '' }

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async stop(): Promise<void> {
    await this.#platform?.kill()
    this.#platform = null
  }

  /** Leaves the platform stopped, with backups of everything. */
  async load(
    { identities, requests, seed }: Pick<DrillOptions, 'identities' | 'requests' | 'seed'>,
    hasParts: boolean,
  ): Promise<Known> {
    const { folder, copies, backups, onStep } = this.#parts
    const random = seededRandom(seed)
    await this.#run()
    const stage = this.#parts.stage()
    const actors = await createActors(stage, identities)
    const memories = new Memories()
    const cast = await Cast.create(stage, memories)
    const spent: LoadRequest[] = []
    const part = async () => {
      spent.push(...(await send(actors, requests, random)))
      await remember(cast)
    }
    await part()
    if (hasParts) {
      onStep('snapshot of the state')
      await this.stop()
      folder.copyTo(copies.earlier)
      this.#exports.earlier = await backups.export()
      await this.#run()
      await part()
    }
    onStep(`waiting ${RECORDED_WITHIN_MS / 1000} s for the records`)
    const [first] = actors
    if (!first) throw new Error('there are no identities')
    const heads = await headsOf(first.strangers.client)
    await setTimeout(RECORDED_WITHIN_MS)
    await this.stop()
    folder.copyTo(copies.whole)
    this.#exports.newest = await backups.export()
    await backups.copyBuckets()
    const dids = [...actors.map(({ did }) => did), ...cast.dids]
    return { actors, dids, memories, spent, heads }
  }

  /** One row for a bucket, and each of its prefixes. */
  async rowWithPrefixes(loss: Loss, known: Known): Promise<Row> {
    const row = await this.row(loss, known)
    const [store] = loss.stores
    if (!loss.isByPrefix || store?.kind !== 'bucket') return row
    const { folder, copies } = this.#parts
    folder.putBack(copies.whole)
    const prefixes = await folder.prefixesOf(store.name)
    const rows: Row[] = []
    for (const prefix of prefixes) {
      const lost = `${loss.lost}, ${prefix}`
      rows.push(await this.row({ ...loss, lost, stores: [{ ...store, prefix }] }, known))
    }
    return {
      ...row,
      lost: `${loss.lost}, and ${prefixes.length === 1 ? 'its one prefix' : `each of its ${prefixes.length} prefixes`}`,
      missing: [row, ...rows].flatMap(({ missing }) => missing),
      doubled: [row, ...rows].flatMap(({ doubled }) => doubled),
    }
  }

  async row(loss: Loss, known: Known): Promise<Row> {
    const { folder, copies, onStep } = this.#parts
    const lostAt = Date.now()
    folder.putBack(copies.whole)
    for (const store of loss.stores) {
      if (loss.how === 'lost') await folder.lose(store)
      else await folder.restore(store, copies.earlier)
    }
    onStep(`${loss.how}: ${loss.lost}`)
    await this.#repair(loss, lostAt)
    await this.#run()
    const refused = await this.#performAll(loss.commands, lostAt, known)
    if (loss.afterwards) refused.push(...(await this.#loseAfterwards(loss.afterwards, known)))
    const floor = lostAt + REFUSED_MS + 1_000 - Date.now()
    if (loss.hasFloor && floor > 0) await setTimeout(floor)
    const row = loss.isErased ? await erasedRowOf(loss, known, refused) : await rowOf(loss, known, refused)
    onStep(`missing: ${row.missing.length}, doubled: ${row.doubled.length}, after the export: ${row.later}`)
    for (const fault of [...row.missing, ...row.doubled]) onStep(`  ${fault}`)
    await this.stop()
    return row
  }

  /** Waits until the objects are recorded again, and then loses more stores. */
  async #loseAfterwards({ stores, commands }: Required<Loss>['afterwards'], known: Known): Promise<string[]> {
    await setTimeout(RECORDED_WITHIN_MS)
    await this.stop()
    const lostAt = Date.now()
    for (const store of stores) await this.#parts.folder.lose(store)
    await this.#run()
    return this.#performAll(commands, lostAt, known)
  }

  /** A sentence for each command that failed. */
  async #performAll(commands: readonly Command[], lostAt: number, { dids, heads }: Known): Promise<string[]> {
    const refused: string[] = []
    for (const command of commands.flatMap((one) => eachOf(one, dids))) {
      const status = await this.#perform(command, { lostAt, log: heads.anchors.statement.log })
      if (status !== 0) refused.push(`scripts/admin ${command.join(' ')} ended with ${status}`)
    }
    return refused
  }

  async #run(): Promise<void> {
    this.#platform = await this.#parts.start()
  }

  async #repair({ repairs }: Loss, lostAt: number): Promise<void> {
    const { backups, onStep } = this.#parts
    for (const repair of repairs) {
      if (repair.kind === 'copy') onStep(`${await backups.restoreBucket(repair.bucket)} objects copied back`)
      else await backups.import(this.#exports[repair.from], repair.databases, lostAt, onStep)
    }
  }

  async #perform(
    [name = '', ...operands]: Command,
    { lostAt, log }: { readonly lostAt: number; readonly log: string },
  ): Promise<number> {
    const { urls, secrets } = this.#parts.stage()
    const { onStep } = this.#parts
    const at = (service: string) => ({ service, realm: urls.core })
    if (name === 'rebuild-anchors') return rebuildAnchors(at(urls.core), secrets.operatorSeed, log, onStep)
    const [index] = operands
    if (name === 'reindex' && isVectorService(index))
      return reindex(at(urls.provenance), secrets.operatorSeed, index, () => {})
    const rebuild = rebuildOf(
      operands.map((operand) => (operand === 'LOST' ? new Date(lostAt).toISOString() : operand)),
      Date.now(),
    )
    if (name !== 'rebuild' || !rebuild) throw new Error(`not a command: ${name} ${operands.join(' ')}`)
    let isThere = true
    const told = (line: string) => {
      // Not every identity has every kind of object.
      if (rebuild.name !== null && line.includes('"error":"not_found"')) isThere = false
      else onStep(line)
    }
    const rebuilt = await rebuildObjects(
      at(urls[rebuild.service]),
      secrets.operatorSeed,
      rebuild,
      // Other addresses, so that the drill need not wait for the rate limit.
      { origin: LOCAL_ORIGIN, 'cf-connecting-ip': freshAddress() },
      told,
    )
    return isThere ? rebuilt : 0
  }
}

/** Sends a mixed load and waits for every answer, so that everything sent is acknowledged. Returns spent requests. */
async function send(actors: readonly Actor[], requests: number, random: Random): Promise<readonly LoadRequest[]> {
  for (const actor of actors) await actor.resume(MESSAGES_EACH)
  const planned = await planRequests(actors, requests, random)
  const due = arrivals(planned.length, RATE, random)
  const { samples, spent } = await sendWhenDue(planned, due, { atOnce: AT_ONCE })
  const errors = errorsOf(samples.filter(({ outcome }) => outcome === 'refused' || outcome === 'failed'))
  if (errors.length > 0) throw new Error(`the load was refused: ${errors.join('; ')}`)
  return spent.slice(0, MOST_PER_READ)
}

function eachOf(command: Command, dids: readonly string[]): Command[] {
  if (!command.includes('EACH')) return [command]
  return dids.map((did) => command.map((part) => (part === 'EACH' ? did : part)))
}
